#include <vector>

#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"

namespace xla::passes {
namespace {

// The scalar predicate chooses between arrays, part by part.
HloInstruction* SelectParts(GraphBuilder& builder, HloInstruction* predicate, HloInstruction* x,
                            HloInstruction* y) {
  if (!x->shape().IsTuple()) {
    return builder.Add(
        HloInstruction::CreateTernary(x->shape(), HloOpcode::kSelect, predicate, x, y));
  }
  std::vector<HloInstruction*> parts;
  for (int64_t i = 0; i < x->shape().tuple_shapes_size(); ++i)
    parts.push_back(SelectParts(builder, predicate, builder.Part(x, i), builder.Part(y, i)));
  return builder.Tuple(parts);
}

absl::StatusOr<HloInstruction*> ExpandTupleInstruction(HloInstruction& instruction) {
  if (!instruction.shape().IsTuple()) return nullptr;
  if (instruction.opcode() == HloOpcode::kCopy) return instruction.mutable_operand(0);
  if (instruction.opcode() != HloOpcode::kSelect) return nullptr;
  GraphBuilder builder(instruction);
  return SelectParts(builder, instruction.mutable_operand(0), instruction.mutable_operand(1),
                     instruction.mutable_operand(2));
}

}  // namespace

absl::StatusOr<bool> ExpandTupleOperations(HloModule& module) {
  return ReplaceEach(module, ExpandTupleInstruction);
}

}  // namespace xla::passes
