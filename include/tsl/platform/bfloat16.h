#ifndef HILO_INCLUDE_TSL_PLATFORM_BFLOAT16_H_
#define HILO_INCLUDE_TSL_PLATFORM_BFLOAT16_H_

#include <cmath>

#include "Eigen/Core"

namespace tsl {

using bfloat16 = Eigen::bfloat16;

}  // namespace tsl

#if !EIGEN_VERSION_AT_LEAST(3, 4, 90)
// What newer releases of Eigen have beside it.
namespace Eigen {
namespace numext {

template <typename T>
bool signbit(const T& number) {
  return std::signbit(static_cast<float>(number));
}
inline bool signbit(double number) { return std::signbit(number); }

}  // namespace numext
}  // namespace Eigen
#endif

#endif  // HILO_INCLUDE_TSL_PLATFORM_BFLOAT16_H_
