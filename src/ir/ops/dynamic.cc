// Sizes that are known at run time.
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

absl::Status ExpectDimensionOfOperand(const OpDescription& op) {
  const int64_t dimension = op.As<OneDimensionAttributes>().dimension;
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  HILO_RULE(2, 0 <= dimension && dimension < op.operand(0).dimensions_size(),
            "dimensions={%d} is not within the rank of operand 0", dimension);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> GetDimensionSize(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectDimensionOfOperand(op));
  return Result(op, Shape(S32, {}));
}

absl::StatusOr<Shape> SetDimensionSize(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectDimensionOfOperand(op));
  HILO_RULE(3, ShapeUtil::IsScalarWithElementType(op.operand(1), S32), "the size must be s32[]");
  Shape result = op.operand(0);
  result.set_dynamic_dimension(static_cast<int>(op.As<OneDimensionAttributes>().dimension), true);
  return Result(op, std::move(result));
}

absl::StatusOr<Shape> DynamicReshape(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& operand = op.operand(0);
  HILO_RULE(2, declared->IsArrayExcludingBuffer() && ShapeUtil::SameElementType(operand, *declared),
            "the result must be an array with the element type of operand 0");
  HILO_RULE(3, static_cast<int>(op.operands.size()) == declared->dimensions_size() + 1,
            "there must be one size for each of the %d dimensions of the result",
            declared->dimensions_size());
  for (int i = 1; i < static_cast<int>(op.operands.size()); ++i) {
    HILO_RULE(4, ShapeUtil::IsScalarWithElementType(op.operand(i), S32),
              "the size in operand %d must be s32[]", i);
  }
  HILO_RULE(5,
            operand.is_unbounded_dynamic() || declared->is_unbounded_dynamic() ||
                ShapeUtil::ElementsIn(operand) == ShapeUtil::ElementsIn(*declared),
            "the result must have room for as many elements as operand 0");
  return Result(op, WithElementType(*declared, operand.element_type()));
}

}  // namespace xla::shape_rules
