// Functions that are made of exponentials.
#include <optional>

#include "cpu/emit/math.h"

namespace xla::cpu {
namespace {

// ---- e^x = 2^n e^r = 2^n (1 + p) with |r| <= ln(2) / 2

constexpr double kLog2E = 1.4426950408889634;

// e^r = 1 + r + r^2 Q(r)
constexpr double kExpOfFloat[] = {0.5, 0.16666535, 0.041666605, 0.008367707, 0.0013918125};
constexpr double kExpOfDouble[] = {
    0.5000000000000007,     0.16666666666666688,    0.041666666666565995,   0.008333333333313032,
    0.0013888888935026785,  0.00019841269906852927, 2.4801501115029208e-05, 2.7557224219588375e-06,
    2.7627700603980586e-07, 2.5115738556318257e-08};

// tanh(x) = x + x^3 T(x^2) for small floats
constexpr double kTanh[] = {-0.333333, 0.13331935, -0.05378438, 0.02079671, -0.0058948016};

// Q of doubles to the accuracy of floats.
constexpr double kShortExp[] = {0.5000000049240043,    0.1666666682519747,
                                0.04166634209723655,   0.008333270756392995,
                                0.0013942048540882663, 0.00019915584951361715};

struct PowerOfE {
  Whole n;
  Real r, q;
};

// Of x + low, where low is a rounding error of x. x is NaN or so small that n has a few bits less
// than a number's mantissa.
PowerOfE SplitExp(const Real& x, const Coefficients& coefficients = {kExpOfFloat, kExpOfDouble},
                  const std::optional<Real>& low = std::nullopt) {
  const Rounded n = RoundProduct(x, kLog2E);
  // The first part of ln 2 has so few digits that its product is exact without fused arithmetic.
  Real r = MulAdd(n.number, -x.Constant(0.693359375, 0x1.62e42fee00000p-1), x);
  r = MulAdd(n.number, -x.Constant(-2.12194440e-4, 0x1.a39ef35793c76p-33), r);
  if (low.has_value()) r = r + *low;
  const Whole shift = Bits(x.Constant(0x1.8p23, 0x1.8p52));
  return {n.bits - shift, r, Polynomial(r, coefficients)};
}

// e^r - 1
Real PowerMinusOne(const PowerOfE& e) { return MulAdd(e.r * e.r, e.q, e.r); }

// e^r
Real Power(const PowerOfE& e) { return MulAdd(e.r, MulAdd(e.r, e.q, 1), 1); }

// e^x, for x with a result that is a normal number.
Real NormalExp(const Real& x) {
  const PowerOfE e = SplitExp(x);
  return Power(e) * PowerOfTwo(e.n, x);
}

// e^x that is zero below a number; x is at most the least one that gives infinity. What is below,
// as masks are, is not multiplied until it vanishes: processors take long for that.
Real ScaledExp(const Real& x) {
  const double least = x.is_double() ? -746 : -104;
  const PowerOfE e = SplitExp(AtLeast(x, least));
  return Scale(Where(x < least, x.Constant(0), Power(e)), e.n);
}

// e^|x| / 4 = a + a p and e^-|x| / 4 = b - b p / (1 + p)
struct Hyperbolic {
  Real p, a, b;
};

Hyperbolic SplitHyperbolic(const Real& x) {
  const PowerOfE e = SplitExp(AtMost(Abs(x), 710.6));
  return {PowerMinusOne(e), PowerOfTwo(e.n - 2, x), PowerOfTwo((-2 - e.n).MaxSigned(-1022), x)};
}

// ---- erf

// erf(x) = x + x E(x^2) for small x; 1 - exp(-L(x)) for others.
constexpr double kErfOfFloat[] = {0.12837915,   -0.37612477, 0.11281558,
                                  -0.026755685, 0.004975729, -0.0005897278};
constexpr double kErfOfDouble[] = {
    0.1283791670955126,     -0.3761263890318375,    0.11283791670954885,    -0.026866170645077878,
    0.005223977624828475,   -0.0008548326981428094, 0.00012055331133047608, -1.4925595774335472e-05,
    1.6461008511274393e-06, -1.635039656387863e-07, 1.4660330912041629e-08, -1.137496376482555e-09,
    5.960698155861718e-11};
constexpr double kLogErfcOfFloat[] = {-0.00018344201, 1.1295568,    0.6332628,      0.10837216,
                                      -0.025178697,   0.0041934834, -0.00043907462, 2.149287e-05};
constexpr double kLogErfcOfDouble[] = {
    -2.735725601263318e-08,  1.1283795104976573,      0.6366177295250248,
    0.10278026554730295,     -0.019148781587660115,   -0.00016858450993642644,
    0.0016328546684176313,   -0.0005110699536033329,  -5.421918578623109e-05,
    0.00013090140354394563,  -7.481783796767807e-05,  2.82708222952891e-05,
    -8.014409493470718e-06,  1.7496718884969217e-06,  -2.8835875417679166e-07,
    3.285099956348016e-08,   -1.6953289119771714e-09, -2.1364412096056108e-10,
    6.276627844075182e-11,   -7.767447512036673e-12,  5.741891481986643e-13,
    -2.4681832250048406e-14, 4.797101224884004e-16};

}  // namespace

Real Exp(const Real& x) {
  if (IsOneNumber(x)) return CallLibrary("exp", {x});
  return ScaledExp(AtMost(x, x.is_double() ? 710 : 89));
}

Real ExpOfSum(const Real& high, const Real& low) {
  const Real finite = Where(Abs(high) < 746, low, high.Constant(0));
  const PowerOfE e = SplitExp(AtLeast(AtMost(high, 710), -746), {{}, kExpOfDouble}, finite);
  return Scale(Power(e), e.n);
}

Real ShortExp(const Real& x) {
  const PowerOfE e = SplitExp(AtLeast(AtMost(x, 710), -746), {{}, kShortExp});
  return Scale(Power(e), e.n);
}

Real Expm1(const Real& x) {
  const Real least = AtLeast(x, x.is_double() ? -40 : -20);
  const PowerOfE e = SplitExp(AtMost(least, x.is_double() ? 710 : 89));
  // The power itself may be one more than the largest number; halves of the least ones are none.
  const Real half = PowerOfTwo(e.n - 1, x);
  const Real p = PowerMinusOne(e);
  return CopySign(Where(e.n == 0, p, MulAdd(half, p, half - 0.5) * 2), x);
}

// (e^2x - 1) / (e^2x + 1), which is 1 - 2 / (e^2x + 1)
Real Tanh(const Real& x) {
  const Real bounded = AtMost(Abs(x), x.is_double() ? 20 : 10);
  const PowerOfE e = SplitExp(bounded * 2);
  const Real power = PowerOfTwo(e.n, x);
  const Real p = PowerMinusOne(e);
  const Real sum = MulAdd(power, p, power + 1);
  if (!x.is_double()) {
    const Real square = x * x;
    const Real small = MulAdd(x * square, Polynomial(square, {kTanh, {}}), x);
    // The sum has lost the sign of zero.
    return CopySign(Where(bounded < 0.6, small, 1 - 2 / sum), x);
  }
  const Mask is_small = bounded < 0.55;
  const Real quotient = Where(is_small, MulAdd(power, p, power - 1), x.Constant(-2)) / sum;
  return CopySign(Where(is_small, quotient, quotient + 1), x);
}

Real Sinh(const Real& x) {
  if (!x.is_double()) return ToFloat(Sinh(ToDouble(x)));
  const auto [p, a, b] = SplitHyperbolic(x);
  const Real result = MulAdd(MulAdd(b, 1 / (p + 1), a), p, a - b) * 2;
  return Where(Abs(x) < 0x1p-30, x, CopySign(result, x));
}

Real Cosh(const Real& x) {
  if (!x.is_double()) return ToFloat(Cosh(ToDouble(x)));
  const auto [p, a, b] = SplitHyperbolic(x);
  return MulAdd(a, p, MulAdd(-b, p / (p + 1), a + b)) * 2;
}

// The power of the two that is at most one does not overflow.
Real Logistic(const Real& x) {
  const Real power = ScaledExp(-Abs(x));
  const Real sum = power + 1;
  const Mask left = x < 0;
  const Real quotient = Where(left, power, x.Constant(1)) / sum;
  // What rounding the sum has lost, times the derivative.
  const Real lost = (power - (sum - 1)) * Where(left, 1 - quotient, quotient);
  return MulAdd(-lost, quotient, quotient);
}

Real Erf(const Real& x) {
  const Real magnitude = Abs(x);
  const Real small = MulAdd(x, Polynomial(x * x, {kErfOfFloat, kErfOfDouble}), x);
  const Real bounded = AtMost(magnitude, x.is_double() ? 6 : 4);
  const Real large = 1 - NormalExp(-Polynomial(bounded, {kLogErfcOfFloat, kLogErfcOfDouble}));
  return Where(magnitude < (x.is_double() ? 1.0 : 0.95), small, CopySign(large, x));
}

}  // namespace xla::cpu
