// Rewriting until no rule applies any more.
#ifndef HILO_PASSES_SIMPLIFY_REWRITER_H_
#define HILO_PASSES_SIMPLIFY_REWRITER_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// What an instruction can be replaced by, of a compatible shape; null when no rule applies. A rule
// may add instructions to the computation, if it then gives a replacement.
using Rule = HloInstruction* (*)(HloInstruction&);

// Replaces instructions in all computations that are no fusions, and looks again at whatever a
// replacement touches, until nothing changes. Instructions with control dependencies, side effects
// or dynamic sizes are left alone.
absl::StatusOr<bool> Rewrite(HloModule& module,
                             absl::FunctionRef<HloInstruction*(HloInstruction&)> rule);

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_REWRITER_H_
