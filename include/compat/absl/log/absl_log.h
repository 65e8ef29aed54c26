#ifndef HILO_COMPAT_ABSL_LOG_ABSL_LOG_H_
#define HILO_COMPAT_ABSL_LOG_ABSL_LOG_H_

#include "absl/log/internal/stand_in.h"
#include "absl/log/vlog_is_on.h"

#define ABSL_LOG(severity) HILO_LOG_##severity
#define ABSL_PLOG(severity) HILO_LOG_##severity.WithPerror()
#define ABSL_LOG_IF(severity, condition) HILO_LOG_IF(condition) HILO_LOG_##severity
#define ABSL_PLOG_IF(severity, condition) HILO_LOG_IF(condition) HILO_LOG_##severity.WithPerror()

#ifdef NDEBUG
#define ABSL_DLOG(severity) HILO_LOG_IF(false) HILO_LOG_##severity
#define ABSL_DLOG_IF(severity, condition) HILO_LOG_IF(false && (condition)) HILO_LOG_##severity
#define ABSL_DVLOG(level) HILO_LOG_IF(false && VLOG_IS_ON(level)) HILO_LOG_INFO
#else
#define ABSL_DLOG(severity) ABSL_LOG(severity)
#define ABSL_DLOG_IF(severity, condition) ABSL_LOG_IF(severity, condition)
#define ABSL_DVLOG(level) ABSL_VLOG(level)
#endif

#define ABSL_VLOG(level) HILO_LOG_IF(VLOG_IS_ON(level)) HILO_LOG_INFO.WithVerbosity(level)

#define ABSL_LOG_EVERY_N(severity, count) \
  HILO_LOG_IF(HILO_LOG_COUNTED(n % (count) == 0)) HILO_LOG_##severity
#define ABSL_LOG_FIRST_N(severity, count) \
  HILO_LOG_IF(HILO_LOG_COUNTED(n < (count))) HILO_LOG_##severity
#define ABSL_LOG_EVERY_POW_2(severity) \
  HILO_LOG_IF(HILO_LOG_COUNTED((n & (n + 1)) == 0)) HILO_LOG_##severity
#define ABSL_LOG_EVERY_N_SEC(severity, seconds) \
  HILO_LOG_IF(HILO_LOG_EVERY_SECONDS(seconds)) HILO_LOG_##severity

#endif  // HILO_COMPAT_ABSL_LOG_ABSL_LOG_H_
