// Mathematical functions made of simpler operations.
//
// All work element by element. Functions of several arguments take arrays of one shape and type.
// What is said to be "of real numbers" takes floating point types and gives InvalidArgument for
// others. Functions of real numbers from Erfc on compute in F64, whatever the type, and round once:
// results of F32 and narrower types are right to one unit in the last place, unless something else
// is said.
#ifndef XLA_HLO_BUILDER_LIB_MATH_H_
#define XLA_HLO_BUILDER_LIB_MATH_H_

#include <optional>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// PRED, of real numbers. Types without infinities have none, types without -0 none.
XlaOp IsPosInf(XlaOp operand);
XlaOp IsNegInf(XlaOp operand);
XlaOp IsInf(XlaOp operand);
XlaOp IsNan(XlaOp operand);
XlaOp IsNegZero(XlaOp operand);

// The number next to `from` in the direction of `to`: `to` if they are equal, NaN if one of them
// is. F16, BF16, F32 and F64.
XlaOp NextAfter(XlaOp from, XlaOp to);

// x * x and 1 / x, of any numbers.
XlaOp Square(XlaOp operand);
XlaOp Reciprocal(XlaOp operand);

// The integer next to x, the even one of two: of real numbers.
XlaOp RoundToEven(XlaOp x);

// The conjugate of complex numbers if `conjugate` is true; otherwise, and for other types, x.
XlaOp MaybeConjugate(XlaOp x, bool conjugate);

// Inverse trigonometric, hyperbolic and inverse hyperbolic functions, of real and complex numbers;
// NaN outside the domain. With `expand` real ones are written with other operations, to a few units
// in the last place; otherwise, and for complex numbers, as one operation, to which
// `result_accuracy` belongs: Acos, Acosh, Asin, Asinh, Atanh, Cosh, Sinh.
#define XLA_EXPANDED(name, opcode)                                                         \
  XlaOp name(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt, \
             bool expand = true);
#include "xla/hlo/builder/xla_builder_functions.def"
XlaOp Atan(XlaOp x);

// The complementary error function 1 - erf(x), with small relative error where it is small.
// Rational approximations of the Cephes library (Moshier, "Methods and Programs for Mathematical
// Functions").
XlaOp Erfc(XlaOp x);

// The y with erf(y) = x: infinite at -1 and 1, NaN outside of them. The approximation of Giles,
// "Approximating the erfinv function" (GPU Computing Gems, 2011), or the asymptotic one near -1 and
// 1, then two steps of Halley's method.
XlaOp ErfInv(XlaOp x);

// log |Gamma(x)|: infinity at 0, the negative integers and the infinities. Lanczos' approximation
// (SIAM J. Numer. Anal. B 1, 1964; g = 7, nine terms) and reflection. Near the zeros the absolute
// error is small, about 1e-15.
XlaOp Lgamma(XlaOp input);

// The derivative of log Gamma(x): NaN at 0 and the negative integers. Derived from the same
// approximation; near the zeros the absolute error is small.
XlaOp Digamma(XlaOp input);

// The regularized incomplete gamma functions P(a, x) (lower) and Q(a, x) = 1 - P(a, x) (upper), for
// a, x >= 0; NaN otherwise. P(0, x) = 1 for x > 0, P(infinity, x) = 0 for finite x. Power series
// (DLMF 8.11.4) below, continued fraction (DLMF 8.9.2) above x = max(1, a), both up to 10,000
// terms. The relative error of F64 grows with a as a * 1e-15.
XlaOp Igamma(XlaOp a, XlaOp x);
XlaOp Igammac(XlaOp a, XlaOp x);

// dP(a, x) / da, by the derivatives of the same expansions; a > 0, x >= 0, both finite, NaN
// otherwise.
XlaOp IgammaGradA(XlaOp a, XlaOp x);

// The derivative by a of a sample x of the gamma distribution with shape a and scale 1 at fixed
// probability: -(dP/da) / (dP/dx). (Figurnov et al., "Implicit Reparameterization Gradients",
// 2018).
XlaOp RandomGammaGrad(XlaOp a, XlaOp x);

// The n-th derivative of digamma, for integers n >= 0; NaN for other n. DLMF 5.15.
XlaOp Polygamma(XlaOp n, XlaOp x);

// Hurwitz' zeta function, the sum of (q + k)^-x for k = 0, 1, ..., for x > 1. At q = 0, -1, ... it
// is infinite for even x; elsewhere at q <= 0 x must be an integer. Infinity for x = 1, NaN where
// it does not exist. Euler-Maclaurin formula (DLMF 25.11.5).
XlaOp Zeta(XlaOp x, XlaOp q);

// exp(-|x|) times the modified Bessel functions I0(x) and I1(x). Chebyshev series on |x| <= 8 and
// of sqrt(|x|) times the function beyond, computed for this purpose from DLMF 10.25.2 and 10.40.1.
XlaOp BesselI0e(XlaOp x);
XlaOp BesselI1e(XlaOp x);

// The regularized incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1; NaN otherwise.
// Continued fraction (DLMF 8.17.22) by the method of Lentz, up to 2,000 terms.
XlaOp RegularizedIncompleteBeta(XlaOp a, XlaOp b, XlaOp x);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_MATH_H_
