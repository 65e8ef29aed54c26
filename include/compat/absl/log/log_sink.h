#ifndef HILO_COMPAT_ABSL_LOG_LOG_SINK_H_
#define HILO_COMPAT_ABSL_LOG_LOG_SINK_H_

#include "absl/log/log_entry.h"

namespace absl {

// Receives every log message once it is registered with AddLogSink().
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Send(const LogEntry& entry) = 0;
  virtual void Flush() {}
};

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_LOG_LOG_SINK_H_
