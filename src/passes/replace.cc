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

using Instructions = HloComputation::InstructionRange;

// Side effects among what a computation has got since `added` was its end take over the place of
// the one that they stand for.
absl::Status HandOnPlace(HloComputation& computation, Instructions::Iterator added,
                         HloInstruction& old_instruction) {
  if (!old_instruction.HasControlDependencies()) return absl::OkStatus();
  std::vector<HloInstruction*> effects;
  for (; added != computation.instructions().end(); ++added) {
    if ((*added)->HasSideEffect()) effects.push_back(*added);
  }
  return TakeOverOrder(effects, old_instruction);
}

absl::StatusOr<bool> ReplaceIn(
    absl::Span<HloComputation* const> computations, HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement) {
  bool changed = false;
  for (HloComputation* computation : computations) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      const auto end = computation->instructions().end();
      HILO_ASSIGN_OR_RETURN(HloInstruction * replaced, replacement(*instruction));
      // It may have begun to write something.
      changed |= computation->instructions().end() != end;
      if (replaced == nullptr) continue;
      HILO_RETURN_IF_ERROR(HandOnPlace(*computation, end, *instruction));
      HILO_RETURN_IF_ERROR(TakeOver(*replaced, *instruction));
      instruction->CutOff();
      instruction->MarkAsDead();
      changed = true;
    }
  }
  if (changed) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return changed;
}

}  // namespace

absl::StatusOr<bool> ReplaceEach(
    HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement) {
  return ReplaceIn(module.MakeNonfusionComputations(), module, replacement);
}

absl::StatusOr<bool> ReplaceEverywhere(
    HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement) {
  return ReplaceIn(module.MakeComputationPostOrder(), module, replacement);
}

}  // namespace xla::passes
