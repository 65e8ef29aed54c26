#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_CASTS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_CASTS_H_

#include <type_traits>

#include "absl/base/config.h"

namespace tsl {

// A static_cast from a class to one derived from it, which the object must be.
template <typename To, typename From, typename = std::enable_if_t<std::is_pointer_v<To>>>
To down_cast(From* from) {
  static_assert(std::is_base_of_v<From, std::remove_pointer_t<To>>,
                "down_cast goes to derived classes");
  return static_cast<To>(from);
}
template <typename To, typename From, typename = std::enable_if_t<std::is_reference_v<To>>>
To down_cast(From& from) {
  static_assert(std::is_base_of_v<From, std::remove_reference_t<To>>,
                "down_cast goes to derived classes");
  return static_cast<To>(from);
}

}  // namespace tsl

// Newer releases of Abseil have it themselves.
#if defined(ABSL_LTS_RELEASE_VERSION) && ABSL_LTS_RELEASE_VERSION < 20260107
namespace absl {
using ::tsl::down_cast;
}  // namespace absl
#endif

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_CASTS_H_
