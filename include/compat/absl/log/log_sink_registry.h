#ifndef HILO_COMPAT_ABSL_LOG_LOG_SINK_REGISTRY_H_
#define HILO_COMPAT_ABSL_LOG_LOG_SINK_REGISTRY_H_

#include <algorithm>

#include "absl/log/internal/stand_in.h"
#include "absl/log/log_sink.h"

namespace absl {

inline void AddLogSink(LogSink* sink) {
  auto& state = log_stand_in::GetState();
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.sinks.push_back(sink);
}

inline void RemoveLogSink(LogSink* sink) {
  auto& state = log_stand_in::GetState();
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.sinks.erase(std::remove(state.sinks.begin(), state.sinks.end(), sink), state.sinks.end());
}

inline void FlushLogSinks() {
  auto& state = log_stand_in::GetState();
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  for (LogSink* sink : state.sinks) sink->Flush();
}

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_LOG_LOG_SINK_REGISTRY_H_
