#include "base/status_macros.h"
#include "xla/stream_executor/stream_executor_address_allocator.h"
#include "xla/util.h"

namespace stream_executor {

StreamExecutorAddressAllocator::StreamExecutorAddressAllocator(StreamExecutor* executor)
    : DeviceAddressAllocator(executor->GetPlatform()), executors_({executor}) {}

StreamExecutorAddressAllocator::StreamExecutorAddressAllocator(
    const Platform* platform, absl::Span<StreamExecutor* const> stream_executors)
    : DeviceAddressAllocator(platform),
      executors_(stream_executors.begin(), stream_executors.end()) {}

absl::StatusOr<StreamExecutor*> StreamExecutorAddressAllocator::GetStreamExecutor(
    int device_ordinal) const {
  for (StreamExecutor* executor : executors_) {
    if (executor->device_ordinal() == device_ordinal) return executor;
  }
  return xla::NotFound("the allocator has no memory of device %d", device_ordinal);
}

absl::StatusOr<ScopedDeviceAddress<uint8_t>> StreamExecutorAddressAllocator::Allocate(
    int device_ordinal, uint64_t size, bool retry_on_failure, int64_t memory_space) {
  HILO_ASSIGN_OR_RETURN(StreamExecutor * executor, GetStreamExecutor(device_ordinal));
  const DeviceAddressBase memory = executor->Allocate(size, memory_space);
  if (memory.is_null() && size > 0) {
    return xla::ResourceExhausted("device %d has no %d bytes of memory", device_ordinal, size);
  }
  return ScopedDeviceAddress<uint8_t>(memory, device_ordinal, this);
}

absl::Status StreamExecutorAddressAllocator::Deallocate(int device_ordinal,
                                                        DeviceAddressBase memory) {
  HILO_ASSIGN_OR_RETURN(StreamExecutor * executor, GetStreamExecutor(device_ordinal));
  return executor->TryDeallocate(memory);
}

absl::StatusOr<Stream*> StreamExecutorAddressAllocator::GetStream(int device_ordinal) {
  HILO_ASSIGN_OR_RETURN(StreamExecutor * executor, GetStreamExecutor(device_ordinal));
  return executor->default_stream();
}

}  // namespace stream_executor
