#ifndef HILO_INCLUDE_TSL_PLATFORM_PROTOBUF_H_
#define HILO_INCLUDE_TSL_PLATFORM_PROTOBUF_H_

#include "xla/tsl/platform/protobuf.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_PROTOBUF_H_
