// Constants of an element type that is known only at run time of the C++ program.
#ifndef XLA_HLO_BUILDER_LIB_CONSTANTS_H_
#define XLA_HLO_BUILDER_LIB_CONSTANTS_H_

#include <cstdint>
#include <type_traits>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/types.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

// The scalar `value` converted to `type`. An error of the builder for types that are no arrays, and
// for complex values of types that are not complex. A real type can be made from integers and
// floating point numbers alike.
template <typename T>
XlaOp ConstantR0WithType(XlaBuilder* builder, PrimitiveType type, T value) {
  if (!primitive_util::IsArrayType(type)) {
    return builder->ReportError(
        InvalidArgument("a constant cannot have type %s", PrimitiveType_Name(type)));
  }
  const PrimitiveType from = primitive_util::NativeToPrimitiveType<T>();
  if (primitive_util::IsComplexType(from) && !primitive_util::IsComplexType(type)) {
    return builder->ReportError(InvalidArgument("a %s constant cannot be converted to %s",
                                                PrimitiveType_Name(from),
                                                PrimitiveType_Name(type)));
  }
  if (primitive_util::IsFloatingPointType(from) && !primitive_util::IsFloatingPointType(type) &&
      !primitive_util::IsComplexType(type)) {
    return builder->ReportError(
        InvalidArgument("a floating point constant cannot be converted to %s without loss",
                        PrimitiveType_Name(type)));
  }
  absl::StatusOr<Literal> converted = LiteralUtil::CreateR0<T>(value).Convert(type);
  if (!converted.ok()) return builder->ReportError(converted.status());
  return ConstantLiteral(builder, *converted);
}

// The scalar `value` of the element type of `prototype`.
template <typename T>
XlaOp ScalarLike(XlaOp prototype, T value) {
  XlaBuilder* builder = prototype.builder();
  absl::StatusOr<Shape> shape = builder->GetShape(prototype);
  if (!shape.ok()) return builder->ReportError(shape.status());
  return ConstantR0WithType(builder, shape->element_type(), value);
}

// An array of the shape of `prototype` with `value` everywhere. Dynamic dimensions have the sizes
// of the prototype's.
template <typename T>
XlaOp FullLike(XlaOp prototype, T value) {
  XlaBuilder* builder = prototype.builder();
  absl::StatusOr<Shape> shape = builder->GetShape(prototype);
  if (!shape.ok()) return builder->ReportError(shape.status());
  XlaOp result =
      Broadcast(ConstantR0WithType(builder, shape->element_type(), value), shape->dimensions());
  for (int i = 0; i < shape->dimensions_size(); ++i) {
    if (!shape->is_dynamic_dimension(i)) continue;
    result = SetDimensionSize(result, GetDimensionSize(prototype, i), i);
  }
  return result;
}

// Zero: a scalar, an array, one like another.
XlaOp Zero(XlaBuilder* builder, PrimitiveType type);
XlaOp Zeros(XlaBuilder* builder, const Shape& shape);
XlaOp ZerosLike(XlaOp prototype);

XlaOp One(XlaBuilder* builder, PrimitiveType type);

// The distance from 1 to the next larger number, of floating point types.
XlaOp Epsilon(XlaBuilder* builder, PrimitiveType type);

// The least and the largest value: infinities for floating point types that have them; the least
// and the largest finite one; the least positive number that is not subnormal.
XlaOp MinValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MinFiniteValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MinPositiveNormalValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MaxValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MaxFiniteValue(XlaBuilder* builder, PrimitiveType type);

// Not a number, of floating point types that have it.
XlaOp NanValue(XlaBuilder* builder, PrimitiveType type);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_CONSTANTS_H_
