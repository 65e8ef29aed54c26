// Functions of one operand, for one element.
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>

#include "eval/complex_functions.h"
#include "eval/element_functions.h"
#include "eval/element_kernel.h"
#include "xla/primitive_util.h"

namespace xla::eval {
namespace {

// The bits that an integer of the operand's width has.
uint64_t Mask(const ElementContext& context) {
  return context.operand->bits == 64 ? ~uint64_t{0} : (uint64_t{1} << context.operand->bits) - 1;
}

struct Abs {
  uint64_t operator()(uint64_t x) const { return x; }
  int64_t operator()(int64_t x) const {
    return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
  }
  double operator()(double x) const { return std::fabs(x); }
  double operator()(complex128 z) const { return std::abs(z); }
};

struct Negate {
  template <WideInteger T>
  T operator()(T x) const {
    return static_cast<T>(0 - static_cast<uint64_t>(x));
  }
  template <WideFloat T>
  T operator()(T x) const {
    return -x;
  }
};

struct Not {
  uint64_t operator()(const ElementContext& context, uint64_t x) const {
    return ~x & Mask(context);
  }
  int64_t operator()(int64_t x) const { return ~x; }
};

struct CountLeadingZeros {
  template <WideInteger T>
  T operator()(const ElementContext& context, T x) const {
    const int unused = 64 - context.operand->bits;
    return static_cast<T>(std::countl_zero(static_cast<uint64_t>(x) & Mask(context)) - unused);
  }
};

struct PopulationCount {
  template <WideInteger T>
  T operator()(const ElementContext& context, T x) const {
    return static_cast<T>(std::popcount(static_cast<uint64_t>(x) & Mask(context)));
  }
};

struct ComplexSignFunction {
  template <std::floating_point T>
  std::complex<T> operator()(std::complex<T> z) const {
    return ComplexSign(z);
  }
};

struct Sign {
  uint64_t operator()(uint64_t x) const { return x != 0; }
  int64_t operator()(int64_t x) const { return (x > 0) - (x < 0); }
  double operator()(double x) const { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
  template <std::same_as<complex128> T>
  T operator()(const ElementContext& context, T z) const {
    return Widened<ComplexSignFunction>()(context, z);
  }
};

struct Ceil {
  double operator()(double x) const { return std::ceil(x); }
};
struct Floor {
  double operator()(double x) const { return std::floor(x); }
};
struct RoundNearestAfz {
  double operator()(double x) const { return std::round(x); }
};
struct RoundNearestEven {
  double operator()(double x) const { return std::nearbyint(x); }
};
struct IsFinite {
  uint64_t operator()(double x) const { return std::isfinite(x); }
};
struct RealPart {
  double operator()(double x) const { return x; }
  double operator()(complex128 z) const { return z.real(); }
};
struct ImaginaryPart {
  double operator()(double) const { return 0; }
  double operator()(complex128 z) const { return z.imag(); }
};

// Far on the left the power of -x would overflow before the result becomes zero.
template <typename T>
T RealLogistic(T x) {
  if (!(x < 0)) return 1 / (1 + std::exp(-x));
  const T power = std::exp(x);
  return power / (1 + power);
}

// What follows is never exact. These are for real and complex numbers of any precision.
#define HILO_STANDARD_FUNCTION(Name, function) \
  struct Name {                                \
    template <typename T>                      \
    T operator()(T x) const {                  \
      return std::function(x);                 \
    }                                          \
  };
HILO_STANDARD_FUNCTION(Acos, acos)
HILO_STANDARD_FUNCTION(Acosh, acosh)
HILO_STANDARD_FUNCTION(Asin, asin)
HILO_STANDARD_FUNCTION(Asinh, asinh)
HILO_STANDARD_FUNCTION(Atanh, atanh)
HILO_STANDARD_FUNCTION(Cos, cos)
HILO_STANDARD_FUNCTION(Exp, exp)
HILO_STANDARD_FUNCTION(Log, log)
HILO_STANDARD_FUNCTION(Sin, sin)
HILO_STANDARD_FUNCTION(ComplexSqrt, sqrt)
#undef HILO_STANDARD_FUNCTION

// Of real numbers exact but for one rounding, which a wider type would make two.
struct Sqrt {
  double operator()(double x) const { return std::sqrt(x); }
  template <std::same_as<complex128> T>
  T operator()(const ElementContext& context, T z) const {
    return Widened<ComplexSqrt>()(context, z);
  }
};

struct Erf {
  template <std::floating_point T>
  T operator()(T x) const {
    return std::erf(x);
  }
};

// Of real numbers by one formula, of complex ones by another.
#define HILO_FUNCTION_OF_TWO_KINDS(Name, expression)      \
  struct Name {                                           \
    template <std::floating_point T>                      \
    T operator()(T x) const {                             \
      return expression;                                  \
    }                                                     \
    template <std::floating_point T>                      \
    std::complex<T> operator()(std::complex<T> z) const { \
      return Complex##Name(z);                            \
    }                                                     \
  };
HILO_FUNCTION_OF_TWO_KINDS(Cbrt, std::cbrt(x))
HILO_FUNCTION_OF_TWO_KINDS(Cosh, std::cosh(x))
HILO_FUNCTION_OF_TWO_KINDS(Expm1, std::expm1(x))
HILO_FUNCTION_OF_TWO_KINDS(Log1p, std::log1p(x))
HILO_FUNCTION_OF_TWO_KINDS(Logistic, RealLogistic(x))
HILO_FUNCTION_OF_TWO_KINDS(Rsqrt, 1 / std::sqrt(x))
HILO_FUNCTION_OF_TWO_KINDS(Sinh, std::sinh(x))
HILO_FUNCTION_OF_TWO_KINDS(Tan, std::tan(x))
HILO_FUNCTION_OF_TWO_KINDS(Tanh, std::tanh(x))
#undef HILO_FUNCTION_OF_TWO_KINDS

// Rounds to `bits` digits after the binary point of the significand, ties to even.
double RoundSignificand(double x, int bits) {
  int exponent;
  const double fraction = std::frexp(x, &exponent);  // 0.5 <= |fraction| < 1
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits + 1)), exponent - bits - 1);
}

// To a format with fewer exponent and mantissa bits; what is too small becomes a signed zero.
struct ReducePrecision {
  double operator()(const ElementContext& context, double x) const {
    const PrimitiveType type = context.operand->type;
    if (!std::isfinite(x) || x == 0) return x;
    if (context.parameters[1] + 1 < primitive_util::SignificandWidth(type)) {
      x = RoundSignificand(x, context.parameters[1]);
    }
    if (context.parameters[0] >= primitive_util::ExponentWidth(type)) return x;
    const int bias = (1 << (context.parameters[0] - 1)) - 1;
    const int exponent = std::ilogb(x);
    if (exponent > bias) return std::copysign(std::numeric_limits<double>::infinity(), x);
    if (exponent < 1 - bias) return std::copysign(0.0, x);
    return x;
  }
};

}  // namespace

#define HILO_ELEMENT_FUNCTION(Name, Functor) \
  ElementFunction Name##Of(Kind kind) { return Unary<Functor>(kind); }
HILO_ELEMENT_FUNCTION(Abs, Abs)
HILO_ELEMENT_FUNCTION(Acos, Widened<Acos>)
HILO_ELEMENT_FUNCTION(Acosh, Widened<Acosh>)
HILO_ELEMENT_FUNCTION(Asin, Widened<Asin>)
HILO_ELEMENT_FUNCTION(Asinh, Widened<Asinh>)
HILO_ELEMENT_FUNCTION(Atanh, Widened<Atanh>)
HILO_ELEMENT_FUNCTION(Cbrt, Widened<Cbrt>)
HILO_ELEMENT_FUNCTION(Ceil, Ceil)
HILO_ELEMENT_FUNCTION(Clz, CountLeadingZeros)
HILO_ELEMENT_FUNCTION(Cos, Widened<Cos>)
HILO_ELEMENT_FUNCTION(Cosh, Widened<Cosh>)
HILO_ELEMENT_FUNCTION(Erf, Widened<Erf>)
HILO_ELEMENT_FUNCTION(Exp, Widened<Exp>)
HILO_ELEMENT_FUNCTION(Expm1, Widened<Expm1>)
HILO_ELEMENT_FUNCTION(Floor, Floor)
HILO_ELEMENT_FUNCTION(Imag, ImaginaryPart)
HILO_ELEMENT_FUNCTION(IsFinite, IsFinite)
HILO_ELEMENT_FUNCTION(Log, Widened<Log>)
HILO_ELEMENT_FUNCTION(Log1p, Widened<Log1p>)
HILO_ELEMENT_FUNCTION(Logistic, Widened<Logistic>)
HILO_ELEMENT_FUNCTION(Negate, Negate)
HILO_ELEMENT_FUNCTION(Not, Not)
HILO_ELEMENT_FUNCTION(PopulationCount, PopulationCount)
HILO_ELEMENT_FUNCTION(Real, RealPart)
HILO_ELEMENT_FUNCTION(ReducePrecision, ReducePrecision)
HILO_ELEMENT_FUNCTION(RoundNearestAfz, RoundNearestAfz)
HILO_ELEMENT_FUNCTION(RoundNearestEven, RoundNearestEven)
HILO_ELEMENT_FUNCTION(Rsqrt, Widened<Rsqrt>)
HILO_ELEMENT_FUNCTION(Sign, Sign)
HILO_ELEMENT_FUNCTION(Sin, Widened<Sin>)
HILO_ELEMENT_FUNCTION(Sinh, Widened<Sinh>)
HILO_ELEMENT_FUNCTION(Sqrt, Sqrt)
HILO_ELEMENT_FUNCTION(Tan, Widened<Tan>)
HILO_ELEMENT_FUNCTION(Tanh, Widened<Tanh>)
#undef HILO_ELEMENT_FUNCTION

}  // namespace xla::eval
