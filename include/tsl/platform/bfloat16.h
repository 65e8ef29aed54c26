#ifndef TSL_PLATFORM_BFLOAT16_H_
#define TSL_PLATFORM_BFLOAT16_H_

#include "Eigen/Core"

namespace tsl {

using bfloat16 = Eigen::bfloat16;

}  // namespace tsl

#endif  // TSL_PLATFORM_BFLOAT16_H_
