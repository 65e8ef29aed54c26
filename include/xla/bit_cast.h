// The bits of a value as another type.
#ifndef XLA_BIT_CAST_H_
#define XLA_BIT_CAST_H_

#include <cstring>
#include <type_traits>

namespace xla {

// For types of the same size that can be copied byte by byte.
template <typename T, typename U>
T BitCast(const U& source) {
  static_assert(sizeof(T) == sizeof(U));
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<U>);
  T result;
  std::memcpy(static_cast<void*>(&result), static_cast<const void*>(&source), sizeof(T));
  return result;
}

}  // namespace xla

#endif  // XLA_BIT_CAST_H_
