#include "xla/hlo/builder/lib/constants.h"

#include <cmath>

#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// A constant that `make` gives for a C++ type, or an error of the builder for other kinds of types.
template <typename Make>
XlaOp FloatConstant(XlaBuilder* builder, PrimitiveType type, absl::string_view what, Make make) {
  if (!primitive_util::IsFloatingPointType(type)) {
    return builder->ReportError(InvalidArgument("%s of %s: only floating point types have it", what,
                                                PrimitiveType_Name(type)));
  }
  return primitive_util::FloatingPointTypeSwitch(
      [&](auto constant) -> XlaOp {
        using T = primitive_util::NativeTypeOf<constant>;
        return ConstantR0<T>(builder, make(std::numeric_limits<T>()));
      },
      type);
}

XlaOp ArrayTypeConstant(XlaBuilder* builder, PrimitiveType type, absl::string_view what,
                        Literal (*make)(PrimitiveType)) {
  if (!primitive_util::IsArrayType(type)) {
    return builder->ReportError(
        InvalidArgument("%s: %s is no type of a scalar", what, PrimitiveType_Name(type)));
  }
  return ConstantLiteral(builder, make(type));
}

// The same for what complex numbers, which have no order, do not have.
XlaOp OrderedConstant(XlaBuilder* builder, PrimitiveType type, absl::string_view what,
                      Literal (*make)(PrimitiveType)) {
  if (primitive_util::IsComplexType(type)) {
    return builder->ReportError(
        InvalidArgument("%s: %s has no order", what, PrimitiveType_Name(type)));
  }
  return ArrayTypeConstant(builder, type, what, make);
}

}  // namespace

XlaOp Zero(XlaBuilder* builder, PrimitiveType type) {
  return ArrayTypeConstant(builder, type, "zero", &LiteralUtil::Zero);
}

XlaOp Zeros(XlaBuilder* builder, const Shape& shape) {
  return Broadcast(Zero(builder, shape.element_type()), shape.dimensions());
}

XlaOp ZerosLike(XlaOp prototype) {
  XlaBuilder* builder = prototype.builder();
  absl::StatusOr<Shape> shape = builder->GetShape(prototype);
  if (!shape.ok()) return builder->ReportError(shape.status());
  return Zeros(builder, *shape);
}

XlaOp One(XlaBuilder* builder, PrimitiveType type) {
  return ArrayTypeConstant(builder, type, "one", &LiteralUtil::One);
}

XlaOp Epsilon(XlaBuilder* builder, PrimitiveType type) {
  return FloatConstant(builder, type, "epsilon", [](auto limits) { return limits.epsilon(); });
}

XlaOp MinPositiveNormalValue(XlaBuilder* builder, PrimitiveType type) {
  return FloatConstant(builder, type, "least positive value",
                       [](auto limits) { return limits.min(); });
}

XlaOp MinValue(XlaBuilder* builder, PrimitiveType type) {
  return OrderedConstant(builder, type, "minimum", &LiteralUtil::MinValue);
}

XlaOp MaxValue(XlaBuilder* builder, PrimitiveType type) {
  return OrderedConstant(builder, type, "maximum", &LiteralUtil::MaxValue);
}

XlaOp MinFiniteValue(XlaBuilder* builder, PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return MinValue(builder, type);
  return FloatConstant(builder, type, "minimum", [](auto limits) { return limits.lowest(); });
}

XlaOp MaxFiniteValue(XlaBuilder* builder, PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return MaxValue(builder, type);
  return FloatConstant(builder, type, "maximum", [](auto limits) { return limits.max(); });
}

XlaOp NanValue(XlaBuilder* builder, PrimitiveType type) {
  absl::StatusOr<Literal> nan = LiteralUtil::NanValue(type);
  if (!nan.ok()) return builder->ReportError(nan.status());
  return ConstantLiteral(builder, *nan);
}

}  // namespace xla
