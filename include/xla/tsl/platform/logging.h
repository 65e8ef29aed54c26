#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_LOGGING_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_LOGGING_H_

#include <utility>

#include "absl/log/absl_check.h"  // IWYU pragma: export
#include "absl/log/absl_log.h"    // IWYU pragma: export
#include "absl/log/check.h"       // IWYU pragma: export
#include "absl/log/log.h"         // IWYU pragma: export
#include "absl/log/vlog_is_on.h"  // IWYU pragma: export
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tsl {
namespace internal {

template <typename T>
T CheckNotNull(const char* file, int line, const char* text, T&& pointer) {
  if (pointer == nullptr) LOG(FATAL) << file << ":" << line << ": " << text;
  return std::forward<T>(pointer);
}

// Calls `log_line` for each line of a text.
template <typename LogLine>
void LogLines(absl::string_view text, LogLine log_line) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) log_line(line);
}

}  // namespace internal
}  // namespace tsl

#ifndef CHECK_NOTNULL
#define CHECK_NOTNULL(pointer) \
  ::tsl::internal::CheckNotNull(__FILE__, __LINE__, "'" #pointer "' must not be null", (pointer))
#endif

#define TF_LOG(severity) LOG(severity)
#define TF_VLOG(level) VLOG(level)

// Log a text of several lines as one message per line.
#define XLA_LOG_LINES(severity, text) \
  ::tsl::internal::LogLines((text), [](::absl::string_view line) { LOG(severity) << line; })
#define XLA_VLOG_LINES(level, text)                   \
  do {                                                \
    if (VLOG_IS_ON(level)) XLA_LOG_LINES(INFO, text); \
  } while (false)

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_LOGGING_H_
