// Functions of one operand, for one element.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

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

struct Sign {
  uint64_t operator()(uint64_t x) const { return x != 0; }
  int64_t operator()(int64_t x) const { return (x > 0) - (x < 0); }
  double operator()(double x) const { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
  complex128 operator()(complex128 z) const {
    const double length = std::abs(z);
    return length == 0 ? complex128(0) : z / length;
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
struct Erf {
  double operator()(double x) const { return std::erf(x); }
};

struct RealPart {
  double operator()(double x) const { return x; }
  double operator()(complex128 z) const { return z.real(); }
};
struct ImaginaryPart {
  double operator()(double) const { return 0; }
  double operator()(complex128 z) const { return z.imag(); }
};

// What the standard library has for both kinds.
#define HILO_STANDARD_FUNCTION(Name, function) \
  struct Name {                                \
    template <WideFloat T>                     \
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
HILO_STANDARD_FUNCTION(Cosh, cosh)
HILO_STANDARD_FUNCTION(Exp, exp)
HILO_STANDARD_FUNCTION(Log, log)
HILO_STANDARD_FUNCTION(Sin, sin)
HILO_STANDARD_FUNCTION(Sinh, sinh)
HILO_STANDARD_FUNCTION(Sqrt, sqrt)
HILO_STANDARD_FUNCTION(Tan, tan)
HILO_STANDARD_FUNCTION(Tanh, tanh)
#undef HILO_STANDARD_FUNCTION

struct Cbrt {
  double operator()(double x) const { return std::cbrt(x); }
  complex128 operator()(complex128 z) const { return z == 0.0 ? z : std::exp(std::log(z) / 3.0); }
};

struct Rsqrt {
  double operator()(double x) const { return 1 / std::sqrt(x); }
  complex128 operator()(complex128 z) const {
    if (z == 0.0)
      return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    return 1.0 / std::sqrt(z);
  }
};

struct Logistic {
  template <WideFloat T>
  T operator()(T x) const {
    return 1.0 / (1.0 + std::exp(-x));
  }
};

struct Expm1 {
  double operator()(double x) const { return std::expm1(x); }
  // e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2)
  complex128 operator()(complex128 z) const {
    const double x = z.real(), y = z.imag();
    if (y == 0) return {std::expm1(x), y};
    const double half_sine = std::sin(y / 2);
    return {std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine, std::exp(x) * std::sin(y)};
  }
};

struct Log1p {
  double operator()(double x) const { return std::log1p(x); }
  // |1 + z|^2 - 1 = x (2 + x) + y^2, exact enough near zero.
  complex128 operator()(complex128 z) const {
    const double x = z.real(), y = z.imag();
    const double square_minus_one = x * (2 + x) + y * y;
    const double real = std::fabs(square_minus_one) < 0.5
                            ? 0.5 * std::log1p(square_minus_one)
                            : std::log(std::abs(complex128(1 + x, y)));
    return {real, std::atan2(y, 1 + x)};
  }
};

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

ElementFunction FindUnaryFunction(HloOpcode opcode, Kind kind) {
  switch (opcode) {
    case HloOpcode::kAbs:
      return Unary<Abs>(kind);
    case HloOpcode::kAcos:
      return Unary<Acos>(kind);
    case HloOpcode::kAcosh:
      return Unary<Acosh>(kind);
    case HloOpcode::kAsin:
      return Unary<Asin>(kind);
    case HloOpcode::kAsinh:
      return Unary<Asinh>(kind);
    case HloOpcode::kAtanh:
      return Unary<Atanh>(kind);
    case HloOpcode::kCbrt:
      return Unary<Cbrt>(kind);
    case HloOpcode::kCeil:
      return Unary<Ceil>(kind);
    case HloOpcode::kClz:
      return Unary<CountLeadingZeros>(kind);
    case HloOpcode::kCos:
      return Unary<Cos>(kind);
    case HloOpcode::kCosh:
      return Unary<Cosh>(kind);
    case HloOpcode::kErf:
      return Unary<Erf>(kind);
    case HloOpcode::kExp:
      return Unary<Exp>(kind);
    case HloOpcode::kExpm1:
      return Unary<Expm1>(kind);
    case HloOpcode::kFloor:
      return Unary<Floor>(kind);
    case HloOpcode::kImag:
      return Unary<ImaginaryPart>(kind);
    case HloOpcode::kIsFinite:
      return Unary<IsFinite>(kind);
    case HloOpcode::kLog:
      return Unary<Log>(kind);
    case HloOpcode::kLog1p:
      return Unary<Log1p>(kind);
    case HloOpcode::kLogistic:
      return Unary<Logistic>(kind);
    case HloOpcode::kNegate:
      return Unary<Negate>(kind);
    case HloOpcode::kNot:
      return Unary<Not>(kind);
    case HloOpcode::kPopulationCount:
      return Unary<PopulationCount>(kind);
    case HloOpcode::kReal:
      return Unary<RealPart>(kind);
    case HloOpcode::kReducePrecision:
      return Unary<ReducePrecision>(kind);
    case HloOpcode::kRoundNearestAfz:
      return Unary<RoundNearestAfz>(kind);
    case HloOpcode::kRoundNearestEven:
      return Unary<RoundNearestEven>(kind);
    case HloOpcode::kRsqrt:
      return Unary<Rsqrt>(kind);
    case HloOpcode::kSign:
      return Unary<Sign>(kind);
    case HloOpcode::kSin:
      return Unary<Sin>(kind);
    case HloOpcode::kSinh:
      return Unary<Sinh>(kind);
    case HloOpcode::kSqrt:
      return Unary<Sqrt>(kind);
    case HloOpcode::kTan:
      return Unary<Tan>(kind);
    case HloOpcode::kTanh:
      return Unary<Tanh>(kind);
    default:
      return nullptr;
  }
}

}  // namespace xla::eval
