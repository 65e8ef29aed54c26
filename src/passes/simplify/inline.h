// Putting what a computation does in the place of what calls it.
#ifndef HILO_PASSES_SIMPLIFY_INLINE_H_
#define HILO_PASSES_SIMPLIFY_INLINE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Adds clones of the callee's instructions to `caller`, with `arguments` for its parameters, and
// gives the clone of its root.
absl::StatusOr<HloInstruction*> CloneInto(HloComputation& caller, const HloComputation& callee,
                                          absl::Span<HloInstruction* const> arguments);

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_INLINE_H_
