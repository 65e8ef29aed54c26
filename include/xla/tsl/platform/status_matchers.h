#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_STATUS_MATCHERS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_STATUS_MATCHERS_H_

#include "absl/status/status_matchers.h"
#include "xla/tsl/platform/test.h"

namespace tsl {
namespace testing {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;

}  // namespace testing
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_STATUS_MATCHERS_H_
