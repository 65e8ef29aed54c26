#include "bench/accuracy/functions.h"

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "xla/hlo/builder/lib/math.h"

namespace xla::accuracy {
namespace {

// What the C library lacks, of real numbers.
namespace real {

template <typename T>
T Sign(T x) {
  return std::isnan(x) || x == 0 ? x : std::copysign(T(1), x);
}

template <typename T>
T Logistic(T x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const T e = std::exp(x);
  return e / (1 + e);
}

template <typename T>
T Maximum(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
  return x == y ? (std::signbit(x) ? y : x) : x > y ? x : y;
}

template <typename T>
T Minimum(T x, T y) {
  return -Maximum(-x, -y);
}

// Newton's method on erfc(y) = 1 - |x|, from Winitzki's approximation, which has an error of 0.2 %.
template <typename T>
T InverseErf(T x) {
  const T complement = 1 - std::fabs(x);
  if (x == 0 || std::isnan(x)) return x;
  if (complement <= 0) {
    return complement == 0 ? std::copysign(std::numeric_limits<T>::infinity(), x)
                           : std::numeric_limits<T>::quiet_NaN();
  }
  constexpr T kA = 0.147, kHalfRootPi = 1 / (2 * std::numbers::inv_sqrtpi_v<T>);
  const T log = std::log(complement) + std::log1p(std::fabs(x));
  const T b = 2 / (std::numbers::pi_v<T> * kA) + log / 2;
  T y = std::sqrt(std::sqrt(b * b - log / kA) - b);
  for (int i = 0; i < 5; ++i) {
    const T excess = complement < T(0.5) ? std::erfc(y) - complement : std::fabs(x) - std::erf(y);
    y += excess * kHalfRootPi * std::exp(y * y);
  }
  return std::copysign(y, x);
}

// Recurrence up to 20 and the asymptotic series (DLMF 5.5.2, 5.11.2); reflection (5.5.4) below
// zero.
template <typename T>
T Digamma(T x) {
  if (x == 0 || (x < 0 && x == std::floor(x))) return std::numeric_limits<T>::quiet_NaN();
  if (x < 0) {
    const T pi = std::numbers::pi_v<T>;
    return Digamma(1 - x) - pi / std::tan(pi * (x - std::round(x)));
  }
  T sum = 0;
  for (; x < 20; x += 1) sum -= 1 / x;
  // B(2k) / 2k
  constexpr T kTerms[] = {T(1) / 12,        T(-1) / 120,      T(1) / 252, T(-1) / 240,
                          T(1) / 132,       T(-691) / 32760,  T(1) / 12,  T(-3617) / 8160,
                          T(43867) / 14364, T(-174611) / 6600};
  T series = 0;
  for (int k = 9; k >= 0; --k) series = (series + kTerms[k]) / x / x;
  return sum + std::log(x) - 1 / (2 * x) - series;
}

}  // namespace real

// And of complex ones.
namespace complex {

using C = ComplexReference;

C Sign(C z) {
  const long double length = std::abs(z);
  return length == 0 ? z : C(z.real() / length, z.imag() / length);
}

// Undefined where the place within the period is, although annex G knows the absolute value or a
// zero.
C UnlessUndefined(bool is_defined, C z) { return is_defined ? z : C(NAN, NAN); }
C Cosh(C z) { return UnlessUndefined(std::isfinite(z.imag()), std::cosh(z)); }
C Sinh(C z) { return UnlessUndefined(std::isfinite(z.imag()), std::sinh(z)); }
C Tan(C z) {
  return UnlessUndefined(std::isfinite(z.real()) || !std::isfinite(z.imag()), std::tan(z));
}
C Tanh(C z) {
  return UnlessUndefined(std::isfinite(z.imag()) || !std::isfinite(z.real()), std::tanh(z));
}

C Cbrt(C z) { return z == 0.0L ? z : std::exp(std::log(z) / 3.0L); }

// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2)
C Expm1(C z) {
  if (z.imag() == 0) return {std::expm1(z.real()), z.imag()};
  if (!std::isfinite(z.imag())) return {NAN, NAN};
  if (!(std::fabs(z.real()) < 45)) return std::exp(z) - 1.0L;
  const long double half_sine = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half_sine * half_sine,
          std::exp(z.real()) * std::sin(z.imag())};
}

C Log1p(C z) {
  const long double x = z.real(), y = z.imag();
  if (std::abs(z) > 0.5L) return std::log(C(1 + x, y));
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}

C Logistic(C z) {
  if (std::fabs(z.real()) < 1 && std::isfinite(z.imag()))
    return (1.0L + std::tanh(z / 2.0L)) / 2.0L;
  if (z.real() >= 0) return 1.0L / (1.0L + std::exp(-z));
  const C e = std::exp(z);
  return e / (1.0L + e);
}

C Power(C x, C y) {
  if (y == 0.0L) return 1;
  if (x == 0.0L && y.real() > 0) return 0;
  if (x == 0.0L) return {y.real() < 0 ? INFINITY : NAN, NAN};
  return std::exp(y * std::log(x));
}

// The angle of the power is the imaginary part of y log x, which has fewer digits the larger it is.
bool KnowsPower(const C* operands) {
  return !(std::abs(operands[1] * std::log(operands[0])) > 0x1p10L);
}

// -i log((x + i y) / root). For small y that is the logarithm of one plus
// (x + i y) / root - 1 = (i y - y^2 / (x + root)) / root, or of minus that if the root is beside
// -x.
C Atan2(C y, C x) {
  const C i_y(-y.imag(), y.real());
  C root = std::sqrt(x * x + y * y), log;
  if (std::norm(y) < std::norm(x) / 4) {
    const bool same_side = x.real() * root.real() + x.imag() * root.imag() > 0;
    if (!same_side) root = -root;
    log = Log1p((i_y - y * y / (x + root)) / root);
    constexpr long double kPi = std::numbers::pi_v<long double>;
    if (!same_side) log += C(0, log.imag() > 0 ? -kPi : kPi);
  } else {
    log = std::log((x + i_y) / root);
  }
  return {log.imag(), -log.real()};
}

}  // namespace complex

using Operands = absl::Span<const XlaOp>;
using Build = XlaOp (*)(Operands);

// `F` is the type of a lambda without captures, for operands of any floating-point type.
template <typename F>
Function RealUnary(const char* name, Build build, F) {
  return {name,
          1,
          build,  //
          [](const double* x) -> double { return F()(x[0]); },
          [](const long double* x) -> long double { return F()(x[0]); },
          nullptr};
}

// MPFR computes with 96 bits; the results are rounded to long double.
class Number {
 public:
  Number() { mpfr_init2(value_, 96); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_ptr set(long double value) {
    mpfr_set_ld(value_, value, MPFR_RNDN);
    return value_;
  }
  long double rounded() const { return mpfr_get_ld(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
long double Mpfr(const long double* x) {
  thread_local Number operand, result;
  kFunction(result.get(), operand.set(x[0]), MPFR_RNDN);
  return result.rounded();
}

template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
long double Mpfr(const long double* x) {
  thread_local Number first, second, result;
  kFunction(result.get(), first.set(x[0]), second.set(x[1]), MPFR_RNDN);
  return result.rounded();
}

// 1 / (1 + exp(-x))
int MpfrLogistic(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_neg(result, x, rounding);
  mpfr_exp(result, result, rounding);
  mpfr_add_ui(result, result, 1, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}

// mpfr_rec_sqrt gives plus infinity at -0.
int MpfrRsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_sqrt(result, x, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}

int MpfrLgamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  int sign;
  return mpfr_lgamma(result, &sign, x, rounding);
}

int MpfrDigamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  if ((mpfr_inf_p(x) && mpfr_signbit(x)) || (mpfr_integer_p(x) && mpfr_sgn(x) <= 0)) {
    mpfr_set_nan(result);
    return 0;
  }
  return mpfr_digamma(result, x, rounding);
}

// With a reference of its own.
Function With(Function function, long double (*wide)(const long double*)) {
  function.wide = wide;
  return function;
}

template <typename F>
Function RealBinary(const char* name, Build build, F) {
  return {name,
          2,
          build,  //
          [](const double* x) -> double { return F()(x[0], x[1]); },
          [](const long double* x) -> long double { return F()(x[0], x[1]); },
          nullptr};
}

template <typename F>
Function ComplexUnary(const char* name, Build build, F) {
  return {name,    1,
          build,   nullptr,
          nullptr, [](const ComplexReference* z) -> ComplexReference { return F()(z[0]); }};
}

template <typename F>
Function ComplexBinary(const char* name, Build build, F) {
  return {name,    2,
          build,   nullptr,
          nullptr, [](const ComplexReference* z) -> ComplexReference {
            return F()(z[0], z[1]); }};
}

Function KnownWhere(Function function, bool (*knows)(const ComplexReference*)) {
  function.knows = knows;
  return function;
}

// A function of the builder, and its reference as an expression in x (and y).
#define BUILD_UNARY(Name) [](Operands operands) { return xla::Name(operands[0]); }
#define BUILD_BINARY(Name) [](Operands operands) { return xla::Name(operands[0], operands[1]); }
// Of those that the builder expands, as one operation.
#define BUILD_UNEXPANDED(Name) \
  [](Operands operands) { return xla::Name(operands[0], std::nullopt, /*expand=*/false); }
#define OF_X(expression) [](auto x) { return expression; }
#define OF_X_Y(expression) [](auto x, auto y) { return expression; }

}  // namespace

const std::vector<Function>& RealOperations() {
  static const auto* const functions = new std::vector<Function>{
      RealUnary("abs", BUILD_UNARY(Abs), OF_X(std::fabs(x))),
      RealUnary("negate", BUILD_UNARY(Neg), OF_X(-x)),
      RealUnary("sign", BUILD_UNARY(Sign), OF_X(real::Sign(x))),
      RealUnary("ceil", BUILD_UNARY(Ceil), OF_X(std::ceil(x))),
      RealUnary("floor", BUILD_UNARY(Floor), OF_X(std::floor(x))),
      RealUnary("round-nearest-afz", BUILD_UNARY(Round), OF_X(std::round(x))),
      RealUnary("round-nearest-even", BUILD_UNARY(RoundNearestEven), OF_X(std::nearbyint(x))),
      With(RealUnary("acos", BUILD_UNEXPANDED(Acos), OF_X(std::acos(x))), &Mpfr<mpfr_acos>),
      With(RealUnary("acosh", BUILD_UNEXPANDED(Acosh), OF_X(std::acosh(x))), &Mpfr<mpfr_acosh>),
      With(RealUnary("asin", BUILD_UNEXPANDED(Asin), OF_X(std::asin(x))), &Mpfr<mpfr_asin>),
      With(RealUnary("asinh", BUILD_UNEXPANDED(Asinh), OF_X(std::asinh(x))), &Mpfr<mpfr_asinh>),
      With(RealUnary("atanh", BUILD_UNEXPANDED(Atanh), OF_X(std::atanh(x))), &Mpfr<mpfr_atanh>),
      With(RealUnary("cbrt", BUILD_UNARY(Cbrt), OF_X(std::cbrt(x))), &Mpfr<mpfr_cbrt>),
      With(RealUnary("cosh", BUILD_UNEXPANDED(Cosh), OF_X(std::cosh(x))), &Mpfr<mpfr_cosh>),
      With(RealUnary("cosine", BUILD_UNARY(Cos), OF_X(std::cos(x))), &Mpfr<mpfr_cos>),
      With(RealUnary("erf", BUILD_UNARY(Erf), OF_X(std::erf(x))), &Mpfr<mpfr_erf>),
      With(RealUnary("exponential", BUILD_UNARY(Exp), OF_X(std::exp(x))), &Mpfr<mpfr_exp>),
      With(RealUnary("exponential-minus-one", BUILD_UNARY(Expm1), OF_X(std::expm1(x))),
           &Mpfr<mpfr_expm1>),
      With(RealUnary("log", BUILD_UNARY(Log), OF_X(std::log(x))), &Mpfr<mpfr_log>),
      With(RealUnary("log-plus-one", BUILD_UNARY(Log1p), OF_X(std::log1p(x))), &Mpfr<mpfr_log1p>),
      With(RealUnary("logistic", BUILD_UNARY(Logistic), OF_X(real::Logistic(x))),
           &Mpfr<MpfrLogistic>),
      With(RealUnary("rsqrt", BUILD_UNARY(Rsqrt), OF_X(1 / std::sqrt(x))), &Mpfr<MpfrRsqrt>),
      With(RealUnary("sine", BUILD_UNARY(Sin), OF_X(std::sin(x))), &Mpfr<mpfr_sin>),
      With(RealUnary("sinh", BUILD_UNEXPANDED(Sinh), OF_X(std::sinh(x))), &Mpfr<mpfr_sinh>),
      With(RealUnary("sqrt", BUILD_UNARY(Sqrt), OF_X(std::sqrt(x))), &Mpfr<mpfr_sqrt>),
      With(RealUnary("tan", BUILD_UNARY(Tan), OF_X(std::tan(x))), &Mpfr<mpfr_tan>),
      With(RealUnary("tanh", BUILD_UNARY(Tanh), OF_X(std::tanh(x))), &Mpfr<mpfr_tanh>),
      RealBinary("add", BUILD_BINARY(Add), OF_X_Y(x + y)),
      RealBinary("subtract", BUILD_BINARY(Sub), OF_X_Y(x - y)),
      RealBinary("multiply", BUILD_BINARY(Mul), OF_X_Y(x * y)),
      RealBinary("divide", BUILD_BINARY(Div), OF_X_Y(x / y)),
      RealBinary("remainder", BUILD_BINARY(Rem), OF_X_Y(std::fmod(x, y))),
      RealBinary("maximum", BUILD_BINARY(Max), OF_X_Y(real::Maximum(x, y))),
      RealBinary("minimum", BUILD_BINARY(Min), OF_X_Y(real::Minimum(x, y))),
      With(RealBinary("power", BUILD_BINARY(Pow), OF_X_Y(std::pow(x, y))), &Mpfr<mpfr_pow>),
      With(RealBinary("atan2", BUILD_BINARY(Atan2), OF_X_Y(std::atan2(x, y))), &Mpfr<mpfr_atan2>),
  };
  return *functions;
}

const std::vector<Function>& LibraryFunctions() {
  static const auto* const functions = new std::vector<Function>{
      With(RealUnary("Acos", BUILD_UNARY(Acos), OF_X(std::acos(x))), &Mpfr<mpfr_acos>),
      With(RealUnary("Acosh", BUILD_UNARY(Acosh), OF_X(std::acosh(x))), &Mpfr<mpfr_acosh>),
      With(RealUnary("Asin", BUILD_UNARY(Asin), OF_X(std::asin(x))), &Mpfr<mpfr_asin>),
      With(RealUnary("Asinh", BUILD_UNARY(Asinh), OF_X(std::asinh(x))), &Mpfr<mpfr_asinh>),
      With(RealUnary("Atan", BUILD_UNARY(Atan), OF_X(std::atan(x))), &Mpfr<mpfr_atan>),
      With(RealUnary("Atanh", BUILD_UNARY(Atanh), OF_X(std::atanh(x))), &Mpfr<mpfr_atanh>),
      With(RealUnary("Cosh", BUILD_UNARY(Cosh), OF_X(std::cosh(x))), &Mpfr<mpfr_cosh>),
      With(RealUnary("Sinh", BUILD_UNARY(Sinh), OF_X(std::sinh(x))), &Mpfr<mpfr_sinh>),
      With(RealUnary("Erfc", BUILD_UNARY(Erfc), OF_X(std::erfc(x))), &Mpfr<mpfr_erfc>),
      RealUnary("ErfInv", BUILD_UNARY(ErfInv), OF_X(real::InverseErf(x))),
      With(RealUnary("Lgamma", BUILD_UNARY(Lgamma), OF_X(std::lgamma(x))), &Mpfr<MpfrLgamma>),
      With(RealUnary("Digamma", BUILD_UNARY(Digamma), OF_X(real::Digamma(x))), &Mpfr<MpfrDigamma>),
      RealUnary("Square", BUILD_UNARY(Square), OF_X(x * x)),
      RealUnary("Reciprocal", BUILD_UNARY(Reciprocal), OF_X(1 / x)),
  };
  return *functions;
}

const std::vector<Function>& ComplexOperations() {
  static const auto* const functions = new std::vector<Function>{
      ComplexUnary("abs", BUILD_UNARY(Abs), OF_X(std::abs(x))),
      ComplexUnary("sign", BUILD_UNARY(Sign), OF_X(complex::Sign(x))),
      ComplexUnary("acos", BUILD_UNEXPANDED(Acos), OF_X(std::acos(x))),
      ComplexUnary("acosh", BUILD_UNEXPANDED(Acosh), OF_X(std::acosh(x))),
      ComplexUnary("asin", BUILD_UNEXPANDED(Asin), OF_X(std::asin(x))),
      ComplexUnary("asinh", BUILD_UNEXPANDED(Asinh), OF_X(std::asinh(x))),
      ComplexUnary("atanh", BUILD_UNEXPANDED(Atanh), OF_X(std::atanh(x))),
      ComplexUnary("cbrt", BUILD_UNARY(Cbrt), OF_X(complex::Cbrt(x))),
      ComplexUnary("cosh", BUILD_UNEXPANDED(Cosh), OF_X(complex::Cosh(x))),
      ComplexUnary("cosine", BUILD_UNARY(Cos), OF_X(std::cos(x))),
      ComplexUnary("exponential", BUILD_UNARY(Exp), OF_X(std::exp(x))),
      ComplexUnary("exponential-minus-one", BUILD_UNARY(Expm1), OF_X(complex::Expm1(x))),
      ComplexUnary("log", BUILD_UNARY(Log), OF_X(std::log(x))),
      ComplexUnary("log-plus-one", BUILD_UNARY(Log1p), OF_X(complex::Log1p(x))),
      ComplexUnary("logistic", BUILD_UNARY(Logistic), OF_X(complex::Logistic(x))),
      ComplexUnary("rsqrt", BUILD_UNARY(Rsqrt), OF_X(1.0L / std::sqrt(x))),
      ComplexUnary("sine", BUILD_UNARY(Sin), OF_X(std::sin(x))),
      ComplexUnary("sinh", BUILD_UNEXPANDED(Sinh), OF_X(complex::Sinh(x))),
      ComplexUnary("sqrt", BUILD_UNARY(Sqrt), OF_X(std::sqrt(x))),
      ComplexUnary("tan", BUILD_UNARY(Tan), OF_X(complex::Tan(x))),
      ComplexUnary("tanh", BUILD_UNARY(Tanh), OF_X(complex::Tanh(x))),
      ComplexBinary("add", BUILD_BINARY(Add), OF_X_Y(x + y)),
      ComplexBinary("subtract", BUILD_BINARY(Sub), OF_X_Y(x - y)),
      ComplexBinary("multiply", BUILD_BINARY(Mul), OF_X_Y(x * y)),
      ComplexBinary("divide", BUILD_BINARY(Div), OF_X_Y(x / y)),
      KnownWhere(ComplexBinary("power", BUILD_BINARY(Pow), OF_X_Y(complex::Power(x, y))),
                 &complex::KnowsPower),
      ComplexBinary("atan2", BUILD_BINARY(Atan2), OF_X_Y(complex::Atan2(x, y))),
  };
  return *functions;
}

}  // namespace xla::accuracy
