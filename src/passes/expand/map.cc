#include <vector>

#include "absl/algorithm/container.h"
#include "ir/copy_instructions.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Random numbers of a distribution that is the same for all elements.
bool IsIndependentRng(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kRng &&
         absl::c_all_of(instruction.operands(), [](const HloInstruction* operand) {
           return operand->opcode() == HloOpcode::kConstant;
         });
}

// Functions of elements only: the same operations on arrays do the same.
bool IsElementwiseFunction(const HloComputation& function) {
  for (const HloInstruction* instruction : function.instructions()) {
    if (instruction->shape().IsTuple() || instruction->shape().dimensions_size() != 0) return false;
    if (instruction->opcode() != HloOpcode::kParameter &&
        instruction->opcode() != HloOpcode::kConstant && !IsIndependentRng(*instruction) &&
        (!instruction->IsElementwise() || instruction->opcode() == HloOpcode::kMap)) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<HloInstruction*> ExpandMap(HloInstruction& map) {
  if (map.opcode() != HloOpcode::kMap || !IsElementwiseFunction(*map.to_apply())) return nullptr;
  GraphBuilder builder(map);
  const CopiedInstructions clones = CopyInstructions(
      *map.to_apply(), map.mutable_operands(),
      [&](const HloInstruction& instruction, absl::Span<HloInstruction* const> operands) {
        if (instruction.opcode() == HloOpcode::kConstant)
          return builder.Broadcast(builder.Add(instruction.Clone("")), map.shape().dimensions());
        std::vector<HloInstruction*> own(operands.begin(), operands.end());
        if (instruction.opcode() == HloOpcode::kRng) {  // whose bounds are scalars
          own.clear();
          for (const HloInstruction* bound : instruction.operands())
            own.push_back(builder.Add(bound->Clone("")));
        }
        Shape shape = map.shape();
        shape.set_element_type(instruction.shape().element_type());
        return builder.Add(instruction.CloneWithNewOperands(shape, own));
      });
  return clones.at(map.to_apply()->root_instruction());
}

}  // namespace

absl::StatusOr<bool> ExpandMaps(HloModule& module) { return ReplaceEach(module, ExpandMap); }

}  // namespace xla::passes
