// The older name of StreamExecutorAddressAllocator.
#ifndef XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_MEMORY_ALLOCATOR_H_
#define XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_MEMORY_ALLOCATOR_H_

#include "xla/stream_executor/stream_executor_address_allocator.h"

namespace stream_executor {
using StreamExecutorMemoryAllocator = StreamExecutorAddressAllocator;
}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_MEMORY_ALLOCATOR_H_
