// Error functions, the gamma function and its derivatives, zeta functions.
#include <array>
#include <cmath>
#include <numbers>

#include "front/builder/lib/math_internal.h"
#include "xla/hlo/builder/lib/math.h"

namespace xla {
namespace {

using math_internal::DigammaOfDouble;
using math_internal::InDouble;
using math_internal::K;
using math_internal::kInfinity;
using math_internal::kNan;
using math_internal::LgammaOfDouble;
using math_internal::Polynomial;

constexpr double kPi = std::numbers::pi;

// exp(-x * x), the square taken in two parts so that it is not rounded where it is large.
XlaOp ExpOfNegativeSquare(XlaOp x) {
  const XlaOp high = ConvertElementType(ConvertElementType(x, F32), F64);
  return Exp(Neg(high * high)) * Exp((high - x) * (high + x));
}

// For 1 <= x: below 8 and above.
XlaOp ErfcTail(XlaOp x) {
  const XlaOp below =
      Polynomial(x,
                 {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687,
                  4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
                  9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2}) /
      Polynomial(x, {1.0, 1.32281951154744992508e1, 8.67072140885989742329e1,
                     3.54937778887819891062e2, 9.75708501743205489753e2, 1.82390916687909736289e3,
                     2.24633760818710981792e3, 1.65666309194161350182e3, 5.57535340817727675546e2});
  const XlaOp above =
      Polynomial(x, {5.64189583547755073984e-1, 1.27536670759978104416, 5.01905042251180477414,
                     6.16021097993053585195, 7.40974269950448939160, 2.97886665372100240670}) /
      Polynomial(x, {1.0, 2.26052863220117276590, 9.39603524938001434673, 1.20489539808096656605e1,
                     1.70814450747565897222e1, 9.60896809063285878198, 3.36907645100081516050});
  return ExpOfNegativeSquare(x) * Select(Lt(x, K(x, 8)), below, above);
}

XlaOp ErfcOfDouble(XlaOp x) {
  // Past 28 the result is zero, and infinities would give inf / inf.
  const XlaOp size = Clamp(K(x, 1), Abs(x), K(x, 28));
  const XlaOp tail = ErfcTail(size);
  const XlaOp outer = Select(Lt(x, K(x, 0)), K(x, 2) - tail, tail);
  return Select(Gt(Abs(x), K(x, 1)), outer, K(x, 1) - Erf(x));
}

// The y with erfc(y) = q, for 0 < q <= 1, where log_product is -log(q * (2 - q)).
XlaOp ErfcInvGuess(XlaOp q, XlaOp log_product) {
  const XlaOp x = K(q, 1) - q;
  const XlaOp center =
      Polynomial(log_product - K(q, 2.5),
                 {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                  -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const XlaOp flank =
      Polynomial(Sqrt(log_product) - K(q, 3),
                 {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                  -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  // erfc(y) is about exp(-y * y) / (y * sqrt(pi)).
  XlaOp far = Sqrt(log_product);
  for (int i = 0; i < 3; ++i) far = Sqrt(Neg(Log(q * K(q, std::sqrt(kPi)) * far)));
  return Select(Lt(log_product, K(q, 16)), x * Select(Lt(log_product, K(q, 5)), center, flank),
                far);
}

XlaOp ErfInvOfDouble(XlaOp x) {
  const XlaOp size = Abs(x);
  const XlaOp q = K(x, 1) - size;
  XlaOp y = ErfcInvGuess(q, Neg(Log(q * (K(x, 1) + size))));
  for (int i = 0; i < 2; ++i) {
    const XlaOp error = Select(Lt(size, K(x, 0.5)), Erf(y) - size, q - ErfcOfDouble(y));
    const XlaOp step = error * K(x, std::sqrt(kPi) / 2) / ExpOfNegativeSquare(y);
    y = y - step / (K(x, 1) + y * step);
  }
  y = Select(Eq(size, K(x, 1)), FullLike(x, kInfinity), y);
  y = Select(Gt(size, K(x, 1)), FullLike(x, kNan), y);
  // Sign keeps the sign of zero.
  return Sign(x) * y;
}

constexpr double kLanczosG = 7;
constexpr double kLanczosFirst = 0.99999999999980993227684700473478;
constexpr std::array<double, 8> kLanczos = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

// Lanczos' sum at x = z + 1, and its derivative.
struct LanczosSum {
  XlaOp sum;
  XlaOp derivative;
};

LanczosSum SumOfLanczos(XlaOp z) {
  LanczosSum result = {FullLike(z, kLanczosFirst), ZerosLike(z)};
  for (size_t i = 0; i < kLanczos.size(); ++i) {
    const XlaOp divisor = z + K(z, static_cast<double>(i + 1));
    const XlaOp term = K(z, kLanczos[i]) / divisor;
    result.sum = result.sum + term;
    result.derivative = result.derivative - term / divisor;
  }
  return result;
}

// 1 - x where x is on the left of 1/2, as the reflection formulas want it.
XlaOp Reflected(XlaOp x, XlaOp left) { return Select(left, K(x, 1) - x, x); }

XlaOp HurwitzZeta(XlaOp x, XlaOp q);

XlaOp PolygammaOfDouble(XlaOp n, XlaOp x) {
  const XlaOp order = n + K(n, 1);
  const XlaOp half = order * K(n, 0.5);
  const XlaOp sign = Select(Eq(Floor(half), half), FullLike(n, 1.0), FullLike(n, -1.0));
  const XlaOp derivative = sign * Exp(LgammaOfDouble(order)) * HurwitzZeta(order, x);
  const XlaOp result = Select(Eq(n, K(n, 0)), DigammaOfDouble(x), derivative);
  const XlaOp none = Or(Lt(n, K(n, 0)), Ne(n, Floor(n)));
  return Select(none, FullLike(x, kNan), result);
}

// For q > 0 and x > 1.
XlaOp ZetaOfPositive(XlaOp x, XlaOp q) {
  constexpr int kTerms = 10;
  // B(2k) / (2k)! for k = 1, 2, ...: DLMF 24.2.
  constexpr std::array<double, 12> kBernoulli = {
      8.3333333333333333e-2,   -1.3888888888888889e-3,  3.3068783068783069e-5,
      -8.2671957671957672e-7,  2.0876756987868099e-8,   -5.2841901386874932e-10,
      1.3382536530684679e-11,  -3.3896802963225829e-13, 8.5860620562778446e-15,
      -2.1748686985580619e-16, 5.5090028283602295e-18,  -1.3954464685812523e-19};
  XlaOp sum = ZerosLike(x);
  for (int i = 0; i < kTerms; ++i) sum = sum + Pow(q + K(q, i), Neg(x));
  const XlaOp end = q + K(q, kTerms);
  const XlaOp last = Pow(end, Neg(x));
  sum = sum + last * (K(x, 0.5) + end / (x - K(x, 1)));
  XlaOp factor = last * x / end;
  for (int k = 0; k < static_cast<int>(kBernoulli.size()); ++k) {
    sum = sum + factor * K(x, kBernoulli[k]);
    factor = factor * (x + K(x, 2 * k + 1)) / end * ((x + K(x, 2 * k + 2)) / end);
  }
  return sum;
}

// The terms with q + k < 0 are, but for the sign, those of two series with positive ones.
XlaOp HurwitzZeta(XlaOp x, XlaOp q) {
  const XlaOp zero = K(q, 0);
  const XlaOp one = K(q, 1);
  const XlaOp positive = Gt(q, zero);
  const XlaOp floor = Floor(q);
  const XlaOp pole = And(Not(positive), Eq(q, floor));
  const XlaOp fraction = Select(Or(positive, pole), FullLike(q, 0.5), q - floor);
  const XlaOp negative_terms = ZetaOfPositive(x, one - fraction) -
                               ZetaOfPositive(x, one - Select(positive, FullLike(q, 0.5), q));
  const XlaOp half = x * K(x, 0.5);
  const XlaOp even = Eq(Floor(half), half);
  const XlaOp reflected = Select(even, negative_terms, Neg(negative_terms));
  XlaOp result = ZetaOfPositive(x, Select(positive, q, fraction));
  result = Select(positive, result, result + reflected);
  const XlaOp nan = FullLike(x, kNan);
  const XlaOp infinity = FullLike(x, kInfinity);
  result = Select(And(Not(positive), Ne(x, Floor(x))), nan, result);
  result = Select(pole, Select(even, infinity, nan), result);
  result = Select(Eq(x, one), infinity, result);
  return Select(Or(Lt(x, one), Ne(x, x), Ne(q, q)), nan, result);
}

}  // namespace

namespace math_internal {

XlaOp LgammaOfDouble(XlaOp x) {
  const XlaOp left = Lt(x, K(x, 0.5));
  const XlaOp z = Reflected(x, left) - K(x, 1);
  const XlaOp log_t = Log(z + K(x, kLanczosG + 0.5));
  const XlaOp right_of_half = K(x, std::log(2 * kPi) / 2) + (z + K(x, 0.5)) * log_t -
                              (z + K(x, kLanczosG + 0.5)) + Log(SumOfLanczos(z).sum);
  // The distance to the next integer, at most 1/2, gives |sin(pi x)| exactly near the poles.
  const XlaOp distance = Abs(x - RoundNearestEven(x));
  const XlaOp left_of_half = K(x, std::log(kPi)) - Log(Sin(K(x, kPi) * distance)) - right_of_half;
  const XlaOp finite = Select(left, left_of_half, right_of_half);
  return Select(IsInf(x), FullLike(x, kInfinity), finite);
}

XlaOp DigammaOfDouble(XlaOp x) {
  const XlaOp left = Lt(x, K(x, 0.5));
  const XlaOp z = Reflected(x, left) - K(x, 1);
  const XlaOp t = z + K(x, kLanczosG + 0.5);
  const LanczosSum lanczos = SumOfLanczos(z);
  const XlaOp right_of_half = Log(t) + lanczos.derivative / lanczos.sum - K(x, kLanczosG) / t;
  const XlaOp offset = x - RoundNearestEven(x);
  const XlaOp left_of_half = right_of_half - K(x, kPi) / Tan(K(x, kPi) * offset);
  const XlaOp pole = And(Le(x, K(x, 0)), Eq(x, Floor(x)));
  const XlaOp result = Select(left, left_of_half, right_of_half);
  return Select(pole, FullLike(x, kNan), result);
}

}  // namespace math_internal

XlaOp Erfc(XlaOp x) {
  return InDouble("erfc", {x}, [](absl::Span<const XlaOp> in) { return ErfcOfDouble(in[0]); });
}

XlaOp ErfInv(XlaOp x) {
  return InDouble("erf-inv", {x}, [](absl::Span<const XlaOp> in) { return ErfInvOfDouble(in[0]); });
}

XlaOp Lgamma(XlaOp input) {
  return InDouble("lgamma", {input},
                  [](absl::Span<const XlaOp> in) { return LgammaOfDouble(in[0]); });
}

XlaOp Digamma(XlaOp input) {
  return InDouble("digamma", {input},
                  [](absl::Span<const XlaOp> in) { return DigammaOfDouble(in[0]); });
}

XlaOp Polygamma(XlaOp n, XlaOp x) {
  return InDouble("polygamma", {n, x},
                  [](absl::Span<const XlaOp> in) { return PolygammaOfDouble(in[0], in[1]); });
}

XlaOp Zeta(XlaOp x, XlaOp q) {
  return InDouble("zeta", {x, q},
                  [](absl::Span<const XlaOp> in) { return HurwitzZeta(in[0], in[1]); });
}

}  // namespace xla
