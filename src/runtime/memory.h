// Memory for arrays.
#ifndef HILO_RUNTIME_MEMORY_H_
#define HILO_RUNTIME_MEMORY_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

namespace xla::runtime {

inline constexpr int64_t kAlignment = 64;

// Gives a block back. Pages of fresh memory cost more than what most programs do with them, so that
// large blocks are kept for the next request of the same size; blocks that are kept and blocks in
// use are never more than were in use at one time, and what nobody asks for within seconds, while
// others come and go, is given back to the system (xla/service/trim_memory.h for all of it).
struct FreeMemory {
  int64_t bytes = 0;
  void operator()(char* memory) const;
};
using Memory = std::unique_ptr<char, FreeMemory>;

// At least `bytes`, aligned to kAlignment, with anything in it. ResourceExhausted when there is not
// enough, and for more than the machine has, which would only show when it is used. For any number
// of threads.
absl::StatusOr<Memory> Allocate(int64_t bytes);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_MEMORY_H_
