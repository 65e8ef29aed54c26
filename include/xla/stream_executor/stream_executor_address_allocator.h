// Memory as the devices themselves give it.
#ifndef XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_ADDRESS_ALLOCATOR_H_
#define XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_ADDRESS_ALLOCATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"

namespace stream_executor {

class StreamExecutorAddressAllocator : public DeviceAddressAllocator {
 public:
  explicit StreamExecutorAddressAllocator(StreamExecutor* executor);
  StreamExecutorAddressAllocator(const Platform* platform,
                                 absl::Span<StreamExecutor* const> stream_executors);

  using DeviceAddressAllocator::Allocate;
  absl::StatusOr<ScopedDeviceAddress<uint8_t>> Allocate(int device_ordinal, uint64_t size,
                                                        bool retry_on_failure,
                                                        int64_t memory_space) override;
  absl::Status Deallocate(int device_ordinal, DeviceAddressBase memory) override;
  absl::StatusOr<Stream*> GetStream(int device_ordinal) override;

  // NotFound when it is none of those that the allocator was given.
  absl::StatusOr<StreamExecutor*> GetStreamExecutor(int device_ordinal) const;

 private:
  std::vector<StreamExecutor*> executors_;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_ADDRESS_ALLOCATOR_H_
