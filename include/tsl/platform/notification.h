#ifndef HILO_INCLUDE_TSL_PLATFORM_NOTIFICATION_H_
#define HILO_INCLUDE_TSL_PLATFORM_NOTIFICATION_H_

#include "xla/tsl/platform/notification.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_NOTIFICATION_H_
