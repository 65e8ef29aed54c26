#ifndef XLA_STREAM_EXECUTOR_ALLOCATOR_STATS_H_
#define XLA_STREAM_EXECUTOR_ALLOCATOR_STATS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace stream_executor {

// How much memory of a device is in use. Sizes are in bytes.
struct AllocatorStats {
  int64_t num_allocs = 0;  // so far
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t largest_alloc_size = 0;
  std::optional<int64_t> bytes_limit;

  std::string DebugString() const;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_ALLOCATOR_STATS_H_
