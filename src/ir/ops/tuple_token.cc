// Tuples, tokens, and exchange with the host or another computation in order of tokens.
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

Shape TupleOf(std::vector<Shape> elements) { return Shape(std::move(elements)); }

// (data, u32[], token[]): what send and recv give to their done operations.
bool IsTransferContext(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes_size() == 3 &&
         ShapeUtil::IsScalarWithElementType(shape.tuple_shapes(1), U32) &&
         shape.tuple_shapes(2).IsToken();
}

}  // namespace

absl::StatusOr<Shape> Tuple(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectFewParts(op, op.operands));
  std::vector<Shape> elements;
  for (const Shape* operand : op.operands) elements.push_back(*operand);
  return Result(op, Shape(std::move(elements)));
}

absl::StatusOr<Shape> GetTupleElement(const OpDescription& op) {
  const int64_t index = op.As<GetTupleElementAttributes>().index;
  const Shape& operand = op.operand(0);
  HILO_RULE(1, operand.IsTuple(), "the operand must be a tuple");
  HILO_RULE(2, 0 <= index && index < operand.tuple_shapes_size(),
            "index=%d is not within the %d elements of the tuple", index,
            operand.tuple_shapes_size());
  return Result(op, operand.tuple_shapes(static_cast<int>(index)));
}

// Whatever it waits for: tokens or values.
absl::StatusOr<Shape> AfterAll(const OpDescription& op) {
  return Result(op, ShapeUtil::MakeTokenShape());
}

absl::StatusOr<Shape> AddDependency(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectToken(op, 1, 1));
  return Result(op, op.operand(0));
}

absl::StatusOr<Shape> Infeed(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectToken(op, 1, 0));
  HILO_RULE(2,
            declared->IsTuple() && declared->tuple_shapes_size() == 2 &&
                declared->tuple_shapes(1).IsToken(),
            "the result must be a tuple of the data and a token");
  HILO_RULE(3, !ShapeUtil::IsNestedTuple(declared->tuple_shapes(0)),
            "the data must not be a nested tuple");
  return *declared;
}

absl::StatusOr<Shape> Outfeed(const OpDescription& op) {
  const std::optional<Shape>& shape = op.As<OutfeedAttributes>().shape;
  HILO_RETURN_IF_ERROR(ExpectToken(op, 1, 1));
  HILO_RULE(2, !shape.has_value() || ShapesAgree(*shape, op.operand(0)),
            "outfeed_shape=%s is not the shape of operand 0", Text(*shape));
  return ShapeUtil::MakeTokenShape();
}

absl::StatusOr<Shape> Send(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectToken(op, 1, 1));
  return Result(op, TupleOf({op.operand(0), Shape(U32, {}), ShapeUtil::MakeTokenShape()}));
}

absl::StatusOr<Shape> SendDone(const OpDescription& op) {
  HILO_RULE(1, IsTransferContext(op.operand(0)), "the operand must be (data, u32[], token[])");
  return ShapeUtil::MakeTokenShape();
}

absl::StatusOr<Shape> Recv(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectToken(op, 1, 0));
  HILO_RULE(2, IsTransferContext(*declared), "the result must be (data, u32[], token[])");
  return *declared;
}

absl::StatusOr<Shape> RecvDone(const OpDescription& op) {
  const Shape& context = op.operand(0);
  HILO_RULE(1, IsTransferContext(context), "the operand must be (data, u32[], token[])");
  return Result(op, TupleOf({context.tuple_shapes(0), ShapeUtil::MakeTokenShape()}));
}

}  // namespace xla::shape_rules
