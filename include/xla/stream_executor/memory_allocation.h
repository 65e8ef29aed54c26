#ifndef XLA_STREAM_EXECUTOR_MEMORY_ALLOCATION_H_
#define XLA_STREAM_EXECUTOR_MEMORY_ALLOCATION_H_

#include <cstdint>

#include "xla/stream_executor/device_address.h"

namespace stream_executor {

// Memory that is freed with this object.
class MemoryAllocation {
 public:
  virtual ~MemoryAllocation() = default;
  virtual DeviceAddressBase address() const = 0;
  void* opaque() const { return address().opaque(); }
  uint64_t size() const { return address().size(); }
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_MEMORY_ALLOCATION_H_
