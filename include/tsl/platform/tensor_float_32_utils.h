#ifndef HILO_INCLUDE_TSL_PLATFORM_TENSOR_FLOAT_32_UTILS_H_
#define HILO_INCLUDE_TSL_PLATFORM_TENSOR_FLOAT_32_UTILS_H_

#include "xla/tsl/platform/tensor_float_32_utils.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_TENSOR_FLOAT_32_UTILS_H_
