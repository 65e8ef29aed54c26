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
Real SumOfLogs(const Real& n, const Real& f) {
  const Real p = Polynomial(f, {kLogOfFloat, kLogOfDouble});
  const Real rest =
      MulAdd(n, f.Constant(-2.12194440e-4, 0x1.a39ef35793c76p-33), (f * f) * MulAdd(f, p, -0.5));
  return MulAdd(n, f.Constant(0.693359375, 0x1.62e42fee00000p-1), f + rest);
}

// The logarithm of x from one that is right for positive finite numbers.
Real WithSpecialLogs(const Real& x, const Real& log) {
  const Real finite = Where(x < x.Infinity(), log, x);
  return Where(x <= 0, Where(x == 0, -x.Infinity(), x.Nan()), finite);
}

}  // namespace

Real Log(const Real& x) {
  const int digits = x.mantissa_bits();
  const Mask subnormal = x < std::ldexp(1.0, 1 - x.exponent_bias());
  const auto [n, f] = Split(Where(subnormal, x * std::ldexp(1.0, digits), x));
  const Real exponent = FromInteger(n, x) - Where(subnormal, x.Constant(digits), x.Constant(0));
  return WithSpecialLogs(x, SumOfLogs(exponent, f));
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
  if (x.is_double()) return CallLibrary("asinh", {x});
  const Real wide = Abs(ToDouble(x));
  const Real square = wide * wide;
  const Real excess = Where(wide < wide.Infinity(), square / (SquareRoot(square + 1) + 1), wide);
  return CopySign(ToFloat(Log1p(wide + excess)), x);
}

// log(x + sqrt(x^2 - 1))
Real Acosh(const Real& x) {
  if (x.is_double()) return CallLibrary("acosh", {x});
  const Real excess = ToDouble(x) - 1;
  const Real result = ToFloat(Log1p(excess + SquareRoot(excess * (excess + 2))));
  return Where(x < 1, x.Nan(), result);
}

// log((1 + x) / (1 - x)) / 2
Real Atanh(const Real& x) {
  if (x.is_double()) return CallLibrary("atanh", {x});
  const Real wide = Abs(ToDouble(x));
  return CopySign(ToFloat(Log1p(wide * 2 / (1 - wide)) * 0.5), x);
}

// e^(y log|x|), in doubles, which neither overflow nor lose digits that a float has.
Real Power(const Real& x, const Real& y) {
  if (x.is_double()) return CallLibrary("pow", {x, y});
  const Real base = ToDouble(x), exponent = ToDouble(y);
  const Real magnitude = Abs(base);
  const auto [n, f] = Split(magnitude);
  const Real log = WithSpecialLogs(magnitude, SumOfLogs(FromInteger(n, base), f));
  // (-1)^infinity is 1.
  const Real product = Where((magnitude == 1) & exponent.IsInfinite(), 0, log * exponent);
  const Real power = Exp(product);
  const Mask is_integer = Truncate(exponent) == exponent;
  const Real half = exponent * 0.5;
  const Mask is_odd = is_integer & (Truncate(half) != half);
  const Real result = Where(base.IsNegative() & is_odd, -power, power);
  const Mask undefined = (base < 0) & (base != -base.Infinity()) & !is_integer;
  return ToFloat(Where((base == 1) | (exponent == 0), 1, Where(undefined, base.Nan(), result)));
}

// From an estimate that takes a third of the exponent, in doubles, by Halley's method.
Real Cbrt(const Real& x) {
  if (x.is_double()) return CallLibrary("cbrt", {x});
  const Real a = Abs(ToDouble(x));
  // The upper half of a third of the bits, and what the bias lacks.
  const Whole third = ((Bits(a).ShiftRight(32) * Bits(a).Constant(0x55555556)).ShiftRight(32))
                      << 32;
  Real root = FromBits(third + (int64_t{715094163} << 32), a);
  for (int i = 0; i < 2; ++i) {
    const Real cube = root * root * root;
    root = root * (MulAdd(a, 2, cube) / MulAdd(cube, 2, a));
  }
  return CopySign(ToFloat(Where((a > 0) & (a < a.Infinity()), root, a)), x);
}

}  // namespace xla::cpu
