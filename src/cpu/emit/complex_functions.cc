// Functions of complex numbers.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cpu/emit/math.h"

namespace xla::cpu {
namespace {

Complex Where(const Mask& mask, const Complex& on_true, const Complex& on_false) {
  return {Where(mask, on_true.re, on_false.re), Where(mask, on_true.im, on_false.im)};
}

Complex Conjugate(const Complex& z) { return {z.re, -z.im}; }

Complex ComplexConstant(const Real& like, double re, double im) {
  return {like.Constant(re), like.Constant(im)};
}

Real Norm(const Complex& z) { return MulAdd(z.re, z.re, z.im * z.im); }

Real Length(const Complex& z) { return Hypot(z.re, z.im); }

Mask IsZero(const Complex& z) { return (z.re == 0) & (z.im == 0); }

Mask HasInfinity(const Complex& z) { return z.re.IsInfinite() | z.im.IsInfinite(); }

Mask HasNan(const Complex& z) { return z.re.IsNan() | z.im.IsNan(); }

Mask IsFinite(const Complex& z) {
  return (Abs(z.re) < z.re.Infinity()) & (Abs(z.im) < z.im.Infinity());
}

Complex ToDoubles(const Complex& z) { return {ToDouble(z.re), ToDouble(z.im)}; }

Complex FromDoubles(const Complex& like, const Complex& z) {
  return like.re.is_double() ? z : Complex{ToFloat(z.re), ToFloat(z.im)};
}

// A function of the C library with complex operand and result.
Complex CallComplexLibrary(absl::string_view name, const Complex& z) {
  const std::vector<Real> parts = CallLibrary(name, {z.re, z.im}, 2);
  return {parts[0], parts[1]};
}

Complex WhereRareComplex(const Mask& is_rare, const Complex& usual,
                         absl::FunctionRef<Complex()> exact) {
  const std::vector<Real> parts = WhereRare(is_rare, {usual.re, usual.im}, [&] {
    const Complex z = exact();
    return std::vector{z.re, z.im};
  });
  return {parts[0], parts[1]};
}

// A function of the compiler's library that multiplies or divides doubles, as annex G of the C
// standard says: it recovers infinities. Doubles do not overflow where floats did.
Complex CallArithmeticLibrary(absl::string_view name, const Complex& x, const Complex& y) {
  const std::vector<Real> parts = CallLibraryInDoubles(name, {x.re, x.im, y.re, y.im}, 2);
  return {parts[0], parts[1]};
}

// ---- Products and quotients

// What doubles have been: of two floats, the product is exact.
enum class Parts { kDoubles, kFloats };

// x * y + z * w, without the error of either product (Kahan).
Real SumOfProducts(const Real& x, const Real& y, const Real& z, const Real& w, Parts parts) {
  const Real product = z * w;
  if (parts == Parts::kFloats) return ExactMulAdd(x, y, product);
  const Real error = ExactMulAdd(z, w, -product);
  return ExactMulAdd(x, y, product) +
         Where(Abs(product) < product.Infinity(), error, error.Constant(0));
}

Complex FiniteProduct(const Complex& x, const Complex& y, Parts parts = Parts::kDoubles) {
  return {SumOfProducts(x.re, y.re, -x.im, y.im, parts),
          SumOfProducts(x.re, y.im, x.im, y.re, parts)};
}

Complex ComplexProduct(const Complex& x, const Complex& y) {
  const Complex product = FiniteProduct(x, y);
  return WhereRareComplex(product.re.IsNan() & product.im.IsNan(), product,
                          [&] { return CallArithmeticLibrary("__muldc3", x, y); });
}

// The number with its parts brought close to one, and by which power of two.
struct Scaled {
  Complex number;
  Whole exponent;
};

Scaled Normalized(const Complex& z) {
  const Real larger = Where(Abs(z.re) > Abs(z.im), Abs(z.re), Abs(z.im));
  const Whole exponent = Bits(larger).ShiftRight(52) - 1023;
  const Whole back = 0 - exponent;
  return {{Scale(z.re, back), Scale(z.im, back)}, exponent};
}

// A quotient with what it is where the formula gives NaN. A real part of x that is NaN spoils both.
Complex RecoveredQuotient(const Complex& x, const Complex& y, const Complex& quotient) {
  const Mask undefined = quotient.re.IsNan() & quotient.im.IsNan();
  return WhereRareComplex(undefined | x.re.IsNan(), quotient, [&] {
    return Where(x.re.IsNan(), Complex{x.re, x.re}, CallArithmeticLibrary("__divdc3", x, y));
  });
}

Complex Quotient(const Complex& x, const Complex& y) {
  const Scaled numerator = Normalized(x), denominator = Normalized(y);
  const Complex product = FiniteProduct(numerator.number, Conjugate(denominator.number));
  const Complex ratio = product / Norm(denominator.number);
  const Whole exponent =
      (numerator.exponent - denominator.exponent).MaxSigned(-2044).MinSigned(2046);
  return RecoveredQuotient(x, y, {Scale(ratio.re, exponent), Scale(ratio.im, exponent)});
}

// Of doubles that have been floats: their squares neither overflow nor underflow.
Complex QuotientOfFloats(const Complex& x, const Complex& y) {
  const Complex product = FiniteProduct(x, Conjugate(y), Parts::kFloats);
  return RecoveredQuotient(x, y, product * (1 / Norm(y)));
}

// ---- Functions that the C library lacks, or defines otherwise (eval/complex_functions.h)

Complex UnlessUndefined(const Mask& is_defined, const Complex& z) {
  return Where(is_defined, z, {z.re.Nan(), z.re.Nan()});
}

Complex ComplexCosh(const Complex& z) {
  return UnlessUndefined(IsFinite(z.im), CallComplexLibrary("ccosh", z));
}

Complex ComplexSinh(const Complex& z) {
  return UnlessUndefined(IsFinite(z.im), CallComplexLibrary("csinh", z));
}

Complex ComplexTan(const Complex& z) {
  return UnlessUndefined(IsFinite(z.re) | !IsFinite(z.im), CallComplexLibrary("ctan", z));
}

Complex ComplexTanh(const Complex& z) {
  return UnlessUndefined(IsFinite(z.im) | !IsFinite(z.re), CallComplexLibrary("ctanh", z));
}

Complex ComplexSign(const Complex& z) {
  const Complex number = Where(IsFinite(z), Normalized(z).number, z);
  return Where(IsZero(z), z, number / Length(number));
}

Complex ComplexCbrt(const Complex& z) {
  const Scaled scaled = Normalized(z);
  // About a third of the exponent; what is left stays with the number.
  const Whole third = (scaled.exponent * scaled.exponent.Constant(21846)).ShiftRightSigned(16);
  const Whole rest = scaled.exponent - third * third.Constant(3);
  const Complex number = {Scale(scaled.number.re, rest), Scale(scaled.number.im, rest)};
  const Real length = Cbrt(Length(number)), angle = Atan2(z.im, z.re) / 3;
  const Complex root = {Scale(length * Cos(angle), third), Scale(length * Sin(angle), third)};
  const Complex finite = WhereRareComplex(!IsFinite(z), root, [&] {
    return CallComplexLibrary("cexp", CallComplexLibrary("clog", z) / z.re.Constant(3));
  });
  return Where(IsZero(z), z, finite);
}

Complex ComplexRsqrt(const Complex& z) {
  const Complex root = CallComplexLibrary("csqrt", z);
  const Complex zero = {CopySign(z.re.Constant(0), root.re), CopySign(z.re.Constant(0), -root.im)};
  const Scaled scaled = Normalized(root);
  const Complex ratio = Conjugate(scaled.number) / Norm(scaled.number);
  const Whole exponent = 0 - scaled.exponent;
  const Complex inverse =
      Where(HasInfinity(root), zero, {Scale(ratio.re, exponent), Scale(ratio.im, exponent)});
  return Where(IsZero(z), {z.re.Infinity(), z.re.Nan()}, inverse);
}

// 1 / (1 + p) for p = exp(-z), or p / (1 + p) for p = exp(z): that of the two which is at most one.
Complex ComplexLogistic(const Complex& x) {
  const Mask left = x.re < 0;
  const Complex z = Where(left, x, -x);
  const Complex p = CallComplexLibrary("cexp", z);
  // Near a pole: 1 + e^x cos y = (e^x - 1) cos y + 2 cos^2(y / 2)
  const Real half = Cos(z.im * 0.5);
  const Real near_pole = MulAdd(Expm1(z.re), Cos(z.im), half * half * 2);
  const Complex sum = {Where(p.re < -0.5, near_pole, p.re + 1), p.im};
  const Real square = Norm(sum);
  const Complex of_left = {MulAdd(p.re, sum.re, p.im * sum.im) / square, p.im / square};
  return Where(left, of_left, Conjugate(sum) / square);
}

// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2), given e^x - 1.
Real RealExpm1(const Real& expm1, const Real& y) {
  const Real half = Sin(y * 0.5);
  return MulAdd(expm1, Cos(y), -(half * half * 2));
}

Complex ComplexExpm1(const Complex& z) {
  const Complex power = CallComplexLibrary("cexp", z);
  const Real near = RealExpm1(Expm1(z.re), z.im);
  // Far from zero subtracting one loses nothing.
  const Real re = Where(Abs(z.re) < 45, near, power.re - 1);
  return UnlessUndefined(IsFinite(z.im), Where(z.im == 0, {Expm1(z.re), z.im}, {re, power.im}));
}

// |1 + z|^2 - 1
Real NormOfOneMoreMinusOne(const Complex& z) { return MulAdd(z.re, z.re + 2, z.im * z.im); }

Complex ComplexLog1p(const Complex& z) {
  const Complex log = CallComplexLibrary("clog", {z.re + 1, z.im});
  const Real square_minus_one = NormOfOneMoreMinusOne(z);
  return {Where(Abs(square_minus_one) < 0.5, Log1p(square_minus_one) * 0.5, log.re), log.im};
}

Complex ComplexPower(const Complex& x, const Complex& y) {
  // No part of the product is too large where the sum of two is not, and an angle that is says
  // nothing, but must not take the modulus along.
  const Scaled scaled = Normalized(y);
  const Complex product = ComplexProduct(scaled.number, CallComplexLibrary("clog", x));
  const Real angle = Scale(product.im, scaled.exponent);
  const Real largest =
      x.re.Constant(std::numeric_limits<float>::max(), std::numeric_limits<double>::max());
  const Real bounded =
      Where(angle.IsInfinite() & (Abs(product.im) <= largest), CopySign(largest, angle), angle);
  const Complex power = CallComplexLibrary("cexp", {Scale(product.re, scaled.exponent), bounded});
  const Real infinity = x.re.Infinity(), nan = x.re.Nan();
  const Complex of_zero =
      Where(y.re > 0, ComplexConstant(x.re, 0, 0), {Where(y.re < 0, infinity, nan), nan});
  const Complex zero = ComplexConstant(x.re, 0, 0), one = ComplexConstant(x.re, 1, 0);
  const Complex of_infinity = Where(y.re > 0, {infinity, zero.im}, zero);
  const Mask is_infinity =
      (x.re == infinity) & (x.im == 0) & (y.im == 0) & ((y.re > 0) | (y.re < 0));
  const Mask is_one = IsZero(y) | ((x.re == 1) & (x.im == 0));
  return Where(is_one, one, Where(IsZero(x), of_zero, Where(is_infinity, of_infinity, power)));
}

// -i log((x + i y) / sqrt(x^2 + y^2)). Where |y| is small this is the arc tangent of y / x, or half
// a turn away if x and the root are on different sides; there the logarithm would lose digits.
Complex ComplexAtan2(const Complex& unscaled_y, const Complex& unscaled_x) {
  const Whole exponent =
      (0 - Normalized(unscaled_x).exponent).MinSigned(0 - Normalized(unscaled_y).exponent);
  const Complex x = {Scale(unscaled_x.re, exponent), Scale(unscaled_x.im, exponent)};
  const Complex y = {Scale(unscaled_y.re, exponent), Scale(unscaled_y.im, exponent)};
  const Complex root = CallComplexLibrary("csqrt", ComplexProduct(x, x) + ComplexProduct(y, y));
  const Complex turned = {x.re - y.im, x.im + y.re};
  const Complex log = CallComplexLibrary("clog", Quotient(turned, root));
  const Complex angle = CallComplexLibrary("catan", Quotient(y, x));
  const Real half_turn =
      Where(angle.re > 0, x.re.Constant(-std::numbers::pi), x.re.Constant(std::numbers::pi));
  const Mask same_side = MulAdd(x.re, root.re, x.im * root.im) > 0;
  const Complex flat = {Where(same_side, angle.re, angle.re + half_turn), angle.im};
  return Where(Norm(y) < Norm(x) * 0.25, flat, {log.im, -log.re});
}

// ---- Order: by the real part, then by the imaginary one; NaN before everything

Complex Choose(const Complex& x, const Complex& y, const Complex& low, const Complex& high) {
  const Mask less =
      ((low.re != high.re) & (low.re < high.re)) | ((low.re == high.re) & (low.im < high.im));
  return Where(HasNan(x) | !(HasNan(y) | less), x, y);
}

}  // namespace

Real Abs(const Complex& z) { return Length(z); }

namespace {

// The least number whose square root is no less than `root`, or is greater, which is positive and
// has a square.
template <typename T>
T LeastSquare(T root, bool is_greater) {
  if (is_greater) root = std::nextafter(root, std::numeric_limits<T>::max());
  T square = root * root;
  while (std::sqrt(square) < root) square = std::nextafter(square, std::numeric_limits<T>::max());
  for (T next = square; std::sqrt(next) >= root; next = std::nextafter(next, T(0))) square = next;
  return square;
}

}  // namespace

// Square roots are rounded and never decrease: those of all numbers from some one on are as long.
Mask CompareLength(const Complex& z, Comparison::Direction direction, double length) {
  using Direction = Comparison::Direction;
  const bool is_greater = direction == Direction::kLe || direction == Direction::kGt;
  const Real limit =
      z.re.Constant(z.re.is_double() ? LeastSquare(length, is_greater)
                                     : LeastSquare(static_cast<float>(length), is_greater));
  if (direction == Direction::kLt || direction == Direction::kLe) return Norm(z) < limit;
  return (Norm(z) >= limit) | HasInfinity(z);
}

Complex Negate(const Complex& z) { return -z; }
Complex Add(const Complex& x, const Complex& y) { return x + y; }
Complex Subtract(const Complex& x, const Complex& y) { return x - y; }
Complex Maximum(const Complex& x, const Complex& y) { return Choose(x, y, x, y); }
Complex Minimum(const Complex& x, const Complex& y) { return Choose(x, y, y, x); }

// In the plane, the error is at most sqrt(5) times that of rounding (Brent, Percival and
// Zimmermann, "Error bounds on complex floating-point multiplication", 2007).
Complex Multiply(const Complex& x, const Complex& y) {
  const Complex product = {MulAdd(x.re, y.re, -(x.im * y.im)), MulAdd(x.re, y.im, x.im * y.re)};
  // The difference of two parts is finite only where both are.
  const Mask is_finite = Abs(product.re - product.im) < product.re.Infinity();
  return WhereRareComplex(!is_finite, product,
                          [&] { return CallArithmeticLibrary("__muldc3", x, y); });
}

Complex Divide(const Complex& x, const Complex& y) {
  if (x.re.is_double()) return Quotient(x, y);
  return FromDoubles(x, QuotientOfFloats(ToDoubles(x), ToDoubles(y)));
}

namespace {

// ---- Functions of several numbers: formulas of real functions, whose errors floats do not see,
// where operands and results are ordinary numbers

struct Usual {
  Mask is_usual;
  Complex value;
};

// Exponential functions of these are doubles, and sines of these take a few operations.
Mask IsModerate(const Complex& z) { return (Abs(z.re) < 300) & (Abs(z.im) < 300); }

Usual UsualExp(const Complex& z) {
  const Real power = Exp(z.re);
  return {(Abs(z.re) < 300) & (Abs(z.im) < 1e5), {power * Cos(z.im), power * Sin(z.im)}};
}

Usual UsualExpm1(const Complex& z) {
  const Real less = Expm1(z.re);
  return {IsModerate(z), {RealExpm1(less, z.im), (less + 1) * Sin(z.im)}};
}

Usual UsualSinh(const Complex& z) {
  return {IsModerate(z), {Sinh(z.re) * Cos(z.im), Cosh(z.re) * Sin(z.im)}};
}

Usual UsualCosh(const Complex& z) {
  return {IsModerate(z), {Cosh(z.re) * Cos(z.im), Sinh(z.re) * Sin(z.im)}};
}

// tanh(x + i y) = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y)
Usual UsualTanh(const Complex& z) {
  const Real sinh = Sinh(z.re), sin = Sin(z.im), cos = Cos(z.im);
  const Real below = MulAdd(sinh, sinh, cos * cos);
  return {IsModerate(z), {sinh * Cosh(z.re) / below, sin * cos / below}};
}

// What a function f(z) is for which f(i z) = i g(z), given g.
Usual Turned(const Complex& z, Usual function(const Complex&)) {
  const Usual turned = function({-z.im, z.re});
  return {turned.is_usual, {turned.value.im, -turned.value.re}};
}

Usual UsualSin(const Complex& z) { return Turned(z, UsualSinh); }
Usual UsualTan(const Complex& z) { return Turned(z, UsualTanh); }
Usual UsualCos(const Complex& z) { return UsualCosh({-z.im, z.re}); }

// Far from where doubles overflow and underflow.
constexpr double kLeastNorm = 1e-280, kMostNorm = 1e280;
Mask IsOrdinary(const Real& norm) { return (norm > kLeastNorm) & (norm < kMostNorm); }

// The square of a number's length as a sum of two doubles.
struct ExactNorm {
  Real high, low;
};
ExactNorm ExactNormOf(const Complex& z) {
  const Real x = z.re * z.re, y = z.im * z.im, sum = x + y, of_y = sum - x;
  const Real errors = ExactMulAdd(z.re, z.re, -x) + ExactMulAdd(z.im, z.im, -y);
  return {sum, (x - (sum - of_y)) + (y - of_y) + errors};
}

Usual UsualLog(const Complex& z) {
  const ExactNorm norm = ExactNormOf(z);
  return {IsOrdinary(norm.high),
          {(Log(norm.high) + norm.low / norm.high) * 0.5, Atan2(z.im, z.re)}};
}

// Unless 1 + z is nearly zero.
Usual UsualLog1p(const Complex& z) {
  const Real square_minus_one = NormOfOneMoreMinusOne(z);
  return {(square_minus_one > -0.5) & (square_minus_one < kMostNorm),
          {Log1p(square_minus_one) * 0.5, Atan2(z.im, z.re + 1)}};
}

Complex SquareRootOfOrdinary(const Complex& z) {
  const Real root = SquareRoot((SquareRoot(Norm(z)) + Abs(z.re)) * 0.5);
  const Real other = Where(root > 0, Abs(z.im) / (root * 2), root);
  const Mask is_left = z.re.IsNegative();
  return {Where(is_left, other, root), CopySign(Where(is_left, root, other), z.im)};
}

// Of floats, and of doubles whose squares are normal numbers.
Mask HasSquares(const Complex& z) { return IsZero(z) | IsOrdinary(Norm(z)); }

Usual UsualSqrt(const Complex& z) { return {HasSquares(z), SquareRootOfOrdinary(z)}; }

Usual UsualRsqrt(const Complex& z) {
  const Complex root = SquareRootOfOrdinary(z);
  return {HasSquares(z) & !IsZero(z), Conjugate(root) / SquareRoot(Norm(z))};
}

// The inverse functions are W. Kahan's, "Branch cuts for complex elementary functions", 1987. They
// take the square roots of 1 - z, or of z - 1, and of 1 + z.
struct RootsAtOne {
  Mask is_usual;
  Complex left, right;
};
RootsAtOne RootsOf(const Complex& below, const Complex& above) {
  // Each root has half of the imaginary part, of which the smallest numbers lose digits.
  const Mask has_halves = (above.im == 0) | (Abs(above.im) > kLeastNorm);
  return {HasSquares(below) & HasSquares(above) & has_halves, SquareRootOfOrdinary(below),
          SquareRootOfOrdinary(above)};
}

Usual UsualAsin(const Complex& z) {
  const auto [is_usual, left, right] = RootsOf({1 - z.re, -z.im}, {z.re + 1, z.im});
  const Real re = MulAdd(left.re, right.re, -(left.im * right.im));
  const Real im = MulAdd(left.re, right.im, -(left.im * right.re));
  return {is_usual, {Atan2(z.re, re), Asinh(im)}};
}

Usual UsualAsinh(const Complex& z) { return Turned(z, UsualAsin); }

Usual UsualAcos(const Complex& z) {
  const auto [is_usual, left, right] = RootsOf({1 - z.re, -z.im}, {z.re + 1, z.im});
  const Real im = MulAdd(right.re, left.im, -(right.im * left.re));
  return {is_usual, {Atan2(left.re, right.re) * 2, Asinh(im)}};
}

Usual UsualAcosh(const Complex& z) {
  const auto [is_usual, left, right] = RootsOf({z.re - 1, z.im}, {z.re + 1, z.im});
  const Real re = MulAdd(left.re, right.re, left.im * right.im);
  return {is_usual, {Asinh(re), Atan2(left.im, right.re) * 2}};
}

Usual UsualAtanh(const Complex& z) {
  const Real square = z.im * z.im, x = Abs(z.re), left = 1 - x;
  const Real below = MulAdd(left, left, square);
  return {HasSquares(z) & (below > kLeastNorm),
          {CopySign(Log1p(x * 4 / below) * 0.25, z.re),
           Atan2(z.im * 2, MulAdd(left, x + 1, -square)) * 0.5}};
}

Complex OfSeveral(const Complex& z, Usual usual(const Complex&),
                  absl::FunctionRef<Complex(const Complex&)> exact) {
  const Complex doubles = ToDoubles(z);
  if (IsOneNumber(z.re)) return FromDoubles(z, exact(doubles));
  const Usual found = usual(doubles);
  return FromDoubles(
      z, WhereRareComplex(!found.is_usual, found.value, [&] { return exact(doubles); }));
}

// x^y as e^(y log x)
Complex UsualPower(const Complex& x, const Complex& y) {
  const Usual log = UsualLog(x);
  const Usual power = UsualExp(FiniteProduct(y, log.value));
  const Mask is_one = IsZero(y) | ((x.re == 1) & (x.im == 0));
  const Mask is_usual = log.is_usual & power.is_usual & !is_one;
  return WhereRareComplex(!is_usual, power.value, [&] { return ComplexPower(x, y); });
}

}  // namespace

Complex Power(const Complex& x, const Complex& y) {
  const bool is_exact = IsOneNumber(x.re);
  const Complex left = ToDoubles(x), right = ToDoubles(y);
  return FromDoubles(x, is_exact ? ComplexPower(left, right) : UsualPower(left, right));
}

// Functions of doubles, as those of the C library are.
#define HILO_ONE(Name, function) \
  Complex Name(const Complex& z) { return FromDoubles(z, function(ToDoubles(z))); }
#define HILO_USUAL(Name, function) \
  Complex Name(const Complex& z) { return OfSeveral(z, Usual##Name, function); }
#define HILO_LIBRARY(Name, name)                                                    \
  Complex Name(const Complex& z) {                                                  \
    return OfSeveral(z, Usual##Name,                                                \
                     [](const Complex& x) { return CallComplexLibrary(name, x); }); \
  }
HILO_LIBRARY(Acos, "cacos")
HILO_LIBRARY(Acosh, "cacosh")
HILO_LIBRARY(Asin, "casin")
HILO_LIBRARY(Asinh, "casinh")
HILO_LIBRARY(Atanh, "catanh")
HILO_ONE(Cbrt, ComplexCbrt)
HILO_LIBRARY(Cos, "ccos")
HILO_USUAL(Cosh, ComplexCosh)
HILO_LIBRARY(Exp, "cexp")
HILO_USUAL(Expm1, ComplexExpm1)
HILO_LIBRARY(Log, "clog")
HILO_USUAL(Log1p, ComplexLog1p)
HILO_ONE(Logistic, ComplexLogistic)
HILO_USUAL(Rsqrt, ComplexRsqrt)
HILO_ONE(Sign, ComplexSign)
HILO_LIBRARY(Sin, "csin")
HILO_USUAL(Sinh, ComplexSinh)
HILO_LIBRARY(Sqrt, "csqrt")
HILO_USUAL(Tan, ComplexTan)
HILO_USUAL(Tanh, ComplexTanh)
#undef HILO_ONE
#undef HILO_USUAL
#undef HILO_LIBRARY

Complex Atan2(const Complex& x, const Complex& y) {
  return FromDoubles(x, ComplexAtan2(ToDoubles(x), ToDoubles(y)));
}

}  // namespace xla::cpu
