// What compiled code is to whoever runs it: the entry point, the memory it wants, and the constants it reads. Nothing here
// knows how the code was made.
#ifndef HILO_RUNTIME_PROGRAM_H_
#define HILO_RUNTIME_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

extern "C" {

// What one run hands to compiled code. Arrays are contiguous in row-major order and aligned to kHiloAlignment.
struct HiloFrame {
  const void* const* parameters;  // leaves of the entry's parameters, in order
  void* const* results;           // leaves of the result, in order
  const void* const* constants;
  char* arena;  // `arena_bytes`, whatever is in it
};

using HiloEntry = void(HiloFrame* frame);

// Part of a kernel's work: rows `begin` to `end` of as many as the caller was told.
using HiloKernel = void(void* const* arrays, int64_t begin, int64_t end);
}

namespace xla::runtime {

inline constexpr int64_t kAlignment = 64;

struct Program {
  HiloEntry* entry = nullptr;
  int64_t arena_bytes = 0;
  std::vector<std::string> constants;     // bytes
  std::vector<int64_t> parameter_bytes;   // of each leaf
  std::vector<int64_t> result_bytes;
  std::shared_ptr<const void> code;       // keeps the entry point alive
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_PROGRAM_H_
