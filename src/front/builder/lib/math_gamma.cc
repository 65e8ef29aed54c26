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
using math_internal::Rounded;
using math_internal::RoundedPolynomial;
using math_internal::RoundedProduct;
using math_internal::RoundedQuotient;
using math_internal::RoundedSum;

constexpr double kPi = std::numbers::pi;

// exp(-x * x) = value * (1 + rest): the square is taken in two parts, so that it is not rounded
// where it is large. For |x| <= 28, where the second part is below 5e-5.
struct ExpOfNegativeSquare {
  explicit ExpOfNegativeSquare(XlaOp x) {
    const XlaOp high = ConvertElementType(ConvertElementType(x, F32), F64);
    const XlaOp d = (high - x) * (high + x);
    value = Exp(Neg(high * high));
    rest = d * (K(x, 1) + d * (K(x, 0.5) + d * K(x, 1.0 / 6)));
  }
  XlaOp value, rest;
};

// From here to 28 erfc is not 1 - erf(x), which would lose digits.
constexpr double kErfcTail = 0.47;
// (1 + 2 x) exp(x * x) erfc(x) in (x - 4) / (x + 4), for x from kErfcTail to 28.
constexpr std::array<double, 22> kScaledErfc = {
    1.2329951186255526,     -0.1396211168405625,    0.015379652102618824,
    0.06809705425469081,    -0.10103906603624101,   0.09373283499843038,
    -0.06633036581391423,   0.03716751553583111,    -0.01619773403454913,
    0.005031969997066817,   -0.0007577734742776277, -0.0001992568311659345,
    0.00015062260168328183, -2.439857758125555e-05, -1.1225005097933218e-05,
    5.707754538040949e-06,  2.9997798680799173e-07, -8.213645214614637e-07,
    6.666795263097984e-08,  1.0477725488593682e-07, -1.2095861614870112e-08,
    -1.0183274491416836e-08};

XlaOp ErfcTail(XlaOp x) {
  const XlaOp four = K(x, 4);
  const Rounded scaled = RoundedPolynomial((x - four) / (x + four), kScaledErfc);
  const Rounded factor = RoundedSum(K(x, 2) * x, K(x, 1));
  const Rounded quotient = RoundedQuotient(scaled, factor);
  const ExpOfNegativeSquare exp(x);
  const Rounded product = RoundedProduct(exp.value, quotient.value);
  const XlaOp rest = quotient.rest + quotient.value * exp.rest;
  return product.value + (product.rest + exp.value * rest);
}

XlaOp ErfcOfDouble(XlaOp x) {
  // Past 28 the result is zero, and infinities would give inf / inf.
  const XlaOp start = K(x, kErfcTail);
  const XlaOp tail = ErfcTail(Clamp(start, x, K(x, 28)));
  return Select(Gt(x, start), tail, K(x, 1) - Erf(x));
}

// erfinv(x) / x for w = -log(1 - x * x): below 5 in w - 2.5, up to 16 in sqrt(w) - 3.
constexpr std::array<double, 8> kInverseErfBelow = {
    1.5014091211940737,      0.24664105775994574,   -0.0041760848957451335,
    -0.0012541455862828863,  0.0002172605884235305, -4.2538406884768745e-06,
    -3.1777564844859784e-06, 3.3048530628740554e-07};
constexpr std::array<double, 8> kInverseErfAbove = {
    2.8329772988773403,    1.0016777897211917,     0.009423521347382526,  -0.007674232336444455,
    0.0058449715044236236, -0.0034994551042496318, 0.0010976102814624657, -6.313897957684148e-05};

// The y with erfc(y) = q, for 0 < q <= 1, where log_product is -log(q * (2 - q)).
XlaOp ErfcInvGuess(XlaOp q, XlaOp log_product) {
  const XlaOp x = K(q, 1) - q;
  const XlaOp center = Polynomial(log_product - K(q, 2.5), kInverseErfBelow);
  const XlaOp flank = Polynomial(Sqrt(log_product) - K(q, 3), kInverseErfAbove);
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
    const ExpOfNegativeSquare exp(y);
    const XlaOp slope = exp.value + exp.value * exp.rest;
    const XlaOp step = error * K(x, std::sqrt(kPi) / 2) / slope;
    y = y - step / (K(x, 1) + y * step);
  }
  y = Select(Eq(size, K(x, 1)), FullLike(x, kInfinity), y);
  y = Select(Gt(size, K(x, 1)), FullLike(x, kNan), y);
  // Sign keeps the sign of zero.
  return Sign(x) * y;
}

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
  // B(2k) / (2k)! for k = 1, 2, ...
  constexpr std::array<double, 12> kBernoulli = {
      0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
      -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
      1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
      -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19};
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
namespace {

// Between these bounds lgamma follows from its values between 1/2 and 5/2 by lgamma(x + 1) =
// lgamma(x) + log(x); beyond them, from its asymptotic expansion and reflection at 1/2.
constexpr double kFarLgamma = 8.5;
// How many steps there are at most.
constexpr int kSteps = 9;

// lgamma(x) / ((x - 1) (x - 2)) in (x - 1.125) / (x + 1.125), for x from 1/2 to 5/2.
constexpr std::array<double, 24> kLgamma = {
    0.5487833977237905,   -0.4750947770808957,   0.13039646565957205,  -0.16313809684213731,
    0.08675196233673103,  -0.09911794225426823,  0.06455379789746865,  -0.0711261478497607,
    0.05134199078537219,  -0.05543855491592992,  0.042606102146824615, -0.04540995428195563,
    0.036403897303022015, -0.03844309644858638,  0.031823550172548606, -0.033406272422896705,
    0.027748659370420467, -0.028738053076866006, 0.028395994903633558, -0.030571355488791734,
    0.0101776341493764,   -0.007495484062265498, 0.04977757680139086,  -0.055150742902363145};
// In 1 / x^2 for x >= kFarLgamma: x times what is missing in (x - 1/2) log(x) - x + log(2 pi) / 2.
constexpr std::array<double, 7> kLgammaFar = {
    0.08333333333333333,   -0.002777777777775937,  0.0007936507914976837, -0.0005952371486989555,
    0.0008415516868619476, -0.0018957787957378813, 0.005198829322963074};
// The zero of digamma as a sum, and x digamma(x) / (x - zero) in (x - 1.125) / (x + 1.125), for x
// from 1/2 to kFarDigamma.
constexpr double kFarDigamma = 2.5;
constexpr std::array<double, 2> kDigammaZero = {1.4616321449683622, 9.549995429965697e-17};
constexpr std::array<double, 25> kDigamma = {
    1.2983140580615447,   0.8365283726978974,   0.38400926991388606,  0.28310728658712303,
    0.2191049798840299,   0.17924118736768263,  0.15174915437817266,  0.1316243327656384,
    0.11623647086821835,  0.10408242426345807,  0.09423683901324885,  0.08609793789959799,
    0.07925577882142759,  0.07341543805937195,  0.06838682130256084,  0.0641174254175687,
    0.060226593603665765, 0.05564534185631868,  0.052875157768148336, 0.057966347432522165,
    0.05406663313092275,  0.018094636612448964, 0.020351325698925983, 0.10272991111479411,
    0.0948153087752136};
// In z = 1 / (x - 1/2)^2 for x >= kFarDigamma: (digamma(x) - log(x - 1/2)) / z.
constexpr std::array<double, 17> kDigammaFar = {
    0.04166666666666444,   -0.007291666665384786, 0.003844245770827007, -0.004134087279857626,
    0.0075592228269032785, -0.021008134459789607, 0.08103404258936997,  -0.3896612739011129,
    2.048408704510324,     -10.398490079705363,   46.44592989961054,    -171.05869268460918,
    493.72706845907265,    -1061.0100619301745,   1585.3791241890224,   -1463.4817552144664,
    626.798580948898};

// The variable of kLgamma and kDigamma.
XlaOp NearVariable(XlaOp x) {
  const XlaOp middle = K(x, 1.125);
  return (x - middle) / (x + middle);
}

XlaOp LgammaNear(XlaOp x) {
  // x = d + start + steps, where |d| <= 1/2.
  const XlaOp nearest = RoundNearestEven(x);
  const XlaOp start = Select(Lt(x, K(x, 1.5)), FullLike(x, 1), FullLike(x, 2));
  const XlaOp steps = nearest - start;
  const XlaOp near = x - steps;
  const XlaOp to_the_left = Lt(steps, K(x, 0));
  const XlaOp first = Select(to_the_left, x, near);
  XlaOp product = FullLike(x, 1);
  for (int j = 0; j < kSteps; ++j) {
    const XlaOp factor = first + K(x, j);
    product = Select(Lt(K(x, j), Abs(steps)), product * factor, product);
  }
  const XlaOp log = Log(Abs(product));
  // Not near - 1 and near - 2, which have lost digits of small numbers.
  const XlaOp d = x - nearest;
  const Rounded zeros = RoundedProduct(d + (start - K(x, 1)), d + (start - K(x, 2)));
  const Rounded value = RoundedProduct(zeros, RoundedPolynomial(NearVariable(near), kLgamma));
  return Select(to_the_left, Neg(log), log) + (value.value + value.rest);
}

XlaOp DigammaNear(XlaOp x) {
  const XlaOp small = Lt(x, K(x, 0.5));
  const XlaOp near = Select(small, x + K(x, 1), x);
  Rounded from_zero = RoundedSum(K(x, -kDigammaZero[0]), near);
  from_zero.rest = from_zero.rest - K(x, kDigammaZero[1]);
  const Rounded product =
      RoundedProduct(from_zero, RoundedPolynomial(NearVariable(near), kDigamma));
  const Rounded value = RoundedQuotient(product, {near, ZerosLike(x)});
  return value.value + value.rest - Select(small, K(x, 1) / x, ZerosLike(x));
}

XlaOp DigammaFar(XlaOp x) {
  const XlaOp middle = x - K(x, 0.5);
  const XlaOp z = K(x, 1) / (middle * middle);
  return Log(middle) + z * Polynomial(z, kDigammaFar);
}

// x log(x) without what rounding of the product loses. Where x is so large that halves of it are no
// floats that is nothing to the rest.
XlaOp LgammaFar(XlaOp x) {
  const Rounded product = RoundedProduct(x - K(x, 0.5), Log(x) - K(x, 1));
  const XlaOp rest = Select(Lt(x, K(x, 1e30)), product.rest, ZerosLike(x));
  const XlaOp constant = K(x, (std::log(2 * kPi) - 1) / 2);
  return product.value + (rest + (constant + Polynomial(K(x, 1) / (x * x), kLgammaFar) / x));
}

}  // namespace

XlaOp LgammaOfDouble(XlaOp x) {
  const XlaOp bound = K(x, kFarLgamma);
  const XlaOp left = Lt(x, K(x, 0));
  const XlaOp right_far = LgammaFar(Max(Select(left, K(x, 1) - x, x), bound));
  // The distance to the next integer, at most 1/2, gives |sin(pi x)| exactly near the poles.
  const XlaOp distance = Abs(x - RoundNearestEven(x));
  const XlaOp left_far = K(x, std::log(kPi)) - Log(Sin(K(x, kPi) * distance)) - right_far;
  const XlaOp far = Select(left, left_far, right_far);
  const XlaOp near = LgammaNear(Clamp(Neg(bound), x, bound));
  const XlaOp finite = Select(Gt(Abs(x), bound), far, near);
  // Numbers of 2^52 and more on the left are poles.
  return Select(Or(IsInf(x), Le(x, K(x, -0x1p52))), FullLike(x, kInfinity), finite);
}

// For large a, lgamma as Stirling's series, so that a log(x) and a log(a) become a log(x / a).
XlaOp LogGammaDensityOfDouble(XlaOp a, XlaOp x) {
  const XlaOp large = Max(a, K(a, kFarLgamma));
  const XlaOp distance = (x - large) / large;
  const XlaOp log_of_ratio = Select(Gt(distance, K(a, -0.5)), Log1p(distance), Log(x / large));
  const XlaOp far = large * log_of_ratio + (large - x) + K(a, 0.5) * Log(large) -
                    K(a, std::log(2 * kPi) / 2) -
                    Polynomial(K(a, 1) / (large * large), kLgammaFar) / large;
  const XlaOp near = a * Log(x) - x - LgammaOfDouble(a);
  return Select(Gt(a, K(a, kFarLgamma)), far, near);
}

XlaOp DigammaOfDouble(XlaOp x) {
  const XlaOp left = Lt(x, K(x, 0));
  const XlaOp z = Select(left, K(x, 1) - x, x);
  const XlaOp bound = K(x, kFarDigamma);
  const XlaOp right = Select(Gt(z, bound), DigammaFar(Max(z, bound)), DigammaNear(Min(z, bound)));
  // The distance to the next integer gives tan(pi x) exactly near the poles.
  const XlaOp offset = x - RoundNearestEven(x);
  const XlaOp result = Select(left, right - K(x, kPi) / Tan(K(x, kPi) * offset), right);
  const XlaOp pole = And(Le(x, K(x, 0)), Eq(x, Floor(x)));
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
