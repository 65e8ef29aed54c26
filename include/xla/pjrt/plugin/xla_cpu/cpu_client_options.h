// How a client for the CPU is set up.
#ifndef XLA_PJRT_PLUGIN_XLA_CPU_CPU_CLIENT_OPTIONS_H_
#define XLA_PJRT_PLUGIN_XLA_CPU_CPU_CLIENT_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "xla/pjrt/distributed/key_value_store_interface.h"

namespace xla {

class HloModuleConfig;

namespace cpu {
class CpuCollectives;
}  // namespace cpu

// Memory that an allocator gave. It goes back with the object, which may outlive the client.
class CpuMemory {
 public:
  virtual ~CpuMemory() = default;
  virtual void* base() const = 0;
  virtual size_t size_bytes() const = 0;
};

struct CpuClientOptions {
  // Whether executions may go on after Execute has returned.
  bool asynchronous = true;
  // How many devices there are. Without it as many as the flag
  // xla_force_host_platform_device_count in XLA_FLAGS says.
  std::optional<int> cpu_device_count = {};
  // Kept: Execute never waits for others to end.
  int max_inflight_computations_per_device = 32;
  // Which of several processes this one is. They tell each other of their devices through the
  // store, which all share, and exchange messages by Gloo. Making a client waits for all others to
  // be made.
  int process_id = 0;
  int process_count = 1;
  std::shared_ptr<KeyValueStoreInterface> key_value_store = {};
  // Devices of one process meet without it.
  std::shared_ptr<cpu::CpuCollectives> collectives;
  int max_transpose_threads = 8;
  // Called before each program is compiled.
  std::function<void(HloModuleConfig&)> customize_hlo_module_config;
  // Gives the memory in which buffers lie, of at least so many bytes, or an error, which becomes
  // that of the buffer. Called from any thread. The client's own memory without it.
  std::function<absl::StatusOr<std::unique_ptr<CpuMemory>>(size_t size_bytes, size_t alignment)>
      allocator;
};

}  // namespace xla

#endif  // XLA_PJRT_PLUGIN_XLA_CPU_CPU_CLIENT_OPTIONS_H_
