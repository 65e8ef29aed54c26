// Operations that work on each element, or on pairs or triples of elements, on their own.
#include "ir/ops/rule.h"
#include "xla/comparison_util.h"
#include "xla/primitive_util.h"

namespace xla::shape_rules {
namespace {

absl::StatusOr<Shape> Unary(const OpDescription& op, bool (*is_allowed)(PrimitiveType),
                            absl::string_view allowed) {
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  HILO_RETURN_IF_ERROR(ExpectElementType(op, 2, 0, is_allowed, allowed));
  return Result(op, op.operand(0));
}

// Two arrays of the same dimensions and, but for precision, element type.
absl::StatusOr<Shape> Binary(const OpDescription& op, bool (*is_allowed)(PrimitiveType),
                             absl::string_view allowed) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 2, 0, 1));
  HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 3, 0, 1));
  HILO_RETURN_IF_ERROR(ExpectElementType(op, 4, 0, is_allowed, allowed));
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  return Result(op, MergeDimensions(lhs, rhs, ShapeUtil::HigherPrecisionElementType(lhs, rhs)));
}

PrimitiveType RealType(PrimitiveType type) {
  return primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
}

bool IsComplexPart(PrimitiveType type) { return type == F32 || type == F64; }

}  // namespace

absl::StatusOr<Shape> SameAsOperand(const OpDescription& op) { return Result(op, op.operand(0)); }

absl::StatusOr<Shape> UnaryFloat(const OpDescription& op) {
  return Unary(op, IsFloat, "floating-point");
}

absl::StatusOr<Shape> UnaryFloatOrComplex(const OpDescription& op) {
  return Unary(op, IsFloatOrComplex, "floating-point or complex");
}

absl::StatusOr<Shape> UnaryInteger(const OpDescription& op) {
  return Unary(op, IsInteger, "an integer type");
}

absl::StatusOr<Shape> UnaryIntegerOrPred(const OpDescription& op) {
  return Unary(op, IsIntegerOrPred, "an integer type or pred");
}

absl::StatusOr<Shape> UnaryNumber(const OpDescription& op) {
  return Unary(op, IsNumber, "an integer, floating-point or complex type");
}

absl::StatusOr<Shape> UnaryAbs(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(
      const Shape same,
      Unary(op, IsSignedNumber, "a signed integer, floating-point or complex type"));
  return WithElementType(same, RealType(same.element_type()));
}

absl::StatusOr<Shape> RealOrImag(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape same, UnaryFloatOrComplex(op));
  return WithElementType(same, RealType(same.element_type()));
}

absl::StatusOr<Shape> IsFinite(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape same, UnaryFloat(op));
  return WithElementType(same, PRED);
}

absl::StatusOr<Shape> ReducePrecision(const OpDescription& op) {
  const auto& attributes = op.As<ReducePrecisionAttributes>();
  HILO_ASSIGN_OR_RETURN(const Shape result, UnaryFloat(op));
  HILO_RULE(3, attributes.exponent_bits >= 1, "exponent_bits=%d must be at least 1",
            attributes.exponent_bits);
  HILO_RULE(4, attributes.mantissa_bits >= 0, "mantissa_bits=%d must not be negative",
            attributes.mantissa_bits);
  return result;
}

absl::StatusOr<Shape> BinaryFloatOrComplex(const OpDescription& op) {
  return Binary(op, IsFloatOrComplex, "floating-point or complex");
}

absl::StatusOr<Shape> BinaryInteger(const OpDescription& op) {
  return Binary(op, IsInteger, "an integer type");
}

absl::StatusOr<Shape> BinaryIntegerOrPred(const OpDescription& op) {
  return Binary(op, IsIntegerOrPred, "an integer type or pred");
}

absl::StatusOr<Shape> BinaryNumber(const OpDescription& op) {
  return Binary(op, IsNumber, "an integer, floating-point or complex type");
}

absl::StatusOr<Shape> BinaryReal(const OpDescription& op) {
  return Binary(op, IsReal, "an integer or floating-point type");
}

absl::StatusOr<Shape> BinaryNumberOrPred(const OpDescription& op) {
  return Binary(op, IsNumberOrPred, "an integer, floating-point or complex type or pred");
}

absl::StatusOr<Shape> Complex(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape part, Binary(op, IsComplexPart, "f32 or f64"));
  return WithElementType(part, primitive_util::ComplexType(part.element_type()));
}

absl::StatusOr<Shape> Compare(const OpDescription& op) {
  const auto& attributes = op.As<CompareAttributes>();
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 2, 0, 1));
  HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 3, 0, 1));
  const PrimitiveType type = op.operand(0).element_type();
  const auto direction = static_cast<ComparisonDirection>(attributes.direction);
  HILO_RULE(4,
            !primitive_util::IsComplexType(type) || direction == ComparisonDirection::kEq ||
                direction == ComparisonDirection::kNe,
            "complex numbers have no order: direction must be EQ or NE");
  if (attributes.type.has_value()) {
    const auto order = static_cast<Comparison::Type>(*attributes.type);
    const Comparison::Type usual = Comparison::DefaultComparisonType(type);
    HILO_RULE(5, order == usual || (IsFloat(type) && order == Comparison::Type::kFloatTotalOrder),
              "type does not go with the element type %s",
              primitive_util::LowercasePrimitiveTypeName(type));
  }
  return Result(op, MergeDimensions(op.operand(0), op.operand(1), PRED));
}

absl::StatusOr<Shape> Clamp(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& operand = op.operand(1);
  for (int bound : {0, 2}) {
    HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 2, 1, bound));
    const Shape& shape = op.operand(bound);
    HILO_RULE(3, IsScalar(shape) || DimensionsAgree(shape, operand),
              "%s must be a scalar or have the dimensions of the operand",
              bound == 0 ? "min" : "max");
  }
  return Result(op, operand);
}

absl::StatusOr<Shape> Select(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 4));
  const Shape& pred = op.operand(0);
  const Shape& on_true = op.operand(1);
  const Shape& on_false = op.operand(2);
  HILO_RULE(1, ShapesAgree(on_true, on_false, op.allow_mixed_precision),
            "on_true and on_false must have the same shape");
  HILO_RULE(2, pred.element_type() == PRED, "the element type of operand 0 must be pred");
  HILO_RULE(3, IsScalar(pred) || DimensionsAgree(pred, on_true),
            "pred must be a scalar or have the dimensions of on_true");
  const PrimitiveType type = ShapeUtil::HigherPrecisionElementType(on_true, on_false);
  Shape merged = MergeDimensions(on_true, on_false, type);
  if (!IsScalar(pred)) merged = MergeDimensions(merged, pred, type);
  return Result(op, std::move(merged));
}

}  // namespace xla::shape_rules
