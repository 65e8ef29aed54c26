// Reductions inside of kernels.
#ifndef HILO_CPU_EMIT_REDUCTION_H_
#define HILO_CPU_EMIT_REDUCTION_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/loops/kernel.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/level.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The results of the node's reductions, which reduce the same dimensions of arrays of the same
// dimensions, for one element of the result. Loops are added to the level. Lanes are folded
// separately and put together at the end: results depend on the machine's vectors, but on nothing
// else.
absl::StatusOr<std::vector<Lanes>> ReduceRow(Level& level, const loops::Node& node,
                                             const Position& kept);

// The same for elements of the result in all lanes of the level.
absl::StatusOr<std::vector<Lanes>> ReduceColumns(Level& level,
                                                 absl::Span<const HloInstruction* const> reduces,
                                                 const Position& kept, llvm::Value* mask);

// Called where results of a scan at a position are known.
using StoreOfScan = absl::FunctionRef<absl::Status(Level& inner, const Position& position,
                                                   int lanes, const std::vector<Lanes>& values)>;
// Loops of a scan for elements that lie around it in other dimensions than its own.
absl::Status EmitScan(Level& level, const loops::Node& node, const Position& around, int lanes,
                      llvm::Value* mask, StoreOfScan store);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_REDUCTION_H_
