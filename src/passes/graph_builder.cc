#include "passes/graph_builder.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "ir/copy_instructions.h"
#include "passes/reducer.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal_util.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla::passes {
namespace {

Shape WithType(const Shape& shape, PrimitiveType type) {
  Shape result = shape;
  result.set_element_type(type);
  return result;
}

}  // namespace

HloInstruction* ConvertTo(const Shape& shape, HloInstruction* value,
                          absl::FunctionRef<HloInstruction*(std::unique_ptr<HloInstruction>)> add) {
  if (ShapeUtil::Compatible(shape, value->shape())) return value;
  if (!shape.IsTuple()) return add(HloInstruction::CreateConvert(shape, value));
  std::vector<HloInstruction*> parts;
  for (int64_t i = 0; i < shape.tuple_shapes_size(); ++i) {
    HloInstruction* const part =
        add(HloInstruction::CreateGetTupleElement(value->shape().tuple_shapes(i), value, i));
    parts.push_back(ConvertTo(shape.tuple_shapes(i), part, add));
  }
  return add(HloInstruction::CreateTuple(parts));
}

HloComputation* MakeScalarFunction(HloModule& module, HloOpcode opcode, PrimitiveType type) {
  const Shape scalar = ShapeUtil::MakeShape(type, {});
  HloComputation::Builder builder(HloOpcodeString(opcode));
  HloInstruction* x = builder.AddInstruction(HloInstruction::CreateParameter(0, scalar, "x"));
  HloInstruction* y = builder.AddInstruction(HloInstruction::CreateParameter(1, scalar, "y"));
  builder.AddInstruction(HloInstruction::CreateBinary(scalar, opcode, x, y));
  return module.AddEmbeddedComputation(builder.Build());
}

HloInstruction* GraphBuilder::Add(std::unique_ptr<HloInstruction> instruction) {
  instruction->set_metadata(origin_.metadata());
  return origin_.parent()->AddInstruction(std::move(instruction));
}

HloInstruction* GraphBuilder::Constant(Literal literal) {
  return Add(HloInstruction::CreateConstant(std::move(literal)));
}

HloInstruction* GraphBuilder::Number(PrimitiveType type, double number) {
  return Constant(LiteralUtil::CreateR0<double>(type, number));
}

HloInstruction* GraphBuilder::Bits(PrimitiveType unsigned_type, uint64_t bits) {
  return Constant(LiteralUtil::CreateR0<uint64_t>(unsigned_type, bits));
}

HloInstruction* GraphBuilder::Iota(PrimitiveType type, absl::Span<const int64_t> sizes,
                                   int64_t dimension) {
  return Add(HloInstruction::CreateIota(ShapeUtil::MakeShape(type, sizes), dimension));
}

void GraphBuilder::Agree(absl::Span<HloInstruction*> operands) {
  const auto shaped = absl::c_find_if(operands, [](const HloInstruction* operand) {
    return operand->shape().dimensions_size() != 0;
  });
  if (shaped == operands.end()) return;
  const Shape shape = (*shaped)->shape();
  for (HloInstruction*& operand : operands) {
    if (operand->shape().dimensions_size() == 0) operand = Broadcast(operand, shape.dimensions());
  }
}

HloInstruction* GraphBuilder::Unary(HloOpcode opcode, HloInstruction* x) {
  return Add(HloInstruction::CreateUnary(x->shape(), opcode, x));
}

HloInstruction* GraphBuilder::Binary(HloOpcode opcode, HloInstruction* x, HloInstruction* y) {
  HloInstruction* operands[] = {x, y};
  Agree(absl::MakeSpan(operands));
  return Add(HloInstruction::CreateBinary(operands[0]->shape(), opcode, operands[0], operands[1]));
}

HloInstruction* GraphBuilder::Compare(Comparison::Direction direction, HloInstruction* x,
                                      HloInstruction* y) {
  HloInstruction* operands[] = {x, y};
  Agree(absl::MakeSpan(operands));
  return Add(HloInstruction::CreateCompare(WithType(operands[0]->shape(), PRED), operands[0],
                                           operands[1], direction));
}

HloInstruction* GraphBuilder::Select(HloInstruction* predicate, HloInstruction* x,
                                     HloInstruction* y) {
  HloInstruction* operands[] = {predicate, x, y};
  Agree(absl::MakeSpan(operands));
  return Add(HloInstruction::CreateTernary(operands[1]->shape(), HloOpcode::kSelect, operands[0],
                                           operands[1], operands[2]));
}

HloInstruction* GraphBuilder::Convert(HloInstruction* x, PrimitiveType type) {
  if (x->shape().element_type() == type) return x;
  return Add(HloInstruction::CreateConvert(WithType(x->shape(), type), x));
}

HloInstruction* GraphBuilder::BitcastConvert(HloInstruction* x, PrimitiveType type) {
  if (x->shape().element_type() == type) return x;
  return Add(HloInstruction::CreateBitcastConvert(WithType(x->shape(), type), x));
}

HloInstruction* GraphBuilder::Reshape(HloInstruction* x, absl::Span<const int64_t> sizes) {
  if (absl::c_equal(x->shape().dimensions(), sizes)) return x;
  return Add(
      HloInstruction::CreateReshape(ShapeUtil::MakeShape(x->shape().element_type(), sizes), x));
}

HloInstruction* GraphBuilder::Transpose(HloInstruction* x, absl::Span<const int64_t> permutation) {
  if (IsIdentityPermutation(permutation)) return x;
  std::vector<int64_t> sizes;
  for (int64_t d : permutation) sizes.push_back(x->shape().dimensions(d));
  return Add(HloInstruction::CreateTranspose(ShapeUtil::MakeShape(x->shape().element_type(), sizes),
                                             x, permutation));
}

HloInstruction* GraphBuilder::Broadcast(HloInstruction* x, absl::Span<const int64_t> sizes,
                                        absl::Span<const int64_t> dimensions) {
  // Dimensions that stand in order are all of them where there are no others.
  if (x->shape().is_static() && absl::c_equal(x->shape().dimensions(), sizes) &&
      absl::c_is_sorted(dimensions))
    return x;
  return Add(HloInstruction::CreateBroadcast(ShapeUtil::MakeShape(x->shape().element_type(), sizes),
                                             x, dimensions));
}

HloInstruction* GraphBuilder::Element(HloInstruction* vector, int64_t index) {
  const PrimitiveType type = vector->shape().element_type();
  return Reshape(Add(HloInstruction::CreateSlice(ShapeUtil::MakeShape(type, {1}), vector, {index},
                                                 {index + 1}, {1})),
                 {});
}

HloInstruction* GraphBuilder::Part(HloInstruction* tuple, int64_t index) {
  return Add(HloInstruction::CreateGetTupleElement(tuple, index));
}

HloInstruction* GraphBuilder::Tuple(absl::Span<HloInstruction* const> parts) {
  return Add(HloInstruction::CreateTuple(parts));
}

HloInstruction* GraphBuilder::Sum(HloInstruction* x, absl::Span<const int64_t> dimensions) {
  const PrimitiveType type = x->shape().element_type();
  return Add(HloInstruction::CreateReduce(
      ShapeUtil::DeleteDimensions(dimensions, x->shape()), x, Constant(LiteralUtil::Zero(type)),
      dimensions, MakeScalarFunction(*origin_.GetModule(), HloOpcode::kAdd, type)));
}

HloInstruction* GraphBuilder::Running(HloOpcode opcode, HloInstruction* x) {
  const PrimitiveType type = x->shape().element_type();
  const int last = x->shape().dimensions_size() - 1;
  const int64_t count = x->shape().dimensions(last);
  Window window = window_util::MakeWindow(std::vector<int64_t>(last + 1, 1));
  window.mutable_dimensions(last)->set_size(count);
  window.mutable_dimensions(last)->set_padding_low(count - 1);
  return Add(HloInstruction::CreateReduceWindow(
      x->shape(), x, Constant(*NeutralElement(opcode, type)), window,
      MakeScalarFunction(*origin_.GetModule(), opcode, type)));
}

std::vector<HloInstruction*> CopyInto(HloComputation::Builder& builder,
                                      const HloComputation& function,
                                      absl::Span<HloInstruction* const> parameters) {
  const HloInstruction* root = function.root_instruction();
  const bool is_tuple = root->opcode() == HloOpcode::kTuple;
  std::vector<HloInstruction*> results;
  const CopiedInstructions copies =
      CopyInstructions(function, parameters,
                       [&](const HloInstruction& instruction,
                           absl::Span<HloInstruction* const> operands) -> HloInstruction* {
                         if (is_tuple && &instruction == root) {
                           results.assign(operands.begin(), operands.end());
                           return nullptr;
                         }
                         return builder.AddInstruction(
                             instruction.CloneWithNewOperands(instruction.shape(), operands));
                       });
  return is_tuple ? results : std::vector{copies.at(root)};
}

}  // namespace xla::passes
