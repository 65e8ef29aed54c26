#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_FINGERPRINT_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_FINGERPRINT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tsl {

struct Fprint128 {
  uint64_t low64;
  uint64_t high64;
};
inline bool operator==(const Fprint128& a, const Fprint128& b) {
  return a.low64 == b.low64 && a.high64 == b.high64;
}
inline bool operator<(const Fprint128& a, const Fprint128& b) {
  return a.high64 != b.high64 ? a.high64 < b.high64 : a.low64 < b.low64;
}

// Hash values that are the same in every process and release, so that they may be kept. They are
// not the numbers that other implementations give, and resist nobody who looks for collisions.
uint64_t Fingerprint64(absl::string_view text);
Fprint128 Fingerprint128(absl::string_view text);
uint32_t Fingerprint32(absl::string_view text);
// Of two in this order.
uint64_t FingerprintCat64(uint64_t first, uint64_t second);

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_FINGERPRINT_H_
