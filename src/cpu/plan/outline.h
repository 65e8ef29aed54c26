// Fusions out of instructions.
#ifndef HILO_CPU_PLAN_OUTLINE_H_
#define HILO_CPU_PLAN_OUTLINE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Adds a fusion that computes the instructions `outputs` and whatever is `inside`; all else that
// they need becomes its operands. With several outputs it is a tuple.
HloInstruction* Outline(HloComputation& computation, absl::Span<HloInstruction* const> outputs,
                        absl::FunctionRef<bool(const HloInstruction&)> inside);
// Lets a result take the place of an instruction for one user, or for all. Operands of a fusion
// that become the same array stay apart, where HloInstruction::ReplaceUseWith would join them: what
// a scatter updates must not be the parameter that it reads.
absl::Status ReplaceUse(HloInstruction& old, HloInstruction& user, HloInstruction& result);
absl::Status ReplaceUses(HloInstruction& old, HloInstruction& result);
// Lets the fusion take the place of its outputs.
absl::Status ReplaceByFusion(HloComputation& computation, absl::Span<HloInstruction* const> outputs,
                             HloInstruction& fusion);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_OUTLINE_H_
