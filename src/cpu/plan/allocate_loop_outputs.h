// Outputs of loops that need no value to begin with.
#ifndef HILO_CPU_PLAN_ALLOCATE_LOOP_OUTPUTS_H_
#define HILO_CPU_PLAN_ALLOCATE_LOOP_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Gives elements of a loop's state that its steps overwrite part by part, until nothing is left of
// what they were, and that no step reads, an uninitialised array (eval/known_calls.h) to begin
// with: what a scan stacks up need not be filled with zeros first.
absl::StatusOr<bool> AllocateLoopOutputs(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_ALLOCATE_LOOP_OUTPUTS_H_
