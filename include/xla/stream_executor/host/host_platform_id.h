#ifndef XLA_STREAM_EXECUTOR_HOST_HOST_PLATFORM_ID_H_
#define XLA_STREAM_EXECUTOR_HOST_HOST_PLATFORM_ID_H_

#include "xla/stream_executor/platform.h"

namespace stream_executor {
namespace host {

extern const Platform::Id kHostPlatformId;

}  // namespace host
}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_HOST_HOST_PLATFORM_ID_H_
