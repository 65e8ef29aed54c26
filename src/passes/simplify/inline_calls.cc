#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {
namespace {

// Puts clones of the callee's instructions in place of the call.
absl::Status Inline(HloInstruction& call) {
  HloComputation& caller = *call.parent();
  const HloComputation& callee = *call.called_computations()[0];
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
  for (const HloInstruction* instruction : callee.MakeInstructionPostOrder()) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      clones[instruction] = call.mutable_operand(instruction->parameter_number());
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
  return caller.ReplaceInstruction(&call, clones.at(callee.root_instruction()));
}

}  // namespace

absl::StatusOr<bool> InlineCalls(HloModule& module) {
  bool changed = false;
  // Callees come first, so that what is inlined has no calls itself.
  for (HloComputation* computation : module.MakeComputationPostOrder()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kCall && instruction->opcode() != HloOpcode::kFusion)
        continue;
      HILO_RETURN_IF_ERROR(Inline(*instruction));
      changed = true;
    }
  }
  if (changed) HILO_RETURN_IF_ERROR(module.RemoveUnusedComputations());
  return changed;
}

}  // namespace xla::passes
