#ifndef HILO_COMPAT_ABSL_LOG_INTERNAL_STAND_IN_H_
#define HILO_COMPAT_ABSL_LOG_INTERNAL_STAND_IN_H_

// Logging for Abseil releases before 20230125, which have none: the part of its interface that XLA
// and its clients use.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/log_severity.h"
#include "absl/base/optimization.h"
#include "absl/log/log_entry.h"
#include "absl/log/log_sink.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace absl {
namespace log_stand_in {

struct State {
  std::atomic<int> min_level{static_cast<int>(LogSeverityAtLeast::kInfo)};
  std::atomic<int> stderr_threshold{static_cast<int>(LogSeverityAtLeast::kError)};
  std::atomic<int> verbosity{0};
  std::atomic<bool> prefix{true};
  std::atomic<bool> initialized{false};
  std::recursive_mutex mutex;  // guards sinks; recursive because a sink may log
  std::vector<LogSink*> sinks;
};

inline State& GetState() {
  static State& state = *new State;
  return state;
}

template <typename T, typename = void>
struct IsStreamable : std::false_type {};
template <typename T>
struct IsStreamable<
    T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

// What an AbslStringify() hook writes to.
class StringifySink {
 public:
  explicit StringifySink(std::ostream& stream) : stream_(stream) {}
  void Append(absl::string_view text) { stream_ << text; }
  void Append(size_t count, char c) { stream_ << std::string(count, c); }
  friend void AbslFormatFlush(StringifySink* sink, absl::string_view text) { sink->Append(text); }

 private:
  std::ostream& stream_;
};

template <typename T, typename = void>
struct HasStringify : std::false_type {};
template <typename T>
struct HasStringify<T, std::void_t<decltype(AbslStringify(std::declval<StringifySink&>(),
                                                          std::declval<const T&>()))>>
    : std::true_type {};

template <typename T>
void Print(std::ostream& stream, const T& value) {
  if constexpr (std::is_same_v<T, std::nullptr_t>) {
    stream << "nullptr";
  } else if constexpr (HasStringify<T>::value) {
    StringifySink sink(stream);
    AbslStringify(sink, value);
  } else if constexpr (IsStreamable<T>::value) {
    stream << value;
  } else if constexpr (std::is_enum_v<T>) {
    stream << +static_cast<std::underlying_type_t<T>>(value);
  } else {
    stream << "a value of " << sizeof(T) << " bytes";
  }
}

// Collects one message; the destructor sends it.
class LogMessage {
 public:
  LogMessage(const char* file, int line, LogSeverity severity)
      : file_(file), line_(line), severity_(severity), prefix_(GetState().prefix) {}
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage() {
    Send();
    if (severity_ == LogSeverity::kFatal) std::abort();
  }

  LogMessage& AtLocation(absl::string_view file, int line) {
    file_ = std::string(file);
    line_ = line;
    return *this;
  }
  LogMessage& NoPrefix() {
    prefix_ = false;
    return *this;
  }
  LogMessage& WithVerbosity(int level) {
    verbosity_ = level;
    return *this;
  }
  LogMessage& WithPerror() {
    suffix_ = std::string(": ") + std::strerror(errno) + " [" + std::to_string(errno) + "]";
    return *this;
  }
  LogMessage& ToSinkAlso(LogSink* sink) {
    extra_sink_ = sink;
    return *this;
  }

  template <typename T>
  LogMessage& operator<<(const T& value) {
    Print(stream_, value);
    return *this;
  }
  LogMessage& operator<<(const char* text) {
    stream_ << (text == nullptr ? "(null)" : text);
    return *this;
  }
  LogMessage& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
    stream_ << manipulator;
    return *this;
  }
  LogMessage& operator<<(std::ios_base& (*manipulator)(std::ios_base&)) {
    stream_ << manipulator;
    return *this;
  }

 protected:
  void Send() {
    State& state = GetState();
    if (static_cast<int>(severity_) < state.min_level && severity_ != LogSeverity::kFatal) return;
    const auto now = std::chrono::system_clock::now();
    const pid_t thread = static_cast<pid_t>(syscall(SYS_gettid));
    LogEntry entry(file_, line_, severity_, verbosity_, now, thread,
                   prefix_ ? Prefix(now, thread) : "", stream_.str() + suffix_);
    std::lock_guard<std::recursive_mutex> lock(state.mutex);
    if (!state.initialized || static_cast<int>(severity_) >= state.stderr_threshold) {
      absl::string_view line = entry.text_message_with_prefix_and_newline();
      std::fwrite(line.data(), 1, line.size(), stderr);
    }
    for (LogSink* sink : state.sinks) sink->Send(entry);
    if (extra_sink_ != nullptr) extra_sink_->Send(entry);
  }

 private:
  // "E0131 12:34:56.000000   4321 file.cc:12] "
  std::string Prefix(std::chrono::system_clock::time_point now, pid_t thread) const {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto micros =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
    std::tm local{};
    localtime_r(&seconds, &local);
    char head[80];
    std::snprintf(head, sizeof(head), "%c%02d%02d %02d:%02d:%02d.%06d %7d ",
                  LogSeverityName(severity_)[0], local.tm_mon + 1, local.tm_mday, local.tm_hour,
                  local.tm_min, local.tm_sec, static_cast<int>(micros % 1000000),
                  static_cast<int>(thread));
    return head + file_.substr(file_.rfind('/') + 1) + ":" + std::to_string(line_) + "] ";
  }

  std::string file_;
  int line_;
  LogSeverity severity_;
  bool prefix_;
  int verbosity_ = LogEntry::kNoVerbosityLevel;
  std::string suffix_;
  LogSink* extra_sink_ = nullptr;
  std::ostringstream stream_;
};

// A message that ends the process; the compiler knows that nothing follows it.
class LogMessageFatal : public LogMessage {
 public:
  LogMessageFatal(const char* file, int line) : LogMessage(file, line, LogSeverity::kFatal) {}
  LogMessageFatal(const char* file, int line, absl::string_view failure)
      : LogMessageFatal(file, line) {
    *this << "Check failed: " << failure << " ";
  }
  [[noreturn]] ~LogMessageFatal() {
    Send();
    std::abort();
  }
};

// Ends the process with exit code 1 instead of a signal.
class LogMessageQuietlyFatal : public LogMessage {
 public:
  LogMessageQuietlyFatal(const char* file, int line)
      : LogMessage(file, line, LogSeverity::kFatal) {}
  LogMessageQuietlyFatal(const char* file, int line, absl::string_view failure)
      : LogMessageQuietlyFatal(file, line) {
    *this << "Check failed: " << failure << " ";
  }
  [[noreturn]] ~LogMessageQuietlyFatal() {
    Send();
    std::fflush(nullptr);
    std::_Exit(1);
  }
};

// Turns a streamed message into an expression of type void; && binds less tightly than <<.
struct Voidify {
  template <typename T>
  void operator&&(T&&) const {}
};

// The failure text of CHECK_EQ and the like, or null when the comparison holds.
using Failure = std::unique_ptr<std::string>;

template <typename A, typename B>
Failure ComparisonFailure(const A& a, const B& b, const char* text) {
  std::ostringstream stream;
  stream << text << " (";
  Print(stream, a);
  stream << " vs. ";
  Print(stream, b);
  stream << ")";
  return std::make_unique<std::string>(stream.str());
}

#define HILO_DEFINE_CHECK_COMPARISON(name, op)             \
  template <typename A, typename B>                        \
  Failure name(const A& a, const B& b, const char* text) { \
    if (ABSL_PREDICT_TRUE(a op b)) return nullptr;         \
    return ComparisonFailure(a, b, text);                  \
  }
HILO_DEFINE_CHECK_COMPARISON(CheckEqual, ==)
HILO_DEFINE_CHECK_COMPARISON(CheckNotEqual, !=)
HILO_DEFINE_CHECK_COMPARISON(CheckLess, <)
HILO_DEFINE_CHECK_COMPARISON(CheckLessEqual, <=)
HILO_DEFINE_CHECK_COMPARISON(CheckGreater, >)
HILO_DEFINE_CHECK_COMPARISON(CheckGreaterEqual, >=)
#undef HILO_DEFINE_CHECK_COMPARISON

inline Failure CheckOk(const absl::Status& status, const char* text) {
  if (ABSL_PREDICT_TRUE(status.ok())) return nullptr;
  return std::make_unique<std::string>(std::string(text) + " is OK (" + status.ToString() + ")");
}
template <typename T>
Failure CheckOk(const absl::StatusOr<T>& value, const char* text) {
  return CheckOk(value.status(), text);
}

inline Failure CheckStrings(const char* a, const char* b, bool ignore_case, bool want_equal,
                            const char* text) {
  const bool equal = a == nullptr || b == nullptr
                         ? a == b
                         : (ignore_case ? strcasecmp(a, b) : std::strcmp(a, b)) == 0;
  if (ABSL_PREDICT_TRUE(equal == want_equal)) return nullptr;
  return ComparisonFailure(absl::string_view(a ? a : "(null)"), absl::string_view(b ? b : "(null)"),
                           text);
}

inline bool VlogIsOn(int level) {
  return level <= GetState().verbosity.load(std::memory_order_relaxed);
}

}  // namespace log_stand_in
}  // namespace absl

#define HILO_LOG_MESSAGE(severity) \
  ::absl::log_stand_in::LogMessage(__FILE__, __LINE__, ::absl::LogSeverity::severity)
#define HILO_LOG_INFO HILO_LOG_MESSAGE(kInfo)
#define HILO_LOG_WARNING HILO_LOG_MESSAGE(kWarning)
#define HILO_LOG_ERROR HILO_LOG_MESSAGE(kError)
#define HILO_LOG_FATAL ::absl::log_stand_in::LogMessageFatal(__FILE__, __LINE__)
#define HILO_LOG_QFATAL ::absl::log_stand_in::LogMessageQuietlyFatal(__FILE__, __LINE__)
#ifdef NDEBUG
#define HILO_LOG_DFATAL HILO_LOG_ERROR
#else
#define HILO_LOG_DFATAL HILO_LOG_FATAL
#endif
#define HILO_LOG_LEVEL(severity) \
  ::absl::log_stand_in::LogMessage(__FILE__, __LINE__, ::absl::NormalizeLogSeverity(severity))
#define HILO_LOG_IF(condition) \
  !(condition) ? static_cast<void>(0) : ::absl::log_stand_in::Voidify()&&

// A condition with its own counter: `test` sees how often this place was reached before as `n`.
#define HILO_LOG_COUNTED(test)                                                             \
  ([]() -> bool {                                                                          \
    static ::std::atomic<uint32_t> counter{0};                                             \
    [[maybe_unused]] const uint32_t n = counter.fetch_add(1, ::std::memory_order_relaxed); \
    return test;                                                                           \
  }())
#define HILO_LOG_EVERY_SECONDS(seconds)                                                        \
  ([](double interval) -> bool {                                                               \
    static ::std::atomic<int64_t> next{INT64_MIN};                                             \
    const int64_t now =                                                                        \
        ::std::chrono::steady_clock::now().time_since_epoch() / ::std::chrono::nanoseconds(1); \
    int64_t due = next.load();                                                                 \
    return now >= due &&                                                                       \
           next.compare_exchange_strong(due, now + static_cast<int64_t>(interval * 1e9));      \
  }(seconds))

#define HILO_CHECK(condition, text, Message) \
  ABSL_PREDICT_TRUE(condition)               \
  ? static_cast<void>(0)                     \
  : ::absl::log_stand_in::Voidify() && ::absl::log_stand_in::Message(__FILE__, __LINE__, text)
#define HILO_CHECK_FAILURE(failure, Message)                                                     \
  while (const ::absl::log_stand_in::Failure hilo_check_failure = ::absl::log_stand_in::failure) \
  ::absl::log_stand_in::Message(__FILE__, __LINE__, *hilo_check_failure)

#endif  // HILO_COMPAT_ABSL_LOG_INTERNAL_STAND_IN_H_
