#ifndef HILO_COMPAT_ABSL_LOG_LOG_ENTRY_H_
#define HILO_COMPAT_ABSL_LOG_LOG_ENTRY_H_

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>

#include "absl/base/log_severity.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace absl {

// One finished log message, as sinks see it.
class LogEntry {
 public:
  static constexpr int kNoVerbosityLevel = -1;

  LogEntry(absl::string_view file, int line, absl::LogSeverity severity, int verbosity,
           std::chrono::system_clock::time_point time, pid_t thread, std::string prefix,
           std::string text)
      : file_(file),
        line_(line),
        severity_(severity),
        verbosity_(verbosity),
        time_(time),
        thread_(thread),
        prefix_length_(prefix.size()),
        line_text_(std::move(prefix) + text + "\n") {}

  absl::string_view source_filename() const { return file_; }
  absl::string_view source_basename() const { return file_.substr(file_.rfind('/') + 1); }
  int source_line() const { return line_; }
  absl::LogSeverity log_severity() const { return severity_; }
  int verbosity() const { return verbosity_; }
  absl::Time timestamp() const { return absl::FromChrono(time_); }
  pid_t tid() const { return thread_; }
  bool prefix() const { return prefix_length_ > 0; }

  absl::string_view text_message_with_prefix_and_newline() const { return line_text_; }
  absl::string_view text_message_with_prefix() const {
    return text_message_with_prefix_and_newline().substr(0, line_text_.size() - 1);
  }
  absl::string_view text_message_with_newline() const {
    return text_message_with_prefix_and_newline().substr(prefix_length_);
  }
  absl::string_view text_message() const {
    return text_message_with_prefix().substr(prefix_length_);
  }

 private:
  absl::string_view file_;
  int line_;
  absl::LogSeverity severity_;
  int verbosity_;
  std::chrono::system_clock::time_point time_;
  pid_t thread_;
  size_t prefix_length_;
  std::string line_text_;
};

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_LOG_LOG_ENTRY_H_
