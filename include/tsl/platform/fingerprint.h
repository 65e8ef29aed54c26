#ifndef HILO_INCLUDE_TSL_PLATFORM_FINGERPRINT_H_
#define HILO_INCLUDE_TSL_PLATFORM_FINGERPRINT_H_

#include "xla/tsl/platform/fingerprint.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_FINGERPRINT_H_
