// A device: memory, streams and what is known of it.
#ifndef XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_H_
#define XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/stream_executor/allocator_stats.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/device_description.h"
#include "xla/stream_executor/memory_allocation.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream.h"

namespace stream_executor {

// For any number of threads. Memory of all devices is memory of the host, aligned to 64 bytes.
class StreamExecutor {
 public:
  virtual ~StreamExecutor() = default;

  virtual absl::Status Init() { return absl::OkStatus(); }
  virtual const Platform* GetPlatform() const = 0;
  virtual int device_ordinal() const = 0;
  virtual const DeviceDescription& GetDeviceDescription() const = 0;

  virtual absl::StatusOr<std::unique_ptr<Stream>> CreateStream(
      std::optional<std::variant<StreamPriority, int>> priority) = 0;
  absl::StatusOr<std::unique_ptr<Stream>> CreateStream() { return CreateStream(std::nullopt); }
  // The stream of whoever names none.
  virtual Stream* default_stream() = 0;

  // Null when there is no memory, and for 0 bytes.
  virtual DeviceAddressBase Allocate(uint64_t size, int64_t memory_space) = 0;
  DeviceAddressBase Allocate(uint64_t size) { return Allocate(size, /*memory_space=*/0); }
  template <typename T>
  DeviceAddress<T> AllocateArray(uint64_t element_count, int64_t memory_space = 0) {
    return DeviceAddress<T>(Allocate(element_count * sizeof(T), memory_space));
  }
  template <typename T>
  DeviceAddress<T> AllocateScalar() {
    return AllocateArray<T>(1);
  }
  // Gives memory back. InvalidArgument when it was not allocated here or has been given back before.
  virtual absl::Status TryDeallocate(const DeviceAddressBase& memory) = 0;
  // The same, which logs the error. Makes `memory` null.
  void Deallocate(DeviceAddressBase* memory);
  virtual absl::StatusOr<std::unique_ptr<MemoryAllocation>> HostMemoryAllocate(uint64_t size) = 0;

  // Copy and fill at once. The streams are not waited for.
  virtual absl::Status SynchronousMemcpyH2D(const void* host_source, uint64_t size,
                                            DeviceAddressBase* device_destination) = 0;
  virtual absl::Status SynchronousMemcpyD2H(const DeviceAddressBase& device_source, uint64_t size,
                                            void* host_destination) = 0;
  absl::Status SynchronousMemcpy(DeviceAddressBase* device_destination, const void* host_source,
                                 uint64_t size) {
    return SynchronousMemcpyH2D(host_source, size, device_destination);
  }
  absl::Status SynchronousMemcpy(void* host_destination, const DeviceAddressBase& device_source,
                                 uint64_t size) {
    return SynchronousMemcpyD2H(device_source, size, host_destination);
  }
  virtual absl::Status SynchronousMemZero(DeviceAddressBase* location, uint64_t size) = 0;
  // Waits for all streams of the device.
  virtual bool SynchronizeAllActivity() = 0;

  virtual bool CanEnablePeerAccessTo(StreamExecutor* other) = 0;
  virtual absl::Status EnablePeerAccessTo(StreamExecutor* other) = 0;
  // In bytes.
  virtual bool DeviceMemoryUsage(int64_t* free, int64_t* total) const = 0;
  virtual std::optional<AllocatorStats> GetAllocatorStats() = 0;
  virtual bool ClearAllocatorStats() = 0;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_H_
