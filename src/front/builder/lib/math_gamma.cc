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

// (1 + 2 x) exp(x * x) erfc(x) in (x - 4) / (x + 4), for x from 1 to 28.
constexpr std::array<double, 20> kScaledErfc = {
    1.2329951186255526,     -0.1396211168405621,    0.015379652102626476,    0.06809705425463249,
    -0.10103906603678565,   0.09373283500109669,    -0.06633036579915613,    0.037167515479303,
    -0.016197734232444454,  0.005031970658568154,   -0.0007577720084146634,  -0.0001992614599670884,
    0.00015061640956455519, -2.437863942756269e-05, -1.1210757585917035e-05, 5.65551849424945e-06,
    2.8598887065481874e-07, -7.433404875181438e-07, 6.329918461164905e-08,   4.904565274335357e-08};

XlaOp ErfcTail(XlaOp x) {
  const XlaOp four = K(x, 4);
  return Polynomial((x - four) / (x + four), kScaledErfc) / (K(x, 1) + K(x, 2) * x) *
         ExpOfNegativeSquare(x);
}

XlaOp ErfcOfDouble(XlaOp x) {
  // Past 28 the result is zero, and infinities would give inf / inf.
  const XlaOp size = Clamp(K(x, 1), Abs(x), K(x, 28));
  const XlaOp tail = ErfcTail(size);
  const XlaOp outer = Select(Lt(x, K(x, 0)), K(x, 2) - tail, tail);
  return Select(Gt(Abs(x), K(x, 1)), outer, K(x, 1) - Erf(x));
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
    const XlaOp step = error * K(x, std::sqrt(kPi) / 2) / ExpOfNegativeSquare(y);
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

// Between these bounds the functions follow from their values within 1/2 of some point, by
// f(x + 1) = f(x) + g(x); beyond them, from asymptotic expansions and reflection at 1/2.
constexpr double kFarLgamma = 8.5;
constexpr double kFarDigamma = 8;
// How many steps there are at most.
constexpr int kSteps = 10;

// lgamma(2 + d) / d for |d| <= 1/2.
constexpr std::array<double, 19> kLgamma = {
    0.42278433509846713,    0.32246703342411326,    -0.06735230105319831,    0.02058080842778057,
    -0.007385551028649724,  0.002890510331023663,   -0.0011927539127578198,  0.00050966951567794,
    -0.0002231547351776103, 9.945767000828688e-05,  -4.492653098902626e-05,  2.050561759413081e-05,
    -9.437237718751206e-06, 4.3845888365627645e-06, -2.0497503122143785e-06, 9.203168580609403e-07,
    -4.200518417558737e-07, 2.784923447075461e-07,  -1.4328706310963293e-07};
// In 1 / x^2 for x >= kFarLgamma: x times what is missing in (x - 1/2) log(x) - x + log(2 pi) / 2.
constexpr std::array<double, 7> kLgammaFar = {
    0.08333333333333333,   -0.002777777777775937,  0.0007936507914976837, -0.0005952371486989555,
    0.0008415516868619476, -0.0018957787957378813, 0.005198829322963074};
// The zero of digamma as a sum, and digamma(1.5 + u) / (1.5 + u - zero) for |u| <= 1/2.
constexpr std::array<double, 2> kDigammaZero = {1.4616321449683622, 9.549995429965697e-17};
constexpr std::array<double, 22> kDigamma = {
    0.951055876031833,     -0.4236274212814606,     0.24054248424077398,   -0.14840492305389008,
    0.09498872445497282,   -0.06192213327469411,    0.040760833810798404,  -0.02697579669131671,
    0.01790725248172053,   -0.011908219418080781,   0.007926944014022792,  -0.0052799462748457735,
    0.0035190121598390736, -0.002345420629898902,   0.0015565993006551983, -0.001036842930316352,
    0.0007234370985345564, -0.00048472780425406684, 0.0002270249550151467, -0.0001469821678845169,
    0.000259851590858648,  -0.00017655960420957217};
// In 1 / x^2 for x >= kFarDigamma: x^2 times what is too much in log(x) - 1 / (2 x).
constexpr std::array<double, 8> kDigammaFar = {
    0.08333333333333333,   -0.008333333333331734, 0.003968253966070282, -0.004166665528490365,
    0.0075754648353656496, -0.021051521019836032, 0.08004474480389892,  -0.29981544971232155};

// Where recurrences lead to: x = near + steps. The factors or terms on the way are those of
// first, first + 1, ..., `count` of them.
struct Walk {
  XlaOp near, steps, first, count;
};

Walk WalkTo(XlaOp x, XlaOp steps) {
  const XlaOp near = x - steps;
  return {near, steps, Select(Lt(steps, K(x, 0)), x, near), Abs(steps)};
}

// `right` where the way leads from the left to the right, else `-right`.
XlaOp Towards(const Walk& walk, XlaOp right) {
  return Select(Lt(walk.steps, K(right, 0)), Neg(right), right);
}

XlaOp LgammaNear(XlaOp x) {
  const Walk walk = WalkTo(x, RoundNearestEven(x) - K(x, 2));
  XlaOp product = FullLike(x, 1);
  for (int j = 0; j < kSteps; ++j) {
    const XlaOp factor = walk.first + K(x, j);
    product = Select(Lt(K(x, j), walk.count), product * factor, product);
  }
  // Not walk.near - 2, which has lost digits of small numbers.
  const XlaOp d = x - RoundNearestEven(x);
  return d * Polynomial(d, kLgamma) + Towards(walk, Log(Abs(product)));
}

XlaOp DigammaNear(XlaOp x) {
  const Walk walk = WalkTo(x, Floor(x) - K(x, 1));
  XlaOp sum = ZerosLike(x);
  for (int j = 0; j < kSteps; ++j) {
    const XlaOp term = K(x, 1) / (walk.first + K(x, j));
    sum = Select(Lt(K(x, j), walk.count), sum + term, sum);
  }
  const XlaOp from_zero = (walk.near - K(x, kDigammaZero[0])) - K(x, kDigammaZero[1]);
  return from_zero * Polynomial(walk.near - K(x, 1.5), kDigamma) + Towards(walk, sum);
}

}  // namespace

XlaOp LgammaOfDouble(XlaOp x) {
  const XlaOp bound = K(x, kFarLgamma);
  const XlaOp left = Lt(x, K(x, 0));
  const XlaOp z = Max(Select(left, K(x, 1) - x, x), bound);
  const XlaOp right_far = (z - K(x, 0.5)) * (Log(z) - K(x, 1)) + K(x, (std::log(2 * kPi) - 1) / 2) +
                          Polynomial(K(x, 1) / (z * z), kLgammaFar) / z;
  // The distance to the next integer, at most 1/2, gives |sin(pi x)| exactly near the poles.
  const XlaOp distance = Abs(x - RoundNearestEven(x));
  const XlaOp left_far = K(x, std::log(kPi)) - Log(Sin(K(x, kPi) * distance)) - right_far;
  const XlaOp far = Select(left, left_far, right_far);
  const XlaOp near = LgammaNear(Clamp(Neg(bound), x, bound));
  const XlaOp finite = Select(Gt(Abs(x), bound), far, near);
  return Select(IsInf(x), FullLike(x, kInfinity), finite);
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
  const XlaOp bound = K(x, kFarDigamma);
  const XlaOp left = Lt(x, K(x, 0));
  const XlaOp z = Max(Select(left, K(x, 1) - x, x), bound);
  const XlaOp inverse = K(x, 1) / z;
  const XlaOp square = inverse * inverse;
  const XlaOp right_far = Log(z) - K(x, 0.5) * inverse - square * Polynomial(square, kDigammaFar);
  const XlaOp offset = x - RoundNearestEven(x);
  const XlaOp left_far = right_far - K(x, kPi) / Tan(K(x, kPi) * offset);
  const XlaOp far = Select(left, left_far, right_far);
  const XlaOp near = DigammaNear(Clamp(Neg(bound), x, bound));
  const XlaOp result = Select(Gt(Abs(x), bound), far, near);
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
