// The C++ types of array elements and traits that treat them like the built-in numbers.
#ifndef HILO_INCLUDE_XLA_TYPES_H_
#define HILO_INCLUDE_XLA_TYPES_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "Eigen/Core"
#include "ml_dtypes/include/intn.h"
#include "tsl/platform/bfloat16.h"
#include "tsl/platform/ml_dtypes.h"

namespace xla {

using ::Eigen::bfloat16;
using ::Eigen::half;

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

using s1 = ::ml_dtypes::int1;
using u1 = ::ml_dtypes::uint1;
using s2 = ::ml_dtypes::int2;
using u2 = ::ml_dtypes::uint2;
using s4 = ::ml_dtypes::int4;
using u4 = ::ml_dtypes::uint4;

template <typename T>
struct is_complex : std::false_type {};
template <typename T>
struct is_complex<std::complex<T>> : std::true_type {};
template <typename T>
inline constexpr bool is_complex_v = is_complex<T>::value;

// Any real floating-point type, the narrow ones included.
template <typename T>
inline constexpr bool is_specialized_floating_point_v =
    std::numeric_limits<T>::is_specialized && !std::numeric_limits<T>::is_integer;

// Any integer type and bool, the narrow ones included.
template <typename T>
inline constexpr bool is_specialized_integral_v =
    std::numeric_limits<T>::is_specialized&& std::numeric_limits<T>::is_integer;

template <typename T>
struct is_intN : std::false_type {};
template <int N, typename Underlying>
struct is_intN<::ml_dtypes::intN<N, Underlying>> : std::true_type {};
template <typename T>
inline constexpr bool is_intN_v = is_intN<T>::value;

template <typename T>
struct make_specialized_unsigned : std::make_unsigned<T> {};
template <int N, typename Underlying>
struct make_specialized_unsigned<::ml_dtypes::intN<N, Underlying>> {
  using type = ::ml_dtypes::intN<N, std::make_unsigned_t<Underlying>>;
};
template <typename T>
using make_specialized_unsigned_t = typename make_specialized_unsigned<T>::type;

template <typename T>
struct make_specialized_signed : std::make_signed<T> {};
template <int N, typename Underlying>
struct make_specialized_signed<::ml_dtypes::intN<N, Underlying>> {
  using type = ::ml_dtypes::intN<N, std::make_signed_t<Underlying>>;
};
template <typename T>
using make_specialized_signed_t = typename make_specialized_signed<T>::type;

// Whether the type tells -0 from +0.
template <typename T>
struct has_negative_zero : std::bool_constant<is_specialized_floating_point_v<T>> {};
template <int E, int M, int kBias, ::ml_dtypes::FloatEncoding kEncoding>
struct has_negative_zero<::ml_dtypes::SmallFloat<E, M, kBias, kEncoding>>
    : std::bool_constant<::ml_dtypes::SmallFloat<E, M, kBias, kEncoding>::kHasNegativeZero> {};
template <typename T>
inline constexpr bool has_negative_zero_v = has_negative_zero<T>::value;

// Whether the type has a zero; float8_e8m0fnu has none.
template <typename T>
struct has_positive_zero : std::bool_constant<is_specialized_floating_point_v<T> &&
                                              !std::is_same_v<T, ::ml_dtypes::float8_e8m0fnu>> {};
template <typename T>
inline constexpr bool has_positive_zero_v = has_positive_zero<T>::value;

template <typename T>
struct has_positive_or_negative_zero
    : std::bool_constant<has_positive_zero_v<T> || has_negative_zero_v<T>> {};
template <typename T>
inline constexpr bool has_positive_or_negative_zero_v = has_positive_or_negative_zero<T>::value;

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_TYPES_H_
