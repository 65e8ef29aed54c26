#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_HASH_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_HASH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace tsl {

// Hash values of bytes, the same in every process.
uint64_t Hash64(const char* data, size_t size, uint64_t seed);
uint32_t Hash32(const char* data, size_t size, uint32_t seed);
inline uint64_t Hash64(const char* data, size_t size) { return Hash64(data, size, 0xDECAFCAFFE); }
inline uint64_t Hash64(absl::string_view text) { return Hash64(text.data(), text.size()); }
inline uint64_t Hash64(absl::string_view text, uint64_t seed) {
  return Hash64(text.data(), text.size(), seed);
}

// Of two hash values in this order, or in any.
uint64_t Hash64Combine(uint64_t a, uint64_t b);
inline uint64_t Hash64CombineUnordered(uint64_t a, uint64_t b) { return a + b; }

template <typename T, typename = void>
struct hash {
  size_t operator()(const T& value) const { return std::hash<T>()(value); }
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_HASH_H_
