// Operations in two or three steps: the start begins the work, the done waits for its result.
#include "ir/async.h"
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

Shape OperandsOf(const OpDescription& op, Shape first, size_t from) {
  for (size_t i = from; i < op.operands.size(); ++i) *first.add_tuple_shapes() = *op.operands[i];
  return first;
}

// The computation, where there is one, takes what the context has of operands, and perhaps more,
// and gives its element 1, which may be left open.
absl::Status ExpectWrappedComputation(const OpDescription& op, int number, const Shape& context) {
  if (op.callees.empty()) return absl::OkStatus();
  const ProgramShape& wrapped = *op.callees[0];
  const Shape& operands = context.tuple_shapes(0);
  HILO_RULE(number, operands.tuple_shapes_size() <= wrapped.parameters_size(),
            "there are %d operands for a computation of %d parameters",
            operands.tuple_shapes_size(), wrapped.parameters_size());
  for (int i = 0; i < operands.tuple_shapes_size(); ++i) {
    HILO_RULE(number, ShapesAgree(wrapped.parameters(i), operands.tuple_shapes(i)),
              "parameter %d of the called computation must have the shape %s, not %s", i,
              Text(operands.tuple_shapes(i)), Text(wrapped.parameters(i)));
  }
  if (ShapeUtil::IsEmptyTuple(context.tuple_shapes(1))) return absl::OkStatus();
  return ExpectCalleeResult(op, number, 0, context.tuple_shapes(1));
}

}  // namespace

absl::StatusOr<Shape> AsyncStart(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, IsAsyncContext(*declared), "the result must be ((operands), result, ...)");
  const Shape operands = OperandsOf(op, Shape(TUPLE), 0);
  HILO_RULE(2, ShapesAgree(declared->tuple_shapes(0), operands),
            "element 0 of the result must have the operands %s", Text(operands));
  HILO_RETURN_IF_ERROR(ExpectWrappedComputation(op, 3, *declared));
  HILO_RETURN_IF_ERROR(
      ExpectAliasing(op, 4, op.As<AsyncAttributes>().output_to_operand_aliasing, *declared));
  return *declared;
}

absl::StatusOr<Shape> AsyncUpdate(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, IsAsyncContext(op.operand(0)) && IsAsyncContext(*declared),
            "operand 0 and the result must be ((operands), result, ...)");
  HILO_RETURN_IF_ERROR(ExpectWrappedComputation(op, 2, *declared));
  const Shape operands = OperandsOf(op, op.operand(0).tuple_shapes(0), 1);
  HILO_RULE(3, ShapesAgree(declared->tuple_shapes(0), operands),
            "element 0 of the result must have the operands %s", Text(operands));
  Shape context = op.operand(0);
  *context.mutable_tuple_shapes(0) = operands;
  if (ShapeUtil::IsEmptyTuple(context.tuple_shapes(1))) {
    *context.mutable_tuple_shapes(1) = declared->tuple_shapes(1);
  }
  HILO_RULE(4, ShapesAgree(*declared, context),
            "the elements of the result must be those of operand 0");
  HILO_RETURN_IF_ERROR(
      ExpectAliasing(op, 9, op.As<AsyncAttributes>().output_to_operand_aliasing, *declared));
  return *declared;
}

absl::StatusOr<Shape> AsyncDone(const OpDescription& op) {
  const Shape& context = op.operand(0);
  HILO_RULE(1, IsAsyncContext(context), "the operand must be ((operands), result, ...)");
  HILO_RETURN_IF_ERROR(ExpectWrappedComputation(op, 2, context));
  if (op.callees.empty()) return Result(op, context.tuple_shapes(1));
  HILO_RULE(3, context.tuple_shapes(0).tuple_shapes_size() == op.callees[0]->parameters_size(),
            "the called computation has %d parameters, but there are %d operands",
            op.callees[0]->parameters_size(), context.tuple_shapes(0).tuple_shapes_size());
  return Result(op, op.callees[0]->result());
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
