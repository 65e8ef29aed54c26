#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_NOTIFICATION_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_NOTIFICATION_H_

#include <cstdint>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace tsl {

using ::absl::Notification;

// False when there was none in so many microseconds.
inline bool WaitForNotificationWithTimeout(Notification* notification, int64_t timeout_in_us) {
  return notification->WaitForNotificationWithTimeout(absl::Microseconds(timeout_in_us));
}

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_NOTIFICATION_H_
