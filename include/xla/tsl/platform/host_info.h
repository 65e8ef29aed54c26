#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_HOST_INFO_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_HOST_INFO_H_

#include <string>

namespace tsl {
namespace port {

// The name of the machine.
std::string Hostname();

}  // namespace port
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_HOST_INFO_H_
