#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
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
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
  for (const HloInstruction* instruction : map.to_apply()->MakeInstructionPostOrder()) {
    HloInstruction*& clone = clones[instruction];
    if (instruction->opcode() == HloOpcode::kParameter) {
      clone = map.mutable_operand(instruction->parameter_number());
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands()) {
      const bool is_scalar = instruction->opcode() == HloOpcode::kRng;
      operands.push_back(is_scalar ? builder.Add(operand->Clone("")) : clones.at(operand));
    }
    if (instruction->opcode() == HloOpcode::kConstant) {
      clone = builder.Broadcast(builder.Add(instruction->Clone("")), map.shape().dimensions());
    } else {
      Shape shape = map.shape();
      shape.set_element_type(instruction->shape().element_type());
      clone = builder.Add(instruction->CloneWithNewOperands(shape, operands));
    }
  }
  return clones.at(map.to_apply()->root_instruction());
}

}  // namespace

absl::StatusOr<bool> ExpandMaps(HloModule& module) { return ReplaceEach(module, ExpandMap); }

}  // namespace xla::passes
