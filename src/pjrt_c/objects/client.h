// What clients, devices, memories and topologies of the C interface are. All that describes them is
// known without the core library; what they do, it attaches (pjrt_c/client.cc).
#ifndef HILO_PJRT_C_OBJECTS_CLIENT_H_
#define HILO_PJRT_C_OBJECTS_CLIENT_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/device_names.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"

namespace xla {
class PjRtClient;
class PjRtDevice;
class PjRtMemorySpace;
class PjRtTopologyDescription;
}  // namespace xla

namespace xla::pjrt_c {

// What somebody asked to see of compiles.
struct Insight {
  std::string dump_to;  // a folder, or empty
  bool logs_compiles = false;
};

// Memories begin with a table of functions; this is what stands behind it.
struct Memory : PJRT_Memory {
  Memory(PJRT_Device* device, int kind);
  ~Memory();
  static Memory* Of(PJRT_Memory* memory) { return static_cast<Memory*>(memory); }

  void* GetUserData(void* key);
  void SetUserData(void* key, void* data, void (*destructor)(void* data));

  const int id, kind;
  const std::string name;
  PJRT_Device* const device;
  PJRT_Client* const client;
  PjRtMemorySpace* space = nullptr;  // attached

 private:
  struct UserData {
    void* data;
    void (*destructor)(void* data);
  };
  std::mutex mutex_;
  std::map<void*, UserData> user_data_;
};

}  // namespace xla::pjrt_c

struct PJRT_MemoryDescription {
  std::string kind;
  int kind_id;
};

struct PJRT_DeviceDescription {
  // `number` counts the devices of its process.
  PJRT_DeviceDescription(int process, int number);

  const int process, id;
  const std::string kind, name, debug_name;
  // All memories have one of these.
  static const std::vector<PJRT_MemoryDescription>& Memories();
};

struct PJRT_Device {
  // `position` counts the devices of the client.
  PJRT_Device(PJRT_Client* client, int process, int number, int position);

  PJRT_Client* const client;
  const int number, position;
  PJRT_DeviceDescription description;
  std::vector<std::unique_ptr<xla::pjrt_c::Memory>> owned_memories;
  std::vector<PJRT_Memory*> memories;
  xla::pjrt_c::Memory* default_memory;
  xla::PjRtDevice* device = nullptr;  // attached
};

struct PJRT_TopologyDescription {
  using DeviceCounts = xla::device_names::DeviceCounts;
  PJRT_TopologyDescription(std::string platform_name, DeviceCounts device_counts);

  const std::string platform_name;
  const DeviceCounts device_counts;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> owned_descriptions;
  std::vector<PJRT_DeviceDescription*> descriptions;
  bool is_of_client = false;
  std::shared_ptr<const xla::PjRtTopologyDescription> topology;  // attached
};

struct PJRT_Client {
  // Of the process with this number, which need not be 0 where it is alone.
  using DeviceCounts = xla::device_names::DeviceCounts;
  PJRT_Client(std::string platform_name, int process, const DeviceCounts& device_counts);

  // Those of the C++ client's objects.
  xla::pjrt_c::Memory* MemoryOf(const xla::PjRtMemorySpace* space) const;
  PJRT_Device* DeviceOf(const xla::PjRtDevice* device) const;

  const std::string platform_name;
  const int process;
  std::vector<std::unique_ptr<PJRT_Device>> owned_devices;
  std::vector<PJRT_Device*> devices, addressable_devices;
  std::vector<PJRT_Memory*> memories, addressable_memories;
  PJRT_TopologyDescription topology;  // of all processes
  xla::pjrt_c::Insight insight;
  std::shared_ptr<xla::PjRtClient> client;  // attached; goes first

 private:
  void AddDevices(int of_process, int count);
};

#endif  // HILO_PJRT_C_OBJECTS_CLIENT_H_
