#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

bool MovesCounter(const HloInstruction& instruction, SideEffects& effects) {
  return instruction.opcode() == HloOpcode::kRng ||
         instruction.opcode() == HloOpcode::kRngGetAndUpdateState ||
         absl::c_any_of(instruction.called_computations(),
                        [&](const HloComputation* callee) { return effects.Has(*callee); });
}

absl::StatusOr<bool> OrderRandomNumbers(HloModule& module) {
  const bool draws = absl::c_any_of(module.computations(), [](const HloComputation* computation) {
    return absl::c_any_of(computation->instructions(), [](const HloInstruction* instruction) {
      return instruction->opcode() == HloOpcode::kRng ||
             instruction->opcode() == HloOpcode::kRngGetAndUpdateState;
    });
  });
  if (!draws) return false;
  SideEffects effects;
  bool changed = false;
  for (HloComputation* computation : module.computations()) {
    HloInstruction* last = nullptr;
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (!MovesCounter(*instruction, effects)) continue;
      if (last != nullptr && !absl::c_linear_search(last->control_successors(), instruction)) {
        HILO_RETURN_IF_ERROR(last->AddControlDependencyTo(instruction));
        changed = true;
      }
      last = instruction;
    }
  }
  return changed;
}

}  // namespace xla::passes
