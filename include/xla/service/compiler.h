// From modules to programs on devices.
#ifndef XLA_SERVICE_COMPILER_H_
#define XLA_SERVICE_COMPILER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/executable.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"

namespace tsl {
namespace thread {
class ThreadPool;
}  // namespace thread
}  // namespace tsl

namespace xla {

// For any number of threads.
class Compiler {
 public:
  struct CompileOptions {
    // Not used: compiling takes no memory of devices.
    stream_executor::DeviceAddressAllocator* device_allocator = nullptr;
    // As many threads compile as it has; null for as many as the process may use.
    tsl::thread::ThreadPool* thread_pool = nullptr;
  };

  // Gives the module back if it breaks no rule; the error names the first one that is broken. What
  // makes it faster is done by RunBackend, so that both can be called for the same module.
  absl::StatusOr<std::unique_ptr<HloModule>> RunHloPasses(std::unique_ptr<HloModule> module,
                                                          stream_executor::StreamExecutor* executor,
                                                          const CompileOptions& options);
  absl::StatusOr<std::unique_ptr<HloModule>> RunHloPasses(
      std::unique_ptr<HloModule> module, stream_executor::StreamExecutor* executor,
      stream_executor::DeviceAddressAllocator* device_allocator) {
    return RunHloPasses(std::move(module), executor, CompileOptions{device_allocator});
  }
  absl::StatusOr<std::unique_ptr<Executable>> RunBackend(std::unique_ptr<HloModule> module,
                                                         stream_executor::StreamExecutor* executor,
                                                         const CompileOptions& options);
  absl::StatusOr<std::unique_ptr<Executable>> RunBackend(
      std::unique_ptr<HloModule> module, stream_executor::StreamExecutor* executor,
      stream_executor::DeviceAddressAllocator* device_allocator) {
    return RunBackend(std::move(module), executor, CompileOptions{device_allocator});
  }
  // Both; one executable.
  absl::StatusOr<std::vector<std::unique_ptr<Executable>>> Compile(
      std::unique_ptr<HloModule> module,
      std::vector<stream_executor::StreamExecutor*> stream_executors,
      const CompileOptions& options);

  // How a shape lies on a device: as it is, with the default layout where it has none.
  Shape DefaultDeviceShapeRepresentation(const Shape& shape) const;
  // In bytes.
  int64_t ShapeSizeBytes(const Shape& shape) const;
  std::function<int64_t(const Shape&)> ShapeSizeBytesFunction() const {
    return [this](const Shape& shape) { return ShapeSizeBytes(shape); };
  }

  stream_executor::Platform::Id PlatformId() const;
  // That of the host. NotFound for other platforms.
  static absl::StatusOr<Compiler*> GetForPlatform(const stream_executor::Platform* platform);

 private:
  Compiler() = default;
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPILER_H_
