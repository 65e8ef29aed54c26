// The host as a platform: its devices are numbers, which share processors and memory.
#ifndef HILO_DEVICE_HOST_PLATFORM_H_
#define HILO_DEVICE_HOST_PLATFORM_H_

#include "xla/stream_executor/platform.h"

namespace stream_executor::host {

Platform& TheHost();

}  // namespace stream_executor::host

#endif  // HILO_DEVICE_HOST_PLATFORM_H_
