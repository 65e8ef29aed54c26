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
  Real r, square;  // and r * r
};

// What pi / 2 has beyond the digits of a double.
constexpr double kRestOfQuarter = 0x1.1a62633145c07p-54;

// pi / 2 in three parts. The product of n with the first is subtracted without a rounding error.
Angle Reduce(const Real& x) {
  const Rounded n = RoundProduct(x, 2 / pi);
  Real r = ExactMulAdd(n.number, -x.Constant(0x1.921fb6p+0, 0x1.921fb54442d18p+0), x);
  r = ExactMulAdd(n.number, -x.Constant(-0x1.777a5cp-25, kRestOfQuarter), r);
  // The last part is too small to show in the square, which need not wait for it.
  const Real square = r * r;
  r = ExactMulAdd(n.number, -x.Constant(-0x1.ee59dap-50, -0x1.f1976b7ed8fbcp-110), r);
  return {n.bits, r, square};
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
Real SinOfReduced(const Real& r, const Real& z) {
  return MulAdd(r * z, Polynomial(z, {{}, kSinOfDouble}), r);
}

Real CosOfReduced(const Real& z) {
  return MulAdd(z, MulAdd(z, Polynomial(z, {{}, kCosOfDouble}), -0.5), 1);
}

// The sine of an angle, or with one more quadrant its cosine.
Real SinOf(const Angle& angle, int64_t quadrants = 0) {
  const Whole quadrant = angle.quadrant + quadrants;
  const Real &r = angle.r, &z = angle.square;
  const Mask is_cosine = (quadrant & 1) != 0;
  const Whole sign = (quadrant & 2) << (r.is_double() ? 62 : 30);
  const auto with_sign = [&](const Real& value) { return FromBits(Bits(value) ^ sign, r); };
  // Both are a sum of the same form, and what is chosen first does not wait for the polynomial.
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

// ---- Inverse functions: those of floats are computed in doubles, to the accuracy of a float.

using Series = absl::Span<const double>;

// A turn by pi or pi / 2 less an angle. What a turn has beyond the digits of a double counts where
// the angle is exact.
enum class Turn { kQuarter = 1, kHalf = 2 };

Real TurnLess(Turn turn, const Real& angle, bool is_exact) {
  const int quarters = static_cast<int>(turn);
  return quarters * (pi / 2) - (is_exact ? angle - quarters * kRestOfQuarter : angle);
}

// asin r = r + r^3 A(r^2) for r <= 1/2
constexpr double kAsin[] = {0.16666753590106964, 0.07495249062776566, 0.0454767681658268,
                            0.024146877229213715, 0.04222338646650314};
constexpr double kAsinOfDouble[] = {
    0.16666666666666763,  0.07499999999970094,   0.044642857175288576, 0.030381942675194843,
    0.02237221590737158,  0.01735159548884703,   0.01398101850827045,  0.011397294423735554,
    0.010789307999182426, 0.0036722516927861267, 0.021790451797245446, -0.021116405464711677,
    0.032701947575600285};

struct HalfAngle {
  Mask is_large;  // then the angle is asin of sqrt((1 - |x|) / 2)
  Real angle;
};

HalfAngle AsinOfSmaller(const Real& x, bool is_exact) {
  const Series series = is_exact ? Series(kAsinOfDouble) : Series(kAsin);
  const Real magnitude = Abs(x);
  const Mask is_large = magnitude > 0.5;
  const Real square = Where(is_large, (1 - magnitude) * 0.5, x * x);
  const Real sine = Where(is_large, SquareRoot(square), magnitude);
  return {is_large, MulAdd(sine * square, Polynomial(square, {{}, series}), sine)};
}

// The result for |x| <= 1. Of others it is NaN, as the C library has it without a sign.
Real WithinOne(const Real& x, const Real& result) {
  return Where(Abs(x) > 1, Abs(x.Nan()), result);
}

// atan r = r + r^3 A(r^2) for r <= 1, of doubles for |r| <= tan(pi / 8)
constexpr double kAtan[] = {-0.3333332743216504,  0.19999692573178565,  -0.1428013030104327,
                            0.11060241946743088,  -0.08818839429124502, 0.0675955356620764,
                            -0.04494620508240968, 0.022760152154743838, -0.007422555806136692,
                            0.0011348632518026305};
constexpr double kAtanOfDouble[] = {-0.333333333333332,   0.19999999999953647, -0.14285714280202452,
                                    0.11111110783743315,  -0.0909089776520434, 0.07692060330798849,
                                    -0.06663105124404337, 0.05847895103268964, -0.0503932096257155,
                                    0.0380647137438911,   -0.01790708858654824};

Real AtanBySeries(const Real& r, Series series) {
  const Real square = r * r;
  return MulAdd(r * square, Polynomial(square, {{}, series}), r);
}

// The angle of (run, rise), 0 <= rise <= run.
Real AtanOfQuotient(const Real& rise, const Real& run, bool is_exact) {
  // Equal infinities and two zeros have no quotient.
  const Mask is_diagonal = (rise == run) & run.IsInfinite();
  if (!is_exact) {
    const Real ratio = Where(is_diagonal, 1, rise / run);
    return AtanBySeries(Where(run == 0, 0, ratio), kAtan);
  }
  // Angles above pi / 8 by their distance from pi / 4. The sum must not overflow.
  const Real scale = Where(run > 0x1p1022, 0.25, run.Constant(1));
  const Real y = rise * scale, x = run * scale;
  const Mask is_far = (y > x * 0x1.a82799p-2) | is_diagonal;
  const Real quotient = Where(is_far, y - x, y) / Where(is_far, y + x, x);
  const Real angle = AtanBySeries(Where((run == 0) | is_diagonal, 0, quotient), kAtanOfDouble);
  return Where(is_far, (angle + kRestOfQuarter / 2) + pi / 4, angle);
}

}  // namespace

Real Sin(const Real& x) {
  // The sum of the parts would lose the sign of zero.
  const Real usual = Where(x == 0, x, SinOf(Reduce(x)));
  return WhereRare(IsLargeAngle(x), usual, [&] { return CallLibrary("sin", {x}); });
}

Real Cos(const Real& x) {
  return WhereRare(IsLargeAngle(x), SinOf(Reduce(x), 1), [&] { return CallLibrary("cos", {x}); });
}

Real Tan(const Real& x) {
  if (!x.is_double()) {
    const Real wide = ToDouble(x);
    const auto [quadrant, r, square] = Reduce(wide);
    const Real tangent = MulAdd(r * square, Polynomial(square, {{}, kTan}), r);
    const Real result = Where((quadrant & 1) != 0, -1 / tangent, tangent);
    return WhereRare(IsLargeAngle(wide), ToFloat(Where(x == 0, wide, result)),
                     [&] { return CallLibrary("tan", {x}); });
  }
  const auto [quadrant, r, square] = Reduce(x);
  const Real sine = SinOfReduced(r, square), cosine = CosOfReduced(square);
  const Mask is_odd = (quadrant & 1) != 0;
  const Real quotient = Where(is_odd, -cosine, sine) / Where(is_odd, sine, cosine);
  return WhereRare(IsLargeAngle(x), Where(x == 0, x, quotient),
                   [&] { return CallLibrary("tan", {x}); });
}

Real Asin(const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("asin", {x});
  const bool is_exact = x.is_double();
  const auto [is_large, angle] = AsinOfSmaller(ToDouble(x), is_exact);
  const Real magnitude = Where(is_large, TurnLess(Turn::kQuarter, angle * 2, is_exact), angle);
  return WithinOne(x, CopySign(ToTypeOf(x, magnitude), x));
}

Real Acos(const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("acos", {x});
  const bool is_exact = x.is_double();
  const Real wide = ToDouble(x);
  const auto [is_large, angle] = AsinOfSmaller(wide, is_exact);
  const Real twice = angle * 2;
  const Real of_large = Where(wide < 0, TurnLess(Turn::kHalf, twice, is_exact), twice);
  const Real of_small = TurnLess(Turn::kQuarter, CopySign(angle, wide), is_exact);
  return WithinOne(x, ToTypeOf(x, Where(is_large, of_large, of_small)));
}

Real Atan2(const Real& y, const Real& x) {
  if (IsOneDouble(x)) return CallLibrary("atan2", {y, x});
  const bool is_exact = x.is_double();
  const Real a = Abs(ToDouble(y)), b = Abs(ToDouble(x));
  const Mask steep = a > b;
  const Real flat = AtanOfQuotient(Where(steep, b, a), Where(steep, a, b), is_exact);
  const Real right = Where(steep, TurnLess(Turn::kQuarter, flat, is_exact), flat);
  const Real angle = Where(x.IsNegative(), TurnLess(Turn::kHalf, right, is_exact), right);
  return CopySign(ToTypeOf(x, Where(a.IsNan() | b.IsNan(), a + b, angle)), y);
}

Real Hypot(const Real& x, const Real& y) {
  const Mask is_infinite = x.IsInfinite() | y.IsInfinite();
  const auto length_of = [](const Real& a, const Real& b) {
    return SquareRoot(MulAdd(a, a, b * b));
  };
  const Real length = Where(is_infinite, x.Infinity(), length_of(x, y));
  // The squares of smaller and larger numbers are not normal ones.
  const Mask is_normal =
      (length > x.Constant(0x1p-50, 0x1p-500)) & (length <= x.Constant(0x1p60, 0x1p500));
  const Mask is_plain = ((x == 0) & (y == 0)) | is_infinite | length.IsNan();
  return WhereRare((!is_normal) & (!is_plain), length, [&] {
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
  return WhereRare((!direct) & (a < a.Infinity()) & (b > 0) & (b < b.Infinity()), result, [&] {
    return CallLibrary("fmod", {x, y});
  });
}

}  // namespace xla::cpu
