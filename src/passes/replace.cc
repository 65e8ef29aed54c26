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

absl::Status TakeOverOrder(absl::Span<HloInstruction* const> effects,
                           HloInstruction& old_instruction) {
  if (effects.empty()) return absl::OkStatus();
  for (HloInstruction* effect : effects)
    HILO_RETURN_IF_ERROR(effect->CopyAllControlDepsFrom(&old_instruction));
  return old_instruction.DropAllControlDeps();
}

namespace {

// Side effects among what a computation has got since it had `count` instructions take over the
// place of the one that they stand for.
absl::Status HandOnPlace(HloComputation& computation, int64_t count,
                         HloInstruction& old_instruction) {
  if (!old_instruction.HasControlDependencies()) return absl::OkStatus();
  std::vector<HloInstruction*> effects;
  int64_t number = 0;
  for (HloInstruction* instruction : computation.instructions()) {
    if (number++ >= count && instruction->HasSideEffect()) effects.push_back(instruction);
  }
  return TakeOverOrder(effects, old_instruction);
}

}  // namespace

absl::StatusOr<bool> ReplaceEach(
    HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      const int64_t count = computation->instruction_count();
      HILO_ASSIGN_OR_RETURN(HloInstruction * replaced, replacement(*instruction));
      // It may have begun to write something.
      changed |= computation->instruction_count() != count;
      if (replaced == nullptr) continue;
      HILO_RETURN_IF_ERROR(HandOnPlace(*computation, count, *instruction));
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
