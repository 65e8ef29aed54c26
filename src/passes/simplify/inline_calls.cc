#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "passes/simplify/inline.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

absl::StatusOr<HloInstruction*> CloneInto(HloComputation& caller, const HloComputation& callee,
                                          absl::Span<HloInstruction* const> arguments) {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
  for (const HloInstruction* instruction : callee.MakeInstructionPostOrder()) {
    if (instruction->IsMarkedAsDead()) continue;
    if (instruction->opcode() == HloOpcode::kParameter) {
      clones[instruction] = arguments[instruction->parameter_number()];
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands())
      operands.push_back(clones.at(operand));
    HloInstruction* clone =
        caller.AddInstruction(instruction->CloneWithNewOperands(instruction->shape(), operands));
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      HILO_RETURN_IF_ERROR(clones.at(predecessor)->AddControlDependencyTo(clone));
    }
    clones[instruction] = clone;
  }
  return clones.at(callee.root_instruction());
}

absl::StatusOr<bool> InlineCalls(HloModule& module) {
  bool changed = false;
  // Callees come first, so that what is inlined has no calls itself.
  for (HloComputation* computation : module.MakeComputationPostOrder()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kCall && instruction->opcode() != HloOpcode::kFusion)
        continue;
      HILO_ASSIGN_OR_RETURN(
          HloInstruction * result,
          CloneInto(*computation, *instruction->called_computations()[0], instruction->operands()));
      HILO_RETURN_IF_ERROR(TakeOver(*result, *instruction));
      instruction->CutOff();
      instruction->MarkAsDead();
      changed = true;
    }
  }
  if (changed) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::passes
