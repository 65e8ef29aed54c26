// Functions that are made of exponentials.
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

// tanh(x) = x + x^3 T(x^2) for small floats, of which a quotient loses digits
constexpr double kTanh[] = {-0.33333063, 0.13314906, -0.050371706};

// Q of doubles to the accuracy of floats.
constexpr double kShortExp[] = {0.5000000049240043,    0.1666666682519747,
                                0.04166634209723655,   0.008333270756392995,
                                0.0013942048540882663, 0.00019915584951361715};

struct PowerOfE {
  Whole bits;  // n + offset in the low ones, which shifts to the exponent keep
  int64_t offset;
  Real r;
};

// x is NaN or so small that n has a few bits less than a number's mantissa.
PowerOfE SplitExp(const Real& x, int64_t offset) {
  const Rounded n = RoundProduct(x, kLog2E, offset);
  // The first part of ln 2 has so few digits that its product is exact without fused arithmetic.
  const Real r = MulAdd(n.number, -x.Constant(0.693359375, 0x1.62e42fee00000p-1), x);
  return {n.bits, offset, MulAdd(n.number, -x.Constant(-2.12194440e-4, 0x1.a39ef35793c76p-33), r)};
}

// With the offset that HalvesOf asks for.
PowerOfE SplitScaledExp(const Real& x) { return SplitExp(x, 2 * x.exponent_bias()); }

constexpr Coefficients kExp = {kExpOfFloat, kExpOfDouble};

// e^r - 1
Real PowerMinusOne(const Real& r) { return MulAdd(r * r, Polynomial(r, kExp), r); }

// e^r
Real Power(const Real& r, const Coefficients& coefficients = kExp) {
  return MulAdd(r, MulAdd(r, Polynomial(r, coefficients), 1), 1);
}

Whole Exponent(const PowerOfE& e) { return e.bits - BitsOfRoundedZero(e.r) - e.offset; }

// 2^(n + more), where that is a normal number.
Real TwoToThe(const PowerOfE& e, int64_t more = 0) {
  return FromBits((e.bits + (e.r.exponent_bias() + more - e.offset)) << e.r.mantissa_bits(), e.r);
}

// Two factors of 2^n that are normal numbers where n is less than twice the largest exponent of
// one; the first is zero where n is as far below zero.
struct Halves {
  Real lower, upper;
};

Halves HalvesOf(const PowerOfE& e) {
  const Whole half = e.bits.ShiftRight(1);
  const int digits = e.r.mantissa_bits();
  return {FromBits(half << digits, e.r), FromBits((e.bits - half) << digits, e.r)};
}

// Where HalvesOf has zeros, times ln 2.
double LeastScaled(const Real& x) { return x.is_double() ? -1418.2 : -176.1; }

// power * 2^n, also where that is no normal number.
Real ScalePower(const Real& power, const PowerOfE& e) {
  if (power.builder().target().has_scale) return Scale(power, Exponent(e));
  const Halves halves = HalvesOf(e);
  return power * halves.lower * halves.upper;
}

// e^x, for x with a result that is a normal number.
Real NormalExp(const Real& x) {
  const PowerOfE e = SplitExp(x, x.exponent_bias());
  return Power(e.r) * TwoToThe(e);
}

// e^x that is zero below a number; x is at most the least one that gives infinity. What is far
// below, as masks are, is not multiplied until it vanishes: processors take long for that.
Real ScaledExp(const Real& x) {
  if (!x.builder().target().has_scale) {
    const PowerOfE e = SplitScaledExp(AtLeast(x, LeastScaled(x)));
    return ScalePower(Power(e.r), e);
  }
  const double least = x.is_double() ? -746 : -104;
  const PowerOfE e = SplitScaledExp(AtLeast(x, least));
  return ScalePower(Where(x < least, x.Constant(0), Power(e.r)), e);
}

// e^|x| / 4 = a + a p and e^-|x| / 4 = b - b p / (1 + p)
struct Hyperbolic {
  Real p, a, b;
};

Hyperbolic SplitHyperbolic(const Real& x) {
  const PowerOfE e = SplitExp(AtMost(Abs(x), x.is_double() ? 710.6 : 89.5), x.exponent_bias() - 2);
  const Whole least = (-2 - Exponent(e)).MaxSigned(1 - x.exponent_bias());
  return {PowerMinusOne(e.r), TwoToThe(e, -2), PowerOfTwo(least, x)};
}

// ---- erf

// erf(x) = x + x E(x^2) for small x; of others 1 - G(x)^4 in floats, 1 - exp(-L(x)) in doubles.
constexpr double kErfOfFloat[] = {0.12837917,  -0.3761263,    0.11283618,   -0.026855126,
                                  0.005190733, -0.0008030746, 7.9202975e-05};
constexpr double kErfOfDouble[] = {
    0.1283791670955126,     -0.3761263890318375,    0.11283791670954885,    -0.026866170645077878,
    0.005223977624828475,   -0.0008548326981428094, 0.00012055331133047608, -1.4925595774335472e-05,
    1.6461008511274393e-06, -1.635039656387863e-07, 1.4660330912041629e-08, -1.137496376482555e-09,
    5.960698155861718e-11};
constexpr double kRootOfErfc[] = {1.0021759,    -0.2935766,    -0.09333526,
                                  -0.01749625,  0.043825425,   -0.012756979,
                                  0.0007778466, 0.00017766912, -2.225254e-05};
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
  const PowerOfE e = SplitScaledExp(AtLeast(AtMost(high, 710), -746));
  return ScalePower(Power(e.r + finite), e);
}

Real ShortExp(const Real& x) {
  const PowerOfE e = SplitScaledExp(AtLeast(AtMost(x, 710), -746));
  return ScalePower(Power(e.r, {{}, kShortExp}), e);
}

Real Expm1(const Real& x) {
  const Real least = AtLeast(x, x.is_double() ? -40 : -20);
  const PowerOfE e = SplitExp(AtMost(least, x.is_double() ? 710 : 89), x.exponent_bias() - 1);
  // The power itself may be one more than the largest number; halves of the least ones are none.
  const Real half = TwoToThe(e, -1);
  const Real p = PowerMinusOne(e.r);
  return CopySign(Where(Exponent(e) == 0, p, MulAdd(half, p, half - 0.5) * 2), x);
}

// (e^2x - 1) / (e^2x + 1)
Real Tanh(const Real& x) {
  const Real bounded = AtMost(Abs(x), x.is_double() ? 20 : 10);
  const PowerOfE e = SplitExp(bounded * 2, x.exponent_bias());
  const Real power = TwoToThe(e);
  const Real p = PowerMinusOne(e.r);
  const Real difference = MulAdd(power, p, power - 1);
  const Real quotient = difference / (difference + 2);
  if (x.is_double()) return CopySign(quotient, x);
  const Real square = bounded * bounded;
  const Real small = MulAdd(bounded * square, Polynomial(square, {kTanh, {}}), bounded);
  return CopySign(Where(bounded < 0.3, small, quotient), x);
}

Real Sinh(const Real& x) {
  const auto [p, a, b] = SplitHyperbolic(x);
  const Real result = MulAdd(MulAdd(b, 1 / (p + 1), a), p, a - b) * 2;
  return Where(Abs(x) < (x.is_double() ? 0x1p-30 : 0x1p-12), x, CopySign(result, x));
}

Real Cosh(const Real& x) {
  const auto [p, a, b] = SplitHyperbolic(x);
  // What is largest is added last.
  return (MulAdd(a, p, MulAdd(-b, p / (p + 1), b)) + a) * 2;
}

// 2^n / (2^n + e^-r) of e^x = 2^n e^r
Real Logistic(const Real& x) {
  const PowerOfE e = SplitScaledExp(AtLeast(AtMost(x, x.is_double() ? 40 : 20), LeastScaled(x)));
  const Halves halves = HalvesOf(e);
  const Real sum = MulAdd(halves.lower, halves.upper, PowerMinusOne(-e.r)) + 1;
  return halves.lower / sum * halves.upper;
}

Real Erf(const Real& x) {
  const Real magnitude = Abs(x);
  const Real small = MulAdd(x, Polynomial(x * x, {kErfOfFloat, kErfOfDouble}), x);
  Real large = AtMost(magnitude, x.is_double() ? 6 : 3.93);
  if (x.is_double()) {
    large = 1 - NormalExp(-Polynomial(large, {{}, kLogErfcOfDouble}));
  } else {
    const Real root = Polynomial(large, {kRootOfErfc, {}});
    const Real square = root * root;
    large = MulAdd(-square, square, 1);
  }
  return Where(magnitude < 1, small, CopySign(large, x));
}

}  // namespace xla::cpu
