#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_RESOURCE_LOADER_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_RESOURCE_LOADER_H_

#include <string>

namespace tsl {

// Where a file of the test's data lies: below XlaSrcRoot() of xla/tsl/platform/test.h.
std::string GetDataDependencyFilepath(const std::string& relative_path);

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_RESOURCE_LOADER_H_
