#include "passes/replace.h"

#include <vector>

#include "base/status_macros.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::passes {

absl::Status TakeOver(HloInstruction& new_instruction, HloInstruction& old_instruction) {
  HILO_RETURN_IF_ERROR(old_instruction.ReplaceAllUsesWith(&new_instruction));
  return TakeOverOrder(new_instruction, old_instruction);
}

absl::Status TakeOverOrder(HloInstruction& new_instruction, HloInstruction& old_instruction) {
  if (!old_instruction.HasControlDependencies() ||
      new_instruction.opcode() == HloOpcode::kParameter) {
    return absl::OkStatus();
  }
  for (HloInstruction* before : old_instruction.control_predecessors()) {
    if (before != &new_instruction)
      HILO_RETURN_IF_ERROR(before->AddControlDependencyTo(&new_instruction));
  }
  for (HloInstruction* after : old_instruction.control_successors()) {
    if (after != &new_instruction)
      HILO_RETURN_IF_ERROR(new_instruction.AddControlDependencyTo(after));
  }
  return old_instruction.DropAllControlDeps();
}

absl::StatusOr<bool> ReplaceEach(
    HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    const int64_t count = computation->instruction_count();
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      HILO_ASSIGN_OR_RETURN(HloInstruction * replaced, replacement(*instruction));
      // It may have begun to write something.
      changed |= computation->instruction_count() != count;
      if (replaced == nullptr) continue;
      HILO_RETURN_IF_ERROR(TakeOver(*replaced, *instruction));
      instruction->CutOff();
      instruction->MarkAsDead();
      changed = true;
    }
  }
  if (changed) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::passes
