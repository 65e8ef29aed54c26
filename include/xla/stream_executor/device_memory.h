#ifndef XLA_STREAM_EXECUTOR_DEVICE_MEMORY_H_
#define XLA_STREAM_EXECUTOR_DEVICE_MEMORY_H_

#include "xla/stream_executor/device_address.h"  // IWYU pragma: export

#endif  // XLA_STREAM_EXECUTOR_DEVICE_MEMORY_H_
