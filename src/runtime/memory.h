// Memory for arrays.
#ifndef HILO_RUNTIME_MEMORY_H_
#define HILO_RUNTIME_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/status/statusor.h"

namespace xla::runtime {

inline constexpr int64_t kAlignment = 64;

struct FreeMemory {
  void operator()(char* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, FreeMemory>;

// At least `bytes`, aligned to kAlignment, with anything in it. ResourceExhausted when there is not
// enough, and for more than the machine has, which would only show when it is used.
absl::StatusOr<Memory> Allocate(int64_t bytes);

// A block that is kept between runs, so that the next one need not ask for memory. For any number
// of threads.
class SpareMemory {
 public:
  ~SpareMemory() { Memory last(block_); }

  // Null when there is none.
  Memory Take() { return Memory(block_.exchange(nullptr)); }
  void GiveBack(Memory block) { Memory other(block_.exchange(block.release())); }

 private:
  std::atomic<char*> block_ = nullptr;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_MEMORY_H_
