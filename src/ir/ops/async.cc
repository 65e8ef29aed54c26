// Operations in two or three steps: the start begins the work, the done waits for its result.
// Between them goes a tuple of the operands, the result and whatever the implementation adds.
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

bool IsAsyncContext(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes_size() >= 2 && shape.tuple_shapes(0).IsTuple();
}

std::vector<const Shape*> Elements(const Shape& tuple) {
  std::vector<const Shape*> elements;
  for (const Shape& element : tuple.tuple_shapes()) elements.push_back(&element);
  return elements;
}

// The computation, where there is one, takes what is in element 0 of the tuple and gives element 1.
absl::Status ExpectWrappedComputation(const OpDescription& op, int number, const Shape& context) {
  if (op.callees.empty()) return absl::OkStatus();
  HILO_RETURN_IF_ERROR(ExpectCalleeParameters(op, number, 0, Elements(context.tuple_shapes(0))));
  return ExpectCalleeResult(op, number, 0, context.tuple_shapes(1));
}

}  // namespace

absl::StatusOr<Shape> AsyncStart(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, IsAsyncContext(*declared), "the result must be ((operands), result, ...)");
  Shape operands(TUPLE);
  for (const Shape* operand : op.operands) *operands.add_tuple_shapes() = *operand;
  HILO_RULE(2, ShapesAgree(declared->tuple_shapes(0), operands),
            "element 0 of the result must have the operands %s", Text(operands));
  HILO_RETURN_IF_ERROR(ExpectWrappedComputation(op, 3, *declared));
  HILO_RETURN_IF_ERROR(
      ExpectAliasing(op, 4, op.As<AsyncAttributes>().output_to_operand_aliasing, *declared));
  return *declared;
}

absl::StatusOr<Shape> AsyncUpdate(const OpDescription& op) {
  HILO_RULE(1, IsAsyncContext(op.operand(0)), "the operand must be ((operands), result, ...)");
  HILO_RETURN_IF_ERROR(ExpectWrappedComputation(op, 2, op.operand(0)));
  return Result(op, op.operand(0));
}

absl::StatusOr<Shape> AsyncDone(const OpDescription& op) {
  HILO_RULE(1, IsAsyncContext(op.operand(0)), "the operand must be ((operands), result, ...)");
  HILO_RETURN_IF_ERROR(ExpectWrappedComputation(op, 2, op.operand(0)));
  return Result(op, op.operand(0).tuple_shapes(1));
}

absl::StatusOr<Shape> CopyStart(const OpDescription& op) {
  return Result(op, Shape(std::vector<Shape>{op.operand(0), op.operand(0), Shape(U32, {})}));
}

absl::StatusOr<Shape> CopyDone(const OpDescription& op) {
  const Shape& context = op.operand(0);
  HILO_RULE(1,
            context.IsTuple() && context.tuple_shapes_size() == 3 &&
                ShapesAgree(context.tuple_shapes(0), context.tuple_shapes(1)),
            "the operand must be (destination, source, u32[])");
  return Result(op, context.tuple_shapes(0));
}

}  // namespace xla::shape_rules
