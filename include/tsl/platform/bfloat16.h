#ifndef HILO_INCLUDE_TSL_PLATFORM_BFLOAT16_H_
#define HILO_INCLUDE_TSL_PLATFORM_BFLOAT16_H_

#include "Eigen/Core"

namespace tsl {

using bfloat16 = Eigen::bfloat16;

}  // namespace tsl

#endif  // HILO_INCLUDE_TSL_PLATFORM_BFLOAT16_H_
