// Functions of two operands, for one element.
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>

#include "eval/complex_functions.h"
#include "eval/element_functions.h"
#include "eval/element_kernel.h"
#include "xla/comparison_util.h"

namespace xla::eval {
namespace {

int Width(const ElementContext& context) { return context.operand->bits; }

uint64_t Mask(const ElementContext& context) {
  return Width(context) == 64 ? ~uint64_t{0} : (uint64_t{1} << Width(context)) - 1;
}

// Integer arithmetic wraps around: it is done without sign and cut to the type's width when the
// result is rounded. For PRED rounding makes add `or` and multiply `and`.
struct Add {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (WideInteger<T>) {
      return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
    } else {
      return x + y;
    }
  }
};

struct Subtract {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (WideInteger<T>) {
      return static_cast<T>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
    } else {
      return x - y;
    }
  }
};

struct Multiply {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (WideInteger<T>) {
      return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
    } else {
      return x * y;
    }
  }
};

// x / 0 has all bits set; the most negative number over -1 is itself.
struct Divide {
  uint64_t operator()(uint64_t x, uint64_t y) const { return y == 0 ? ~uint64_t{0} : x / y; }
  int64_t operator()(int64_t x, int64_t y) const {
    if (y == 0) return -1;
    if (y == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
    return x / y;
  }
  double operator()(double x, double y) const { return x / y; }
  // Infinities are recovered as in annex G of the C standard, unless the real part of x is NaN,
  // which spoils both parts.
  template <std::same_as<complex128> T>
  T operator()(const ElementContext& context, T x, T y) const {
    if (std::isnan(x.real())) return {x.real(), x.real()};
    return Widened<std::divides<>>()(context, x, y);
  }
};

// The sign is that of x; x rem 0 is x.
struct Remainder {
  uint64_t operator()(uint64_t x, uint64_t y) const { return y == 0 ? x : x % y; }
  int64_t operator()(int64_t x, int64_t y) const { return y == 0 ? x : y == -1 ? 0 : x % y; }
  double operator()(double x, double y) const { return std::fmod(x, y); }
};

bool Less(complex128 x, complex128 y) {
  return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
}
template <typename T>
bool Less(T x, T y) {
  return x < y;
}

template <typename T>
bool IsNan(T x) {
  if constexpr (WideInteger<T>) {
    return false;
  } else if constexpr (WideReal<T>) {
    return std::isnan(x);
  } else {
    return std::isnan(x.real()) || std::isnan(x.imag());
  }
}

struct Maximum {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (WideReal<T>) {
      if (x == 0 && y == 0) return std::signbit(x) ? y : x;
    }
    return IsNan(x) || (!IsNan(y) && !Less(x, y)) ? x : y;
  }
};

struct Minimum {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (WideReal<T>) {
      if (x == 0 && y == 0) return std::signbit(x) ? x : y;
    }
    return IsNan(x) || (!IsNan(y) && !Less(y, x)) ? x : y;
  }
};

struct And {
  template <WideInteger T>
  T operator()(T x, T y) const {
    return x & y;
  }
};
struct Or {
  template <WideInteger T>
  T operator()(T x, T y) const {
    return x | y;
  }
};
struct Xor {
  template <WideInteger T>
  T operator()(T x, T y) const {
    return x ^ y;
  }
};

// A count that is negative, or at least the width, shifts everything out.
struct ShiftLeft {
  template <WideInteger T>
  T operator()(const ElementContext& context, T x, T count) const {
    const uint64_t by = static_cast<uint64_t>(count);
    return by < static_cast<uint64_t>(Width(context))
               ? static_cast<T>(static_cast<uint64_t>(x) << by)
               : 0;
  }
};
struct ShiftRightLogical {
  template <WideInteger T>
  T operator()(const ElementContext& context, T x, T count) const {
    const uint64_t by = static_cast<uint64_t>(count);
    const uint64_t bits = static_cast<uint64_t>(x) & Mask(context);
    return by < static_cast<uint64_t>(Width(context)) ? static_cast<T>(bits >> by) : 0;
  }
};
struct ShiftRightArithmetic {
  template <WideInteger T>
  T operator()(const ElementContext& context, T x, T count) const {
    const int unused = 64 - Width(context);
    const int64_t extended = static_cast<int64_t>(static_cast<uint64_t>(x) << unused) >> unused;
    const uint64_t by = static_cast<uint64_t>(count);
    return static_cast<T>(extended >> (by < 63 ? by : 63));
  }
};

// The upper half of the product.
struct Mulhi {
  uint64_t operator()(const ElementContext& context, uint64_t x, uint64_t y) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> Width(context));
  }
  int64_t operator()(const ElementContext& context, int64_t x, int64_t y) const {
    return static_cast<int64_t>((static_cast<__int128>(x) * y) >> Width(context));
  }
};

template <WideInteger T>
T IntegerPower(T base, uint64_t exponent) {
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent != 0; exponent >>= 1, square *= square) {
    if ((exponent & 1) != 0) result *= square;
  }
  return static_cast<T>(result);
}

struct FloatPower {
  template <std::floating_point T>
  T operator()(T x, T y) const {
    return std::pow(x, y);
  }
  template <std::floating_point T>
  std::complex<T> operator()(std::complex<T> x, std::complex<T> y) const {
    return ComplexPower(x, y);
  }
};

struct Power {
  uint64_t operator()(uint64_t x, uint64_t y) const { return IntegerPower(x, y); }
  // One over an integer rounds to zero unless the integer is 1 or -1.
  int64_t operator()(int64_t x, int64_t y) const {
    if (y >= 0) return IntegerPower(x, static_cast<uint64_t>(y));
    return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  }
  template <WideFloat T>
  T operator()(const ElementContext& context, T x, T y) const {
    return Widened<FloatPower>()(context, x, y);
  }
};

// The angle of the point (x, y).
struct Atan2 {
  template <std::floating_point T>
  T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
  template <std::floating_point T>
  std::complex<T> operator()(std::complex<T> y, std::complex<T> x) const {
    return ComplexAtan2(y, x);
  }
};

struct MakeComplex {
  complex128 operator()(double x, double y) const { return {x, y}; }
};

template <typename T>
bool CompareValues(ComparisonDirection direction, T x, T y) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return x == y;
    case ComparisonDirection::kNe:
      return x != y;
    default:
      break;
  }
  if constexpr (std::is_same_v<T, complex128>) {
    return false;  // Complex numbers have no order.
  } else {
    switch (direction) {
      case ComparisonDirection::kGe:
        return x >= y;
      case ComparisonDirection::kGt:
        return x > y;
      case ComparisonDirection::kLe:
        return x <= y;
      default:
        return x < y;
    }
  }
}

struct Compare {
  template <typename T>
  uint64_t operator()(const ElementContext& context, T x, T y) const {
    const auto direction = static_cast<ComparisonDirection>(context.parameters[0]);
    if constexpr (WideReal<T>) {
      if (static_cast<Comparison::Type>(context.parameters[1]) ==
          Comparison::Type::kFloatTotalOrder) {
        return CompareValues(direction, ToSignMagnitude(x), ToSignMagnitude(y));
      }
    }
    return CompareValues(direction, x, y);
  }
};

}  // namespace

#define HILO_ELEMENT_FUNCTION(Name, Functor) \
  ElementFunction Name##Of(Kind kind) { return Binary<Functor>(kind); }
HILO_ELEMENT_FUNCTION(Add, Add)
HILO_ELEMENT_FUNCTION(And, And)
HILO_ELEMENT_FUNCTION(Atan2, Widened<Atan2>)
HILO_ELEMENT_FUNCTION(Compare, Compare)
HILO_ELEMENT_FUNCTION(Complex, MakeComplex)
HILO_ELEMENT_FUNCTION(Divide, Divide)
HILO_ELEMENT_FUNCTION(Maximum, Maximum)
HILO_ELEMENT_FUNCTION(Minimum, Minimum)
HILO_ELEMENT_FUNCTION(Mulhi, Mulhi)
HILO_ELEMENT_FUNCTION(Multiply, Multiply)
HILO_ELEMENT_FUNCTION(Or, Or)
HILO_ELEMENT_FUNCTION(Power, Power)
HILO_ELEMENT_FUNCTION(Remainder, Remainder)
HILO_ELEMENT_FUNCTION(ShiftLeft, ShiftLeft)
HILO_ELEMENT_FUNCTION(ShiftRightArithmetic, ShiftRightArithmetic)
HILO_ELEMENT_FUNCTION(ShiftRightLogical, ShiftRightLogical)
HILO_ELEMENT_FUNCTION(Subtract, Subtract)
HILO_ELEMENT_FUNCTION(Xor, Xor)
#undef HILO_ELEMENT_FUNCTION

}  // namespace xla::eval
