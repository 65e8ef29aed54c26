#ifndef XLA_STREAM_EXECUTOR_PLATFORM_ID_H_
#define XLA_STREAM_EXECUTOR_PLATFORM_ID_H_

#include "xla/stream_executor/platform.h"  // IWYU pragma: export

#endif  // XLA_STREAM_EXECUTOR_PLATFORM_ID_H_
