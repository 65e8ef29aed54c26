#ifndef HILO_COMPAT_ABSL_LOG_INITIALIZE_H_
#define HILO_COMPAT_ABSL_LOG_INITIALIZE_H_

#include "absl/log/internal/stand_in.h"

namespace absl {

// Makes StderrThreshold() count; before this every message goes to stderr.
inline void InitializeLog() { log_stand_in::GetState().initialized = true; }

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_LOG_INITIALIZE_H_
