#include "xla/hlo/builder/lib/math.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "front/builder/lib/math_internal.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace math_internal {

absl::StatusOr<Shape> RealShape(absl::string_view operation, XlaOp operand) {
  HILO_ASSIGN_OR_RETURN(Shape shape, operand.builder()->GetShape(operand));
  if (!shape.IsArray() || !primitive_util::IsFloatingPointType(shape.element_type())) {
    return InvalidArgument("%s takes floating point numbers, not %s", operation, shape.ToString());
  }
  return shape;
}

XlaOp InDouble(absl::string_view operation, absl::Span<const XlaOp> operands,
               absl::FunctionRef<absl::StatusOr<XlaOp>(absl::Span<const XlaOp>)> function) {
  XlaBuilder* builder = BuilderOf(operands);
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, RealShape(operation, operands[0]));
    std::vector<XlaOp> wide;
    for (XlaOp operand : operands) {
      HILO_ASSIGN_OR_RETURN(const Shape other, RealShape(operation, operand));
      if (!ShapeUtil::Compatible(shape, other)) {
        return InvalidArgument("%s takes arrays of one shape, not %s and %s", operation,
                               shape.ToString(), other.ToString());
      }
      wide.push_back(ConvertElementType(operand, F64));
    }
    HILO_ASSIGN_OR_RETURN(const XlaOp result, function(wide));
    return ConvertElementType(result, shape.element_type());
  });
}

XlaOp Polynomial(XlaOp x, absl::Span<const double> coefficients) {
  XlaOp value = FullLike(x, coefficients.back());
  for (size_t k = coefficients.size() - 1; k-- > 0;) value = value * x + K(x, coefficients[k]);
  return value;
}

Rounded RoundedSum(XlaOp larger, XlaOp smaller) {
  const XlaOp sum = larger + smaller;
  return {sum, smaller - (sum - larger)};
}

Rounded RoundedProduct(XlaOp a, XlaOp b) {
  const auto upper_half = [](XlaOp x) {
    return ConvertElementType(ConvertElementType(x, F32), F64);
  };
  const XlaOp a_high = upper_half(a), b_high = upper_half(b);
  const XlaOp a_low = a - a_high, b_low = b - b_high;
  const XlaOp product = a * b;
  return {product,
          ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

Rounded RoundedProduct(const Rounded& a, const Rounded& b) {
  Rounded product = RoundedProduct(a.value, b.value);
  product.rest = product.rest + (a.value * b.rest + a.rest * b.value);
  return product;
}

Rounded RoundedQuotient(const Rounded& a, const Rounded& b) {
  const XlaOp quotient = a.value / b.value;
  const Rounded product = RoundedProduct(quotient, b.value);
  const XlaOp rest = ((a.value - product.value) - product.rest) + (a.rest - quotient * b.rest);
  return {quotient, rest / b.value};
}

Rounded RoundedPolynomial(XlaOp x, absl::Span<const double> coefficients) {
  return RoundedSum(FullLike(x, coefficients[0]), x * Polynomial(x, coefficients.subspan(1)));
}

}  // namespace math_internal

namespace {

using math_internal::K;
using math_internal::RealShape;
using Accuracy = std::optional<ResultAccuracy>;

// `function` of an operand of a floating point type.
XlaOp OfReal(absl::string_view operation, XlaOp operand,
             absl::FunctionRef<absl::StatusOr<XlaOp>(const Shape&)> function) {
  XlaBuilder* builder = operand.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, RealShape(operation, operand));
    return function(shape);
  });
}

// One operation, or its expansion for real numbers, in `least` for narrower types.
XlaOp Expanded(HloOpcode opcode, XlaOp x, const Accuracy& accuracy, bool expand,
               PrimitiveType least, absl::FunctionRef<XlaOp(XlaOp)> expansion) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(x));
    const PrimitiveType type = shape.element_type();
    if (!expand || !shape.IsArray() || !primitive_util::IsFloatingPointType(type)) {
      const XlaOp result = AddOp({opcode}, {x});
      if (accuracy.has_value() && result.valid()) {
        *MessageOf(result)->mutable_result_accuracy() = *accuracy;
      }
      return result;
    }
    if (type == least || type == F64) return expansion(x);
    return ConvertElementType(expansion(ConvertElementType(x, least)), type);
  });
}

// exp(|x|) / 2 + sign * exp(-|x|) / 2 of F64, which overflows no earlier than the result.
XlaOp HalfExponentials(XlaOp x, double sign) {
  const XlaOp size = Abs(x);
  const XlaOp far = Gt(size, K(x, 700));
  const XlaOp shift = Select(far, FullLike(x, 1), ZerosLike(x));
  const XlaOp scale = Select(far, FullLike(x, std::numbers::e / 2), FullLike(x, 0.5));
  const XlaOp half = Exp(size - shift) * scale;
  return half + K(x, sign / 4) / half;
}

}  // namespace

XlaOp IsNan(XlaOp operand) {
  return OfReal("is-nan", operand, [&](const Shape&) { return Ne(operand, operand); });
}

XlaOp IsInf(XlaOp operand) {
  return OfReal("is-inf", operand,
                [&](const Shape&) { return And(Not(IsFinite(operand)), Eq(operand, operand)); });
}

XlaOp IsPosInf(XlaOp operand) {
  return OfReal("is-pos-inf", operand, [&](const Shape&) {
    return And(IsInf(operand), Gt(operand, ScalarLike(operand, 0)));
  });
}

XlaOp IsNegInf(XlaOp operand) {
  return OfReal("is-neg-inf", operand, [&](const Shape&) {
    return And(IsInf(operand), Lt(operand, ScalarLike(operand, 0)));
  });
}

XlaOp IsNegZero(XlaOp operand) {
  return OfReal("is-neg-zero", operand, [&](const Shape& shape) {
    // Every narrower type has the same zeros as F32.
    const bool wide = shape.element_type() == F64;
    const XlaOp value = wide ? operand : ConvertElementType(operand, F32);
    const XlaOp bits = BitcastConvertType(value, wide ? U64 : U32);
    return Eq(bits, BitcastConvertType(ScalarLike(value, -0.0), wide ? U64 : U32));
  });
}

XlaOp NextAfter(XlaOp from, XlaOp to) {
  return OfReal("next-after", from, [&](const Shape& shape) -> absl::StatusOr<XlaOp> {
    const int width = primitive_util::BitWidth(shape.element_type());
    if (width < 16) {
      return InvalidArgument("next-after takes F16, BF16, F32 and F64, not %s", shape.ToString());
    }
    const PrimitiveType bits_type = primitive_util::UnsignedIntegralTypeForBitWidth(width);
    const auto bit_constant = [&](uint64_t value) {
      return ConstantR0WithType(from.builder(), bits_type, value);
    };
    const XlaOp sign_mask = bit_constant(uint64_t{1} << (width - 1));
    const XlaOp from_bits = BitcastConvertType(from, bits_type);
    const XlaOp to_bits = BitcastConvertType(to, bits_type);
    const XlaOp from_size = And(from_bits, Not(sign_mask));
    const XlaOp to_size = And(to_bits, Not(sign_mask));
    const XlaOp same_sign = Eq(And(from_bits, sign_mask), And(to_bits, sign_mask));
    const XlaOp inward = Or(Not(same_sign), Gt(from_size, to_size));
    const XlaOp one = bit_constant(1);
    const XlaOp stepped = Select(inward, from_bits - one, from_bits + one);
    const XlaOp from_zero = Or(And(to_bits, sign_mask), one);
    const XlaOp next = Select(Eq(from_size, bit_constant(0)), from_zero, stepped);
    const XlaOp result = Select(Eq(from, to), to, BitcastConvertType(next, shape.element_type()));
    return Select(Or(Ne(from, from), Ne(to, to)), from + to, result);
  });
}

XlaOp Square(XlaOp operand) { return operand * operand; }

XlaOp Reciprocal(XlaOp operand) { return ScalarLike(operand, 1) / operand; }

XlaOp RoundToEven(XlaOp x) {
  return OfReal("round-to-even", x, [&](const Shape&) { return RoundNearestEven(x); });
}

XlaOp MaybeConjugate(XlaOp x, bool conjugate) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(x));
    return conjugate && primitive_util::IsComplexType(shape.element_type()) ? Conj(x) : x;
  });
}

XlaOp Acos(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kAcos, x, result_accuracy, expand, F32, [](XlaOp x) {
    const XlaOp one = ScalarLike(x, 1);
    return ScalarLike(x, 2) * Atan2(Sqrt(one - x), Sqrt(one + x));
  });
}

XlaOp Asin(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kAsin, x, result_accuracy, expand, F32, [](XlaOp x) {
    const XlaOp one = ScalarLike(x, 1);
    return ScalarLike(x, 2) * Atan2(x, one + Sqrt((one - x) * (one + x)));
  });
}

XlaOp Atan(XlaOp x) { return Atan2(x, ScalarLike(x, 1)); }

XlaOp Cosh(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kCosh, x, result_accuracy, expand, F64,
                  [](XlaOp x) { return HalfExponentials(x, 1); });
}

XlaOp Sinh(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kSinh, x, result_accuracy, expand, F64, [](XlaOp x) {
    const XlaOp size = Abs(x);
    const XlaOp one = ScalarLike(x, 1);
    const XlaOp grown = Expm1(size);
    const XlaOp small = ScalarLike(x, 0.5) * (grown + grown / (grown + one));
    return Sign(x) * Select(Lt(size, one), small, HalfExponentials(x, -1));
  });
}

XlaOp Acosh(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kAcosh, x, result_accuracy, expand, F32, [](XlaOp x) {
    const XlaOp above = x - ScalarLike(x, 1);
    const XlaOp exact = Log1p(above + Sqrt(above) * Sqrt(above + ScalarLike(x, 2)));
    return Select(Gt(x, ScalarLike(x, 1e10)), Log(x) + ScalarLike(x, std::log(2.0)), exact);
  });
}

XlaOp Asinh(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kAsinh, x, result_accuracy, expand, F32, [](XlaOp x) {
    const XlaOp size = Abs(x);
    const XlaOp one = ScalarLike(x, 1);
    const XlaOp square = size * size;
    const XlaOp exact = Log1p(size + square / (one + Sqrt(square + one)));
    const XlaOp large = Log(size) + ScalarLike(x, std::log(2.0));
    return Sign(x) * Select(Gt(size, ScalarLike(x, 1e10)), large, exact);
  });
}

XlaOp Atanh(XlaOp x, const Accuracy& result_accuracy, bool expand) {
  return Expanded(HloOpcode::kAtanh, x, result_accuracy, expand, F32,
                  [](XlaOp x) { return ScalarLike(x, 0.5) * (Log1p(x) - Log1p(Neg(x))); });
}

}  // namespace xla
