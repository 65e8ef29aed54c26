// How the special functions compute: in F64, whatever the type of their arguments.
#ifndef HILO_FRONT_BUILDER_LIB_MATH_INTERNAL_H_
#define HILO_FRONT_BUILDER_LIB_MATH_INTERNAL_H_

#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {
namespace math_internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Applies `function` to the operands as F64 and rounds the result to their type. An error that
// names the operation unless the operands have one shape of a floating point type.
XlaOp InDouble(absl::string_view operation, absl::Span<const XlaOp> operands,
               absl::FunctionRef<absl::StatusOr<XlaOp>(absl::Span<const XlaOp>)> function);

// The error of a function of real numbers for other types.
absl::StatusOr<Shape> RealShape(absl::string_view operation, XlaOp operand);

// An F64 constant beside an F64 array.
inline XlaOp K(XlaOp beside, double value) { return ConstantR0<double>(beside.builder(), value); }

// The value of a polynomial, by Horner's rule, the lowest power first.
XlaOp Polynomial(XlaOp x, absl::Span<const double> coefficients);

// A value of F64 as what it is rounded to and, nearly, the rest.
struct Rounded {
  XlaOp value, rest;
};

// The rest is exact where |larger| >= |smaller|.
Rounded RoundedSum(XlaOp larger, XlaOp smaller);
// Factors below 1e38 are split into halves whose products are exact; the rest of larger ones is NaN.
Rounded RoundedProduct(XlaOp a, XlaOp b);
Rounded RoundedProduct(const Rounded& a, const Rounded& b);
Rounded RoundedQuotient(const Rounded& a, const Rounded& b);
// As Polynomial, the last step with its rest.
Rounded RoundedPolynomial(XlaOp x, absl::Span<const double> coefficients);

// The functions on F64.
XlaOp LgammaOfDouble(XlaOp x);
// log(x^a e^-x / gamma(a)) for finite a > 0 and x > 0, without the digits that its terms lose
// against each other where a is large.
XlaOp LogGammaDensityOfDouble(XlaOp a, XlaOp x);
XlaOp DigammaOfDouble(XlaOp x);

}  // namespace math_internal
}  // namespace xla

#endif  // HILO_FRONT_BUILDER_LIB_MATH_INTERNAL_H_
