// Facts about element types and the switches that turn a PrimitiveType into a C++ type.
#ifndef HILO_INCLUDE_XLA_PRIMITIVE_UTIL_H_
#define HILO_INCLUDE_XLA_PRIMITIVE_UTIL_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/log/check.h"
#include "absl/log/log.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla::primitive_util {

// Every element type an array can have, with the C++ type of one element in a literal.
// X(enumerator, C++ type).
#define XLA_FOR_EACH_SIGNED_TYPE(X) \
  X(S1, ::xla::s1)                  \
  X(S2, ::xla::s2)                  \
  X(S4, ::xla::s4)                  \
  X(S8, int8_t)                     \
  X(S16, int16_t)                   \
  X(S32, int32_t)                   \
  X(S64, int64_t)
#define XLA_FOR_EACH_UNSIGNED_TYPE(X) \
  X(U1, ::xla::u1)                    \
  X(U2, ::xla::u2)                    \
  X(U4, ::xla::u4)                    \
  X(U8, uint8_t)                      \
  X(U16, uint16_t)                    \
  X(U32, uint32_t)                    \
  X(U64, uint64_t)
#define XLA_FOR_EACH_FLOATING_POINT_TYPE(X)   \
  X(F4E2M1FN, ::tsl::float4_e2m1fn)           \
  X(F6E2M3FN, ::tsl::float6_e2m3fn)           \
  X(F6E3M2FN, ::tsl::float6_e3m2fn)           \
  X(F8E3M4, ::tsl::float8_e3m4)               \
  X(F8E4M3, ::tsl::float8_e4m3)               \
  X(F8E4M3FN, ::tsl::float8_e4m3fn)           \
  X(F8E4M3B11FNUZ, ::tsl::float8_e4m3b11fnuz) \
  X(F8E4M3FNUZ, ::tsl::float8_e4m3fnuz)       \
  X(F8E5M2, ::tsl::float8_e5m2)               \
  X(F8E5M2FNUZ, ::tsl::float8_e5m2fnuz)       \
  X(F8E8M0FNU, ::tsl::float8_e8m0fnu)         \
  X(F16, ::xla::half)                         \
  X(BF16, ::xla::bfloat16)                    \
  X(F32, float)                               \
  X(F64, double)
#define XLA_FOR_EACH_COMPLEX_TYPE(X) \
  X(C64, ::xla::complex64)           \
  X(C128, ::xla::complex128)
#define XLA_FOR_EACH_INTEGRAL_TYPE(X) \
  XLA_FOR_EACH_SIGNED_TYPE(X)         \
  XLA_FOR_EACH_UNSIGNED_TYPE(X)
#define XLA_FOR_EACH_ARRAY_TYPE(X)    \
  X(PRED, bool)                       \
  XLA_FOR_EACH_INTEGRAL_TYPE(X)       \
  XLA_FOR_EACH_FLOATING_POINT_TYPE(X) \
  XLA_FOR_EACH_COMPLEX_TYPE(X)

template <PrimitiveType kPrimitiveType>
using PrimitiveTypeConstant = std::integral_constant<PrimitiveType, kPrimitiveType>;

// PrimitiveTypeToNative<F32>::type is float. Not defined for types that no array has (TUPLE, TOKEN,
// ...).
template <PrimitiveType kPrimitiveType>
struct PrimitiveTypeToNative;

namespace internal {
template <typename NativeT>
struct NativeToPrimitive;  // Not defined: NativeT is no element type.
}  // namespace internal

#define XLA_DEFINE_NATIVE_TYPE(kType, NativeT) \
  template <>                                  \
  struct PrimitiveTypeToNative<kType> {        \
    using type = NativeT;                      \
  };                                           \
  template <>                                  \
  struct internal::NativeToPrimitive<NativeT> : PrimitiveTypeConstant<kType> {};
XLA_FOR_EACH_ARRAY_TYPE(XLA_DEFINE_NATIVE_TYPE)
#undef XLA_DEFINE_NATIVE_TYPE

template <PrimitiveType kPrimitiveType>
using NativeTypeOf = typename PrimitiveTypeToNative<kPrimitiveType>::type;

namespace internal {
// long and long long are one of int64_t's two spellings each; both are S64.
template <typename T>
using CanonicalNative =
    std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                           !std::is_same_v<T, char> && sizeof(T) == 8,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, T>;
}  // namespace internal

template <typename NativeT>
constexpr PrimitiveType NativeToPrimitiveType() {
  return internal::NativeToPrimitive<internal::CanonicalNative<NativeT>>::value;
}

// True when T is the C++ type of elements of `type`.
template <typename T>
constexpr bool CanRepresent(PrimitiveType type) {
  return NativeToPrimitiveType<T>() == type;
}

constexpr bool IsArrayType(PrimitiveType type) {
  switch (type) {
#define XLA_CASE(kType, NativeT) case kType:
    XLA_FOR_EACH_ARRAY_TYPE(XLA_CASE)
    return true;
    default:
      return false;
  }
}
constexpr bool IsSignedIntegralType(PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_SIGNED_TYPE(XLA_CASE)
    return true;
    default:
      return false;
  }
}
constexpr bool IsUnsignedIntegralType(PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_UNSIGNED_TYPE(XLA_CASE)
    return true;
    default:
      return false;
  }
}
constexpr bool IsFloatingPointType(PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_FLOATING_POINT_TYPE(XLA_CASE)
    return true;
    default:
      return false;
  }
}
#undef XLA_CASE

constexpr bool IsComplexType(PrimitiveType type) { return type == C64 || type == C128; }
// PRED is not integral.
constexpr bool IsIntegralType(PrimitiveType type) {
  return IsSignedIntegralType(type) || IsUnsignedIntegralType(type);
}
constexpr bool Is8BitIntegralType(PrimitiveType type) { return type == S8 || type == U8; }
constexpr bool IsF6Type(PrimitiveType type) { return type == F6E2M3FN || type == F6E3M2FN; }
constexpr bool IsF8Type(PrimitiveType type) {
  return type == F8E3M4 || type == F8E4M3 || type == F8E4M3FN || type == F8E4M3B11FNUZ ||
         type == F8E4M3FNUZ || type == F8E5M2 || type == F8E5M2FNUZ || type == F8E8M0FNU;
}
// The element and scale types of the OCP microscaling formats that are not plain F8.
constexpr bool IsMXType(PrimitiveType type) {
  return type == F4E2M1FN || type == F8E8M0FNU || IsF6Type(type);
}

// Number of bits that carry the value: 1 for PRED, 4 for S4, 32 for F32; 0 for types that no array
// has.
constexpr int BitWidth(PrimitiveType type) {
  switch (type) {
    case PRED:
    case S1:
    case U1:
      return 1;
    case S2:
    case U2:
      return 2;
    case S4:
    case U4:
    case F4E2M1FN:
      return 4;
    case F6E2M3FN:
    case F6E3M2FN:
      return 6;
    case S8:
    case U8:
    case F8E3M4:
    case F8E4M3:
    case F8E4M3FN:
    case F8E4M3B11FNUZ:
    case F8E4M3FNUZ:
    case F8E5M2:
    case F8E5M2FNUZ:
    case F8E8M0FNU:
      return 8;
    case S16:
    case U16:
    case F16:
    case BF16:
      return 16;
    case S32:
    case U32:
    case F32:
      return 32;
    case S64:
    case U64:
    case F64:
    case C64:
      return 64;
    case C128:
      return 128;
    default:
      return 0;
  }
}

// Bits one element takes where elements are packed as tightly as the type allows: as BitWidth, but
// 8 for PRED.
constexpr int StorageBitWidth(PrimitiveType type) { return type == PRED ? 8 : BitWidth(type); }

// Bytes of one element in a literal; types narrower than a byte take a whole one. 0 for types that
// no array has.
constexpr int ByteWidth(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

constexpr bool IsSubByteNonPredType(PrimitiveType type) {
  return IsArrayType(type) && type != PRED && BitWidth(type) < 8;
}

// Format of a floating-point type. CHECKs that `type` is one.
//   SignificandWidth   digits of the significand, the implied one included (24 for F32)
//   ExponentWidth      bits of the exponent field (8 for F32)
//   UnderflowExponent  e such that 2^(e-1) is the smallest normal number
//   (std::numeric_limits::min_exponent) OverflowExponent   e such that 2^(e-1) is the largest power
//   of two that is finite (max_exponent) ExponentBias       what is added to the exponent in the
//   encoding (127 for F32)
int SignificandWidth(PrimitiveType type);
int ExponentWidth(PrimitiveType type);
int UnderflowExponent(PrimitiveType type);
int OverflowExponent(PrimitiveType type);
int ExponentBias(PrimitiveType type);

// Whether the type has such a value. For complex types: whether the component type has.
bool HasInfinity(PrimitiveType type);
bool HasNaN(PrimitiveType type);
bool HasNegativeZero(PrimitiveType type);
bool HasPositiveZero(PrimitiveType type);

// The integral type of exactly that many bits, PRIMITIVE_TYPE_INVALID when there is none.
PrimitiveType UnsignedIntegralTypeForBitWidth(int64_t src_bitwidth);
PrimitiveType SignedIntegralTypeForBitWidth(int64_t src_bitwidth);

// C64 <-> F32 and C128 <-> F64. CHECKs that `complex_type` is complex; ComplexType of anything else
// than F32 and F64 is PRIMITIVE_TYPE_INVALID.
PrimitiveType ComplexComponentType(PrimitiveType complex_type);
PrimitiveType ComplexType(PrimitiveType base_type);

// The type that keeps more of a value's information. The order of importance: complex over real,
// floating point over integral over PRED, exponent range, number of digits, width, signedness.
PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b);

// True when every value of from_type, infinities, NaN and negative zero included, is a value of
// to_type. Every integral type keeps the two values of PRED apart, S1 as 0 and -1.
bool CastPreservesValues(PrimitiveType from_type, PrimitiveType to_type);

// "f32", "pred", "opaque", ...: the name in HLO text. PRIMITIVE_TYPE_INVALID is "invalid".
const std::string& LowercasePrimitiveTypeName(PrimitiveType s);
// The inverse, of every name but "invalid". InvalidArgument for an unknown name.
absl::StatusOr<PrimitiveType> StringToPrimitiveType(absl::string_view lower_name);
bool IsPrimitiveTypeName(absl::string_view name);

// True when x is a value of the integral type ty. CHECKs that ty is integral.
bool FitsInIntegralType(int64_t x, PrimitiveType ty);

// Between one element per byte (low bits) and elements packed into bytes, the first element in the
// low bits of the first byte. input_type must be a type of 1, 2 or 4 bits.
void PackIntN(PrimitiveType input_type, absl::Span<const char> input, absl::Span<char> output);
void UnpackIntN(PrimitiveType input_type, absl::Span<const char> input, absl::Span<char> output);

// Each switch calls f(PrimitiveTypeConstant<type>()) and returns what f returns, so that inside f
//   using NativeT = primitive_util::NativeTypeOf<decltype(c)::value>  (or NativeTypeOf<c> for a
//   parameter `auto c`)
// names the C++ type. CHECKs that `type` is of the kind named.
#define XLA_CASE(kType, NativeT) \
  case kType:                    \
    return std::forward<F>(f)(PrimitiveTypeConstant<kType>());

template <typename F>
constexpr decltype(auto) IntegralTypeSwitch(F&& f, PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_INTEGRAL_TYPE(XLA_CASE)
    default:
      LOG(FATAL) << "Not an integral type: " << LowercasePrimitiveTypeName(type);
  }
}

template <typename F>
constexpr decltype(auto) FloatingPointTypeSwitch(F&& f, PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_FLOATING_POINT_TYPE(XLA_CASE)
    default:
      LOG(FATAL) << "Not a floating-point type: " << LowercasePrimitiveTypeName(type);
  }
}

template <typename F>
constexpr decltype(auto) ComplexTypeSwitch(F&& f, PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_COMPLEX_TYPE(XLA_CASE)
    default:
      LOG(FATAL) << "Not a complex type: " << LowercasePrimitiveTypeName(type);
  }
}

template <typename F>
constexpr decltype(auto) ArrayTypeSwitch(F&& f, PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_ARRAY_TYPE(XLA_CASE)
    default:
      LOG(FATAL) << "Not an array type: " << LowercasePrimitiveTypeName(type);
  }
}

// Also takes TUPLE, OPAQUE_TYPE, TOKEN and BUFFER.
template <typename R = void, typename F>
constexpr R PrimitiveTypeSwitch(F&& f, PrimitiveType type) {
  switch (type) {
    XLA_FOR_EACH_ARRAY_TYPE(XLA_CASE)
    XLA_CASE(TUPLE, )
    XLA_CASE(OPAQUE_TYPE, )
    XLA_CASE(TOKEN, )
    XLA_CASE(BUFFER, )
    default:
      LOG(FATAL) << "Not a primitive type: " << static_cast<int>(type);
  }
}
#undef XLA_CASE

// Calls f(PrimitiveTypeConstant<T>()) for each such type.
#define XLA_CALL(kType, NativeT) f(PrimitiveTypeConstant<kType>());
template <typename F>
constexpr void IntegralTypeForEach(F&& f) {
  XLA_FOR_EACH_INTEGRAL_TYPE(XLA_CALL)
}
template <typename F>
constexpr void FloatingPointTypeForEach(F&& f) {
  XLA_FOR_EACH_FLOATING_POINT_TYPE(XLA_CALL)
}
template <typename F>
constexpr void ArrayTypeForEach(F&& f) {
  XLA_FOR_EACH_ARRAY_TYPE(XLA_CALL)
}
#undef XLA_CALL

}  // namespace xla::primitive_util

#endif  // HILO_INCLUDE_XLA_PRIMITIVE_UTIL_H_
