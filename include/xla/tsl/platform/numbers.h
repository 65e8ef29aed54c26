#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_NUMBERS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_NUMBERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace tsl {
namespace strings {

// "1.23M" for 1234567; "1.18MiB" for as many bytes; "1.5 s", "3.2 ms" for seconds.
std::string HumanReadableNum(int64_t value);
std::string HumanReadableNumBytes(int64_t bytes);
std::string HumanReadableElapsedTime(double seconds);

inline bool safe_strto32(absl::string_view text, int32_t* value) {
  return absl::SimpleAtoi(text, value);
}
inline bool safe_strto64(absl::string_view text, int64_t* value) {
  return absl::SimpleAtoi(text, value);
}
inline bool safe_strtou32(absl::string_view text, uint32_t* value) {
  return absl::SimpleAtoi(text, value);
}
inline bool safe_strtou64(absl::string_view text, uint64_t* value) {
  return absl::SimpleAtoi(text, value);
}
inline bool safe_strtof(absl::string_view text, float* value) {
  return absl::SimpleAtof(text, value);
}
inline bool safe_strtod(absl::string_view text, double* value) {
  return absl::SimpleAtod(text, value);
}

}  // namespace strings
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_NUMBERS_H_
