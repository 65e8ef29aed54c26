// What is scattered in kernels: updates, and elements chosen in windows.
#ifndef HILO_CPU_EMIT_SCATTER_H_
#define HILO_CPU_EMIT_SCATTER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/loops/kernel.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/level.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

struct LoopRange {
  llvm::Value* begin;
  llvm::Value* end;
};

struct StartOfUpdate {
  Position starts;                   // values of the symbols of UpdateMap
  llvm::Value* is_inside = nullptr;  // unless it always is
};

// Where a window of updates begins, whose indices are known at the position of loops; inside are
// those windows that lie in the ranges of the array's dimensions that they do not have. The ranges
// of loops along windows become those that lie inside.
absl::StatusOr<StartOfUpdate> FindStart(Level& level, const loops::Node& scatter,
                                        const Position& position, std::vector<LoopRange>& ranges);

// Brings updates at an index together with what is in memory.
absl::Status ScatterUpdates(Level& level, const HloInstruction& scatter, const Position& starts,
                            const Position& index, absl::Span<llvm::Value* const> arrays,
                            llvm::Value* mask);

// Of the windows of select-and-scatter at an index, the number of the element that is chosen in
// each, -1 where there is none, and what is put there.
absl::StatusOr<std::vector<Lanes>> SelectInWindows(Level& level, const HloInstruction& instruction,
                                                   Position index, llvm::Value* mask);
// Puts it there.
absl::Status ScatterChosen(Level& level, const HloInstruction& instruction,
                           absl::Span<const Lanes> chosen, Position index, llvm::Value* array);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_SCATTER_H_
