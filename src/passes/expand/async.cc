#include <vector>

#include "ir/records.h"
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

// The operation that a start begins, as one that is done at once.
HloInstruction* AddCollective(GraphBuilder& builder, const HloInstruction& start, HloOpcode opcode,
                              const Shape& shape) {
  const std::vector<HloComputation*> callees(start.called_computations().begin(),
                                             start.called_computations().end());
  return builder.Add(
      HloInstruction::Create(opcode, shape, start.operands(), start.attributes().Clone(), callees));
}

// (operand or (operands...), result, contexts...)
HloInstruction* BeginCollective(GraphBuilder& builder, const HloInstruction& start,
                                HloOpcode opcode) {
  HloInstruction* result = AddCollective(builder, start, opcode, start.shape().tuple_shapes(1));
  // What is permuted slice by slice has operands of other kinds behind the first.
  const bool is_first_only =
      opcode == HloOpcode::kCollectivePermute &&
      !start.attributes_as<CollectivePermuteAttributes>().slice_sizes.empty();
  HloInstruction* sent = start.operand_count() == 1 || is_first_only
                             ? start.operands()[0]
                             : builder.Tuple(start.operands());
  // What is declared in its place may be another kind of array.
  const Shape& declared = start.shape().tuple_shapes(0);
  if (!ShapeUtil::Compatible(sent->shape(), declared)) sent = Zeros(builder, declared);
  return FillTuple(builder, {sent, result}, start.shape());
}

absl::StatusOr<HloInstruction*> ExpandAsyncInstruction(HloInstruction& instruction) {
  GraphBuilder builder(instruction);
  switch (instruction.opcode()) {
    case HloOpcode::kAllGatherStart:
      return BeginCollective(builder, instruction, HloOpcode::kAllGather);
    case HloOpcode::kCollectivePermuteStart:
      return BeginCollective(builder, instruction, HloOpcode::kCollectivePermute);
    case HloOpcode::kAllReduceStart:
      return AddCollective(builder, instruction, HloOpcode::kAllReduce, instruction.shape());
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kCollectivePermuteDone:
      return builder.Part(instruction.mutable_operand(0), 1);
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
    case HloOpcode::kAllReduceDone:
      return instruction.mutable_operand(0);
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> ExpandAsync(HloModule& module) {
  return ReplaceEach(module, ExpandAsyncInstruction);
}

}  // namespace xla::passes
