#include "ir/copy_instructions.h"

#include <vector>

namespace xla {

CopiedInstructions CopyInstructions(
    const HloComputation& computation, absl::Span<HloInstruction* const> arguments,
    absl::FunctionRef<HloInstruction*(const HloInstruction& instruction,
                                      absl::Span<HloInstruction* const> operands)>
        copy) {
  CopiedInstructions copies;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (instruction->IsMarkedAsDead()) continue;
    if (instruction->opcode() == HloOpcode::kParameter) {
      copies[instruction] = arguments[instruction->parameter_number()];
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands())
      operands.push_back(copies.at(operand));
    HloInstruction* copied = copy(*instruction, operands);
    copies[instruction] = copied;
  }
  return copies;
}

}  // namespace xla
