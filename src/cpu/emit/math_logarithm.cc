// Functions that are made of logarithms, and powers.
#include <cmath>
#include <numbers>

#include "cpu/emit/math.h"

namespace xla::cpu {
namespace {

// log(1 + f) = f + f^2 (-1/2 + f P(f)) for 1 + f between sqrt(1/2) and sqrt(2)
constexpr double kLogOfFloat[] = {0.33333316, -0.25000814, 0.20002313, -0.16624452,
                                  0.14180522, -0.13129133, 0.12886693, -0.07864912};
constexpr double kLogOfDouble[] = {
    0.3333333333333325,  -0.24999999999987588, 0.20000000000027576, -0.16666666669896307,
    0.14285714284932202, -0.1249999968874349,  0.11111110862306812, -0.10000015100765294,
    0.0909093313966613,  -0.08332923906945934, 0.07691359118528067, -0.07149132398975826,
    0.0668635663177091,  -0.06201117357327332, 0.05659712139959806, -0.05645874595083949,
    0.06508501361401058, -0.06073100571006336, 0.026913327202930052};

// P of doubles to the accuracy of floats.
constexpr double kShortLog[] = {0.3333333398130124,   -0.24999997890759698, 0.19999902481360118,
                                -0.16666783935179967, 0.14290419958560735,  -0.12500402829459373,
                                0.1101297090523248,   -0.0989836567461602,  0.09975871990612419,
                                -0.09978583697737044, 0.055353689543500215};

// 2^n (1 + f) of positive normal numbers.
struct Factors {
  Whole n;
  Real f;
};

Factors Split(const Real& x) {
  const Whole root = Bits(x.Constant(std::numbers::sqrt2 / 2));
  const Whole n = (Bits(x) - root).ShiftRightSigned(x.mantissa_bits());
  return {n, FromBits(Bits(x) - (n << x.mantissa_bits()), x) - 1};
}

// n log(2) + log(1 + f)
Real SumOfLogs(const Real& n, const Real& f,
               const Coefficients& coefficients = {kLogOfFloat, kLogOfDouble}) {
  const Real p = Polynomial(f, coefficients);
  const Real rest =
      MulAdd(n, f.Constant(-2.12194440e-4, 0x1.a39ef35793c76p-33), (f * f) * MulAdd(f, p, -0.5));
  return MulAdd(n, f.Constant(0.693359375, 0x1.62e42fee00000p-1), f + rest);
}

// The logarithm of x from one that is right for positive finite numbers.
Real WithSpecialLogs(const Real& x, const Real& log) {
  const Real finite = Where(x < x.Infinity(), log, x);
  return Where(x <= 0, Where(x == 0, -x.Infinity(), x.Nan()), finite);
}

// n as a number, and f, of subnormal numbers as well.
struct Exponents {
  Real n, f;
};

Exponents SplitAny(const Real& x) {
  const int digits = x.mantissa_bits();
  const Mask subnormal = x < std::ldexp(1.0, 1 - x.exponent_bias());
  const auto [n, f] = Split(Where(subnormal, x * std::ldexp(1.0, digits), x));
  return {FromInteger(n, x) - Where(subnormal, x.Constant(digits), x.Constant(0)), f};
}

// ---- Powers of positive numbers

// A number as the sum of two, of which the second is a rounding error of the first.
struct Pair {
  Real high, low;
};

// |x| is not less than |y|.
Pair SumOf(const Real& x, const Real& y) {
  const Real high = x + y;
  return {high, (x - high) + y};
}

Pair ProductOf(const Pair& x, const Pair& y) {
  const Real high = x.high * y.high;
  return {high, ExactMulAdd(x.high, y.high, -high) + (x.high * y.low + x.low * y.high)};
}

// log(1 + f) = 2 s + s^3 (2/3 + z W(z)) with s = f / (2 + f) and z = s^2
constexpr double kW[] = {0.4000000000000003,  0.2857142857133742,  0.22222222271544162,
                         0.18181808181955916, 0.15385579194158136, 0.13285821621340607,
                         0.1291518960438853};

// The logarithm with ten bits more than a double has.
Pair LongLog(const Real& x) {
  const auto [n, f] = SplitAny(x);
  const Real sum = f + 2;
  const Real inverse = 1 / sum;
  Pair s = {f * inverse, f};
  s.low = (ExactMulAdd(-s.high, sum, f) - s.high * (f - (sum - 2))) * inverse;
  const Pair square = ProductOf(s, s);
  Pair factor = SumOf(x.Constant(2.0 / 3), square.high * Polynomial(square.high, {{}, kW}));
  factor.low = factor.low + 0x1.5555555555555p-55;  // of two thirds
  const Pair rest = ProductOf(ProductOf(s, square), factor);
  const Pair of_f = SumOf(s.high * 2, rest.high);
  const Pair log = SumOf(n * 0x1.62e42fee00000p-1, of_f.high);
  const Real low = log.low + (of_f.low + (s.low * 2 + rest.low) + n * 0x1.a39ef35793c76p-33);
  return SumOf(log.high, low);
}

Real PowerOfPositive(const Real& x, const Real& y) {
  const Pair log = LongLog(x);
  const Real high = WithSpecialLogs(x, log.high);
  const Real product = y * high;
  return ExpOfSum(product, ExactMulAdd(y, high, -product) + y * log.low);
}

// log(1 + x), or log(2 x) of numbers beside which one is nothing.
Real LogOfSum(const Real& x, const Mask& is_huge) {
  return Log1p(x) + Where(is_huge, x.Constant(std::numbers::ln2), x.Constant(0));
}

// Of floats in doubles, which neither overflow nor lose digits that a float has.
Real ShortPowerOfPositive(const Real& x, const Real& y) {
  const auto [n, f] = Split(x);
  return ShortExp(y * WithSpecialLogs(x, SumOfLogs(FromInteger(n, x), f, {{}, kShortLog})));
}

}  // namespace

Real Log(const Real& x) {
  if (IsOneNumber(x)) return CallLibrary("log", {x});
  const auto [n, f] = SplitAny(x);
  return WithSpecialLogs(x, SumOfLogs(n, f));
}

Real Log1p(const Real& x) {
  const Real sum = x + 1;
  // What rounding the sum has lost.
  const Real kept = sum - 1;
  const Real lost = (1 - (sum - kept)) + (x - kept);
  const auto [n, f] = Split(sum);
  const Real scaled = lost * PowerOfTwo(0 - n.MinSigned(x.exponent_bias() - 1), x);
  return CopySign(WithSpecialLogs(sum, SumOfLogs(FromInteger(n, x), f + scaled)), x);
}

// log(|x| + sqrt(x^2 + 1))
Real Asinh(const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("asinh", {x});
  const Real magnitude = Abs(x);
  const Real square = magnitude * magnitude;
  const Mask has_square = square < x.Infinity();
  const Real excess = Where(has_square, square / (SquareRoot(square + 1) + 1), x.Constant(0));
  return CopySign(LogOfSum(magnitude + excess, !has_square), x);
}

// log(x + sqrt(x^2 - 1))
Real Acosh(const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("acosh", {x});
  const Real excess = x - 1;
  const Real square = excess * (excess + 2);
  const Mask has_square = square < x.Infinity();
  const Real root = Where(has_square, SquareRoot(square), x.Constant(0));
  return Where(x < 1, x.Nan(), LogOfSum(excess + root, !has_square));
}

// log((1 + x) / (1 - x)) / 2
Real Atanh(const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("atanh", {x});
  const Real magnitude = Abs(x);
  const Real result = Log1p(magnitude * 2 / (1 - magnitude)) * 0.5;
  return Where(magnitude > 1, x.Nan(), CopySign(result, x));
}

Real Power(const Real& x, const Real& y) {
  if (IsOneNumber(x)) return CallLibrary("pow", {x, y});
  const Real magnitude = Abs(x);
  // (-1)^infinity is 1.
  const Real exponent = Where((magnitude == 1) & y.IsInfinite(), 2, y);
  const Real power = x.is_double()
                         ? PowerOfPositive(magnitude, exponent)
                         : ToFloat(ShortPowerOfPositive(ToDouble(magnitude), ToDouble(exponent)));
  const Mask is_integer = Truncate(y) == y;
  const Real half = y * 0.5;
  const Mask is_odd = is_integer & (Truncate(half) != half);
  const Real result = Where(x.IsNegative() & is_odd, -power, power);
  const Mask undefined = (x < 0) & (magnitude < x.Infinity()) & !is_integer;
  return Where((x == 1) | (y == 0), 1, Where(undefined, x.Nan(), result));
}

// From an estimate that takes a third of the exponent, in doubles, by Halley's method; of doubles
// with a step of Newton's at the end.
Real Cbrt(const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("cbrt", {x});
  const Real magnitude = Abs(ToDouble(x));
  // Twice the largest ones are infinite.
  const Mask is_tiny = magnitude < 0x1p-1022;
  const Mask is_huge = magnitude > 0x1p1022;
  const auto scaled = [&](const Real& y, double up) {
    if (!x.is_double()) return y;
    return y * Where(is_tiny, up, Where(is_huge, 1 / up, y.Constant(1)));
  };
  const Real a = scaled(magnitude, 0x1p54);
  // The upper half of a third of the bits, and what the bias lacks.
  const Whole third = ((Bits(a).ShiftRight(32) * Bits(a).Constant(0x55555556)).ShiftRight(32))
                      << 32;
  Real root = FromBits(third + (int64_t{715094163} << 32), a);
  for (int i = 0; i < 2; ++i) {
    const Real cube = root * root * root;
    root = root * (MulAdd(a, 2, cube) / MulAdd(cube, 2, a));
  }
  if (x.is_double()) {
    const Real square = root * root;
    root = root - ExactMulAdd(square, root, -a) / (square * 3);
  }
  const Mask has_root = (magnitude > 0) & (magnitude < magnitude.Infinity());
  return CopySign(ToTypeOf(x, Where(has_root, scaled(root, 0x1p-18), magnitude)), x);
}

}  // namespace xla::cpu
