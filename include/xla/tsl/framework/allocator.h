// Figures of memory in use.
#ifndef XLA_TSL_FRAMEWORK_ALLOCATOR_H_
#define XLA_TSL_FRAMEWORK_ALLOCATOR_H_

#include <cstdint>
#include <optional>
#include <string>

namespace tsl {

// In bytes, but for num_allocs. What is not known is 0 or nothing.
struct AllocatorStats {
  int64_t num_allocs = 0;
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t largest_alloc_size = 0;
  std::optional<int64_t> bytes_limit;
  int64_t bytes_reserved = 0;
  int64_t peak_bytes_reserved = 0;
  std::optional<int64_t> bytes_reservable_limit;
  int64_t largest_free_block_bytes = 0;
  std::optional<int64_t> pool_bytes;
  std::optional<int64_t> peak_pool_bytes;

  std::string DebugString() const;
};

}  // namespace tsl

#endif  // XLA_TSL_FRAMEWORK_ALLOCATOR_H_
