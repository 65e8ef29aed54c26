#include <vector>

#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// What stands in the places of contexts, which nobody reads.
HloInstruction* Zeros(GraphBuilder& builder, const Shape& shape) {
  if (shape.IsToken()) return builder.Add(HloInstruction::CreateToken());
  if (!shape.IsTuple()) return builder.Constant(Literal::CreateFromShape(shape));
  std::vector<HloInstruction*> parts;
  for (const Shape& part : shape.tuple_shapes()) parts.push_back(Zeros(builder, part));
  return builder.Tuple(parts);
}

// `parts`, and zeros for the rest of a tuple of the shape.
HloInstruction* FillTuple(GraphBuilder& builder, std::vector<HloInstruction*> parts,
                          const Shape& shape) {
  for (int i = static_cast<int>(parts.size()); i < shape.tuple_shapes_size(); ++i)
    parts.push_back(Zeros(builder, shape.tuple_shapes(i)));
  return builder.Tuple(parts);
}

absl::StatusOr<HloInstruction*> Expand(HloInstruction& instruction) {
  GraphBuilder builder(instruction);
  switch (instruction.opcode()) {
    case HloOpcode::kAsyncStart: {
      HloComputation* wrapped = instruction.called_computations()[0];
      HloInstruction* call = builder.Add(HloInstruction::CreateCall(
          wrapped->root_instruction()->shape(), instruction.operands(), wrapped));
      return FillTuple(builder, {builder.Tuple(instruction.operands()), call}, instruction.shape());
    }
    case HloOpcode::kAsyncDone:
      return builder.Part(instruction.mutable_operand(0), 1);
    case HloOpcode::kCopyStart:
      return FillTuple(builder, {instruction.mutable_operand(0), instruction.mutable_operand(0)},
                       instruction.shape());
    case HloOpcode::kCopyDone:
      return builder.Part(instruction.mutable_operand(0), 0);
    case HloOpcode::kAsyncUpdate:
      return instruction.mutable_operand(0);
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> ExpandAsync(HloModule& module) { return ReplaceEach(module, Expand); }

}  // namespace xla::passes
