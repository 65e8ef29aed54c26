#ifndef HILO_COMPAT_ABSL_LOG_VLOG_IS_ON_H_
#define HILO_COMPAT_ABSL_LOG_VLOG_IS_ON_H_

#include "absl/log/internal/stand_in.h"

#define VLOG_IS_ON(level) (::absl::log_stand_in::VlogIsOn(level))
#define ABSL_VLOG_IS_ON(level) VLOG_IS_ON(level)

#endif  // HILO_COMPAT_ABSL_LOG_VLOG_IS_ON_H_
