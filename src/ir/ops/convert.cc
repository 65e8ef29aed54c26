// Operations that change the element type.
#include "ir/ops/rule.h"
#include "xla/primitive_util.h"

namespace xla::shape_rules {

using primitive_util::IsComplexType;

absl::StatusOr<Shape> Convert(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  const Shape& operand = op.operand(0);
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  HILO_RULE(2, declared->IsArrayExcludingBuffer() && DimensionsAgree(operand, *declared),
            "the result must be an array with the dimensions of the operand");
  HILO_RULE(3, !IsComplexType(operand.element_type()) || IsComplexType(declared->element_type()),
            "a complex number can be converted to a complex type only");
  return Result(op, WithElementType(operand, declared->element_type()));
}

absl::StatusOr<Shape> BitcastConvert(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  HILO_RULE(1, declared->IsArrayExcludingBuffer(), "the result must be an array");
  const Shape& operand = op.operand(0);
  const PrimitiveType from = operand.element_type();
  const PrimitiveType to = declared->element_type();
  HILO_RULE(2, IsComplexType(from) == IsComplexType(to),
            "complex elements can be read as complex elements only");
  const int from_bits = primitive_util::StorageBitWidth(from);
  const int to_bits = primitive_util::StorageBitWidth(to);
  Shape result = WithElementType(operand, to);
  result.clear_layout();
  if (from_bits > to_bits) {
    HILO_RULE(3, from_bits % to_bits == 0, "%d bits cannot be cut into elements of %d bits",
              from_bits, to_bits);
    result.add_dimensions(from_bits / to_bits);
  } else if (from_bits < to_bits) {
    const int rank = operand.dimensions_size();
    HILO_RULE(3,
              rank > 0 && to_bits % from_bits == 0 &&
                  SizesAgree(operand.dimensions(rank - 1), to_bits / from_bits),
              "the last dimension must have the %d/%d elements of one element of the result",
              to_bits, from_bits);
    result.DeleteDimension(rank - 1);
  }
  return Result(op, std::move(result));
}

absl::StatusOr<Shape> StochasticConvert(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& operand = op.operand(0);
  const Shape& random = op.operand(1);
  HILO_RETURN_IF_ERROR(ExpectElementType(op, 2, 0, IsFloat, "floating-point"));
  HILO_RULE(3,
            primitive_util::IsUnsignedIntegralType(random.element_type()) &&
                primitive_util::BitWidth(random.element_type()) ==
                    primitive_util::BitWidth(operand.element_type()),
            "the random bits must be unsigned integers as wide as the elements of operand 0");
  HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 4, 0, 1));
  HILO_RULE(
      5,
      declared->IsArrayExcludingBuffer() && DimensionsAgree(operand, *declared) &&
          (IsFloat(declared->element_type()) || IsInteger(declared->element_type())),
      "the result must have the dimensions of operand 0 and an integer or floating-point type");
  return Result(op, WithElementType(operand, declared->element_type()));
}

}  // namespace xla::shape_rules
