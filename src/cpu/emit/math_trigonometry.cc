// Functions of angles, and remainders.
#include <cmath>
#include <numbers>

#include "cpu/emit/math.h"

namespace xla::cpu {
namespace {

using std::numbers::pi;

// ---- x = n pi / 2 + r with |r| <= pi / 4

struct Angle {
  Whole quadrant;  // in its low two bits
  Real r;
};

// pi / 2 in three parts. The product of n with the first is subtracted without a rounding error.
Angle Reduce(const Real& x) {
  const Rounded n = RoundProduct(x, 2 / pi);
  Real r = ExactMulAdd(n.number, -x.Constant(0x1.921fb6p+0, 0x1.921fb54442d18p+0), x);
  r = ExactMulAdd(n.number, -x.Constant(-0x1.777a5cp-25, 0x1.1a62633145c07p-54), r);
  r = ExactMulAdd(n.number, -x.Constant(-0x1.ee59dap-50, -0x1.f1976b7ed8fbcp-110), r);
  return {n.bits, r};
}

// So many quarter turns that the parts of pi / 2 are too short, which infinities do not mind.
Mask IsLargeAngle(const Real& x) {
  const Real magnitude = Abs(x);
  return (magnitude > (x.is_double() ? 0x1p21 : 0x1p16)) & (magnitude < x.Infinity());
}

// sin r = r + r^3 S(r^2), cos r = 1 - r^2 / 2 + r^4 C(r^2)
constexpr double kSinOfFloat[] = {-0.16666654, 0.008332102, -0.00019506806};
constexpr double kSinOfDouble[] = {-0.16666666666666627,    0.008333333333321286,
                                   -0.00019841269828870108, 2.75573133559652e-06,
                                   -2.5050704029439238e-08, 1.589358328568104e-10};
constexpr double kCosOfFloat[] = {0.041666646, -0.0013887301, 2.4430658e-05};
constexpr double kCosOfDouble[] = {0.04166666666666659,    -0.0013888888888872624,
                                   2.4801587288507825e-05, -2.7557314061101863e-07,
                                   2.0875682484588727e-09, -1.1357479136437088e-11};

// Of doubles, for a quotient of both.
Real SinOfReduced(const Real& r) {
  const Real z = r * r;
  return MulAdd(r * z, Polynomial(z, {{}, kSinOfDouble}), r);
}

Real CosOfReduced(const Real& r) {
  const Real z = r * r;
  return MulAdd(z, MulAdd(z, Polynomial(z, {{}, kCosOfDouble}), -0.5), 1);
}

// The sine of an angle with the quadrant.
Real SinOf(const Whole& quadrant, const Real& r) {
  const Mask is_cosine = (quadrant & 1) != 0;
  const Whole sign = (quadrant & 2) << (r.is_double() ? 62 : 30);
  const auto with_sign = [&](const Real& value) { return FromBits(Bits(value) ^ sign, r); };
  // Both are a sum of the same form, and what is chosen first does not wait for the polynomial.
  const Real z = r * r;
  std::vector<Real> coefficients;
  const auto choose = [&](absl::Span<const double> of_cosine, absl::Span<const double> of_sine) {
    for (size_t i = 0; i < of_sine.size(); ++i)
      coefficients.push_back(Where(is_cosine, r.Constant(of_cosine[i]), r.Constant(of_sine[i])));
  };
  r.is_double() ? choose(kCosOfDouble, kSinOfDouble) : choose(kCosOfFloat, kSinOfFloat);
  return MulAdd(with_sign(Where(is_cosine, z * z, r * z)), PolynomialOf(z, coefficients),
                with_sign(Where(is_cosine, MulAdd(z, z.Constant(-0.5), 1.0), r)));
}

// tan r = r + r^3 T(r^2), to the accuracy of a float
constexpr double kTan[] = {0.33333354720530883, 0.13332496337623922,  0.054078516272187085,
                           0.02118739138588155, 0.011079083474594456, -0.00021647105290083777,
                           0.004526308050319219};

// asin r = r + r^3 A(r^2) for r <= 1/2, to the accuracy of a float
constexpr double kAsin[] = {0.16666753590106964, 0.07495249062776566, 0.0454767681658268,
                            0.024146877229213715, 0.04222338646650314};

struct HalfAngle {
  Mask is_large;  // then the angle is asin of sqrt((1 - |x|) / 2)
  Real angle;
};

HalfAngle AsinOfSmaller(const Real& x) {
  const Real magnitude = Abs(x);
  const Mask is_large = magnitude > 0.5;
  const Real square = Where(is_large, (1 - magnitude) * 0.5, x * x);
  const Real sine = Where(is_large, SquareRoot(square), magnitude);
  return {is_large, MulAdd(sine * square, Polynomial(square, {{}, kAsin}), sine)};
}

// atan r = r + r^3 A(r^2) for r <= 1, to the accuracy of a float
constexpr double kAtan[] = {-0.3333332743216504,  0.19999692573178565,  -0.1428013030104327,
                            0.11060241946743088,  -0.08818839429124502, 0.0675955356620764,
                            -0.04494620508240968, 0.022760152154743838, -0.007422555806136692,
                            0.0011348632518026305};

}  // namespace

Real Sin(const Real& x) {
  const auto [quadrant, r] = Reduce(x);
  // The sum of the parts would lose the sign of zero.
  const Real usual = Where(x == 0, x, SinOf(quadrant, r));
  return WhereRare(IsLargeAngle(x), usual, [&] { return CallLibrary("sin", {x}); });
}

Real Cos(const Real& x) {
  const auto [quadrant, r] = Reduce(x);
  return WhereRare(IsLargeAngle(x), SinOf(quadrant + 1, r),
                   [&] { return CallLibrary("cos", {x}); });
}

Real Tan(const Real& x) {
  if (!x.is_double()) {
    const Real wide = ToDouble(x);
    const auto [quadrant, r] = Reduce(wide);
    const Real square = r * r;
    const Real tangent = MulAdd(r * square, Polynomial(square, {{}, kTan}), r);
    const Real result = Where((quadrant & 1) != 0, -1 / tangent, tangent);
    return WhereRare(IsLargeAngle(wide), ToFloat(Where(x == 0, wide, result)),
                     [&] { return CallLibrary("tan", {x}); });
  }
  const auto [quadrant, r] = Reduce(x);
  const Real sine = SinOfReduced(r), cosine = CosOfReduced(r);
  const Mask is_odd = (quadrant & 1) != 0;
  const Real quotient = Where(is_odd, -cosine, sine) / Where(is_odd, sine, cosine);
  return WhereRare(IsLargeAngle(x), Where(x == 0, x, quotient),
                   [&] { return CallLibrary("tan", {x}); });
}

Real Asin(const Real& x) {
  if (x.is_double()) return CallLibrary("asin", {x});
  const auto [is_large, angle] = AsinOfSmaller(ToDouble(x));
  return CopySign(ToFloat(Where(is_large, pi / 2 - angle * 2, angle)), x);
}

Real Acos(const Real& x) {
  if (x.is_double()) return CallLibrary("acos", {x});
  const Real wide = ToDouble(x);
  const auto [is_large, angle] = AsinOfSmaller(wide);
  const Real twice = angle * 2;
  return ToFloat(
      Where(is_large, Where(wide < 0, pi - twice, twice), pi / 2 - CopySign(angle, wide)));
}

Real Atan2(const Real& y, const Real& x) {
  if (x.is_double()) return CallLibrary("atan2", {y, x});
  const Real a = Abs(ToDouble(y)), b = Abs(ToDouble(x));
  const Mask steep = a > b;
  const Real larger = Where(steep, a, b);
  const Real quotient = Where(steep, b, a) / larger;
  // Equal infinities and two zeros have no quotient.
  const Real ratio = Where(larger == 0, 0, Where((a == b) & a.IsInfinite(), 1, quotient));
  const Real square = ratio * ratio;
  const Real flat = MulAdd(ratio * square, Polynomial(square, {{}, kAtan}), ratio);
  const Real right = Where(steep, pi / 2 - flat, flat);
  const Real angle = Where(x.IsNegative(), pi - right, right);
  return CopySign(ToFloat(Where(a.IsNan() | b.IsNan(), a + b, angle)), y);
}

Real Hypot(const Real& x, const Real& y) {
  const Mask is_infinite = x.IsInfinite() | y.IsInfinite();
  const auto length_of = [](const Real& a, const Real& b) {
    return SquareRoot(MulAdd(a, a, b * b));
  };
  const Real length = Where(is_infinite, x.Infinity(), length_of(x, y));
  // The squares of smaller and larger numbers are not normal ones.
  const Mask is_rare =
      !(length > x.Constant(0x1p-50, 0x1p-500)) | (length > x.Constant(0x1p60, 0x1p500));
  const Mask is_plain = (x == 0) & (y == 0) | is_infinite | length.IsNan();
  return WhereRare(is_rare & !is_plain, length, [&] {
    if (x.is_double()) return CallLibrary("hypot", {x, y});
    return ToFloat(length_of(ToDouble(x), ToDouble(y)));
  });
}

Real Remainder(const Real& x, const Real& y) {
  const Real a = Abs(x.is_double() ? x : ToDouble(x)), b = Abs(y.is_double() ? y : ToDouble(y));
  // Exact while the quotient's product with the divisor has no more digits than a double, or than
  // fused arithmetic sees.
  const Real quotient = Truncate(a / b);
  const Mask direct = quotient < (x.is_double() ? 0x1p52 : 0x1p29);
  Real rest = x.is_double() ? ExactMulAdd(-quotient, b, a) : MulAdd(-quotient, b, a);
  rest = Where(rest < 0, rest + b, rest);
  rest = Where((a < a.Infinity()) & b.IsInfinite(), a, rest);
  const Real result = CopySign(x.is_double() ? rest : ToFloat(rest), x);
  return WhereRare(!direct & (a < a.Infinity()) & (b > 0) & (b < b.Infinity()), result, [&] {
    return CallLibrary("fmod", {x, y});
  });
}

}  // namespace xla::cpu
