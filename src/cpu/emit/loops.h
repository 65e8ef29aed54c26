// Loops in LLVM IR.
#ifndef HILO_CPU_EMIT_LOOPS_H_
#define HILO_CPU_EMIT_LOOPS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"

namespace xla::cpu {

using Carried = std::vector<llvm::Value*>;

// for (i = begin; i < end; i += step) carried = body(i, carried). The builder stands behind the
// loop afterwards; the result is what is carried at the end.
absl::StatusOr<Carried> EmitLoop(
    Builder& b, llvm::Value* begin, llvm::Value* end, int64_t step, Carried carried,
    absl::FunctionRef<absl::StatusOr<Carried>(llvm::Value* i, Carried carried)> body);

// The same with nothing carried.
absl::Status EmitLoop(Builder& b, llvm::Value* begin, llvm::Value* end, int64_t step,
                      absl::FunctionRef<absl::Status(llvm::Value* i)> body);

// Loops over all indices of the sizes, the first one outermost.
absl::StatusOr<Carried> EmitLoopNest(Builder& b, absl::Span<const int64_t> sizes, Carried carried,
                                     absl::FunctionRef<absl::StatusOr<Carried>(
                                         absl::Span<llvm::Value* const> index, Carried carried)>
                                         body);

// Appends the code that begins with `first`, a block without predecessors, to the block of the
// builder, which goes on where `inside` stands, the builder of that code.
void Join(Builder& b, llvm::BasicBlock* first, const Builder& inside);

// The index with the given number in row-major order.
std::vector<llvm::Value*> Delinearize(Builder& b, llvm::Value* number,
                                      absl::Span<const int64_t> sizes);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_LOOPS_H_
