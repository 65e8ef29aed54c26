#ifndef HILO_COMPAT_ABSL_LOG_GLOBALS_H_
#define HILO_COMPAT_ABSL_LOG_GLOBALS_H_

#include "absl/base/log_severity.h"
#include "absl/log/internal/stand_in.h"

namespace absl {

// Messages below this severity are dropped.
inline LogSeverityAtLeast MinLogLevel() {
  return static_cast<LogSeverityAtLeast>(log_stand_in::GetState().min_level.load());
}
inline void SetMinLogLevel(LogSeverityAtLeast severity) {
  log_stand_in::GetState().min_level = static_cast<int>(severity);
}

// Once InitializeLog() has been called, messages below this severity stay off stderr.
inline LogSeverityAtLeast StderrThreshold() {
  return static_cast<LogSeverityAtLeast>(log_stand_in::GetState().stderr_threshold.load());
}
inline void SetStderrThreshold(LogSeverityAtLeast severity) {
  log_stand_in::GetState().stderr_threshold = static_cast<int>(severity);
}
inline void SetStderrThreshold(LogSeverity severity) {
  SetStderrThreshold(static_cast<LogSeverityAtLeast>(severity));
}

// Whether messages start with severity, time, thread, file and line.
inline bool ShouldPrependLogPrefix() { return log_stand_in::GetState().prefix; }
inline void EnableLogPrefix(bool on) { log_stand_in::GetState().prefix = on; }

// VLOG(n) prints for n up to this level. Returns the level before.
inline int SetGlobalVLogLevel(int level) {
  return log_stand_in::GetState().verbosity.exchange(level);
}

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_LOG_GLOBALS_H_
