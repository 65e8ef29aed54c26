#include <vector>

#include "base/status_macros.h"
#include "ir/copy_instructions.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "passes/simplify/inline.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

absl::StatusOr<HloInstruction*> CloneInto(HloComputation& caller, const HloComputation& callee,
                                          absl::Span<HloInstruction* const> arguments) {
  // The callee may be the caller itself.
  const auto instructions = callee.MakeInstructionPostOrder();
  const CopiedInstructions clones = CopyInstructions(
      callee, arguments,
      [&](const HloInstruction& instruction, absl::Span<HloInstruction* const> operands) {
        // What is taken out of a tuple is known where the tuple is.
        if (instruction.opcode() == HloOpcode::kGetTupleElement &&
            operands[0]->opcode() == HloOpcode::kTuple && !instruction.HasControlDependencies() &&
            !instruction.operand(0)->HasControlDependencies()) {
          return operands[0]->mutable_operand(instruction.tuple_index());
        }
        return caller.AddInstruction(
            instruction.CloneWithNewOperands(instruction.shape(), operands));
      });
  for (const HloInstruction* instruction : instructions) {
    if (instruction->opcode() == HloOpcode::kParameter || instruction->IsMarkedAsDead()) continue;
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      HILO_RETURN_IF_ERROR(clones.at(predecessor)->AddControlDependencyTo(clones.at(instruction)));
    }
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
