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
// Lets the fusion take the place of its outputs.
absl::Status ReplaceByFusion(HloComputation& computation, absl::Span<HloInstruction* const> outputs,
                             HloInstruction& fusion);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_OUTLINE_H_
