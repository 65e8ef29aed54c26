#ifndef HILO_INCLUDE_XLA_TSL_UTIL_ENV_VAR_H_
#define HILO_INCLUDE_XLA_TSL_UTIL_ENV_VAR_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tsl {

// Values of variables of the environment, `default_value` where they are not set. InvalidArgument,
// and the default value, for what is none of that type; "0", "1", "false" and "true" are truth
// values.
absl::Status ReadBoolFromEnvVar(absl::string_view name, bool default_value, bool* value);
absl::Status ReadInt64FromEnvVar(absl::string_view name, int64_t default_value, int64_t* value);
absl::Status ReadFloatFromEnvVar(absl::string_view name, float default_value, float* value);
absl::Status ReadStringFromEnvVar(absl::string_view name, absl::string_view default_value,
                                  std::string* value);

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_UTIL_ENV_VAR_H_
