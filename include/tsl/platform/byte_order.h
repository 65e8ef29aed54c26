#ifndef HILO_INCLUDE_TSL_PLATFORM_BYTE_ORDER_H_
#define HILO_INCLUDE_TSL_PLATFORM_BYTE_ORDER_H_

#include "xla/tsl/platform/byte_order.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_BYTE_ORDER_H_
