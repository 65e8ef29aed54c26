// Operations that run called computations as a whole.
#include <algorithm>

#include "ir/ops/rule.h"

namespace xla::shape_rules {

absl::StatusOr<Shape> Call(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectCalleeParameters(op, 1, 0, op.operands));
  const Shape& result = op.callees[0]->result();
  HILO_RETURN_IF_ERROR(
      ExpectAliasing(op, 2, op.As<CallAttributes>().output_to_operand_aliasing, result));
  return Result(op, result);
}

// There may be operands that the computation does not use.
absl::StatusOr<Shape> Fusion(const OpDescription& op) {
  const size_t parameters = op.callees[0]->parameters_size();
  HILO_RETURN_IF_ERROR(ExpectCalleeParameters(
      op, 1, 0, op.operands.subspan(0, std::min(op.operands.size(), parameters))));
  const Shape& result = op.callees[0]->result();
  HILO_RETURN_IF_ERROR(
      ExpectAliasing(op, 2, op.As<FusionAttributes>().output_to_operand_aliasing, result));
  return Result(op, result);
}

absl::StatusOr<Shape> While(const OpDescription& op) {
  constexpr int kBody = 0;
  constexpr int kCondition = 1;
  HILO_RETURN_IF_ERROR(ExpectCalleeParameters(op, 1, kCondition, op.operands));
  HILO_RULE(2, ShapeUtil::IsScalarWithElementType(op.callees[kCondition]->result(), PRED),
            "the condition must give pred[]");
  HILO_RETURN_IF_ERROR(ExpectCalleeParameters(op, 3, kBody, op.operands));
  HILO_RETURN_IF_ERROR(ExpectCalleeResult(op, 4, kBody, op.operand(0)));
  return Result(op, op.operand(0));
}

absl::StatusOr<Shape> Conditional(const OpDescription& op) {
  const Shape& selector = op.operand(0);
  const int branches = static_cast<int>(op.callees.size());
  HILO_RULE(
      1, IsScalar(selector) && (selector.element_type() == PRED || selector.element_type() == S32),
      "operand 0 must be pred[] or s32[]");
  HILO_RULE(2, branches >= 1, "there must be a branch");
  HILO_RULE(2, selector.element_type() == S32 || branches == 2,
            "with a pred there must be two branches, not %d", branches);
  HILO_RULE(3, static_cast<int>(op.operands.size()) == branches + 1,
            "there must be one operand for each of the %d branches", branches);
  for (int i = 0; i < branches; ++i) {
    HILO_RETURN_IF_ERROR(ExpectCalleeParameters(op, 4, i, op.operands.subspan(i + 1, 1)));
    HILO_RETURN_IF_ERROR(ExpectCalleeResult(op, 5, i, op.callees[0]->result()));
  }
  return Result(op, op.callees[0]->result());
}

}  // namespace xla::shape_rules
