// What the devices of this machine and their memories are called and numbered, by whatever
// interface they are seen. Nothing but the standard library is needed for it.
#ifndef HILO_BASE_DEVICE_NAMES_H_
#define HILO_BASE_DEVICE_NAMES_H_

#include <map>
#include <string>

namespace xla::device_names {

// Numbers of devices of other processes begin at multiples of it.
inline constexpr int kMostDevices = 2048;
inline int DeviceId(int process, int number) { return process * kMostDevices + number; }

// How many devices each process has, by its number.
using DeviceCounts = std::map<int, int>;

inline constexpr char kKind[] = "cpu";
inline std::string Name(int id) { return "CpuDevice(id=" + std::to_string(id) + ")"; }
inline std::string DebugName(int id) { return "TFRT_CPU_" + std::to_string(id); }

// The memories of each device, by the numbers of their kinds; that of arrays is the first.
inline constexpr const char* kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};
inline constexpr int kMemories = 3;
// `number` counts the devices of a client.
inline int MemoryId(int number, int kind) { return number * kMemories + kind; }
inline std::string MemoryName(int id, int kind, int device_id) {
  return "MEMORY_SPACE_" + std::to_string(id) + " (" + kMemoryKinds[kind] + " of " +
         Name(device_id) + ")";
}

}  // namespace xla::device_names

#endif  // HILO_BASE_DEVICE_NAMES_H_
