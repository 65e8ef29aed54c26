#ifndef HILO_INCLUDE_XLA_TSL_UTIL_SAFE_REINTERPRET_CAST_H_
#define HILO_INCLUDE_XLA_TSL_UTIL_SAFE_REINTERPRET_CAST_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tsl {

namespace internal {
template <typename T>
inline constexpr bool is_byte_like =
    std::is_same_v<std::remove_cv_t<T>, char> ||
    std::is_same_v<std::remove_cv_t<T>, unsigned char> ||
    std::is_same_v<std::remove_cv_t<T>, signed char> ||
    std::is_same_v<std::remove_cv_t<T>, std::byte> || std::is_void_v<T>;
template <typename To, typename From>
inline constexpr bool is_safe_cast =
    std::is_same_v<To, From> ||
    (std::is_pointer_v<From> && (std::is_same_v<To, uintptr_t> || std::is_same_v<To, intptr_t>)) ||
    (std::is_pointer_v<To> &&
     (std::is_same_v<From, uintptr_t> || std::is_same_v<From, intptr_t>)) ||
    (std::is_pointer_v<To> && std::is_pointer_v<From> &&
     (is_byte_like<std::remove_pointer_t<To>> || is_byte_like<std::remove_pointer_t<From>> ||
      std::is_same_v<std::remove_cv_t<std::remove_pointer_t<To>>,
                     std::remove_cv_t<std::remove_pointer_t<From>>>));
}  // namespace internal

// A reinterpret_cast between pointers of which one points to bytes or both to the same type, and
// between pointers and whole numbers of their size. Others do not compile.
template <typename To, typename From, typename = std::enable_if_t<internal::is_safe_cast<To, From>>>
To safe_reinterpret_cast(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    return reinterpret_cast<To>(from);
  }
}

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_UTIL_SAFE_REINTERPRET_CAST_H_
