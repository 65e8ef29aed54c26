#ifndef HILO_INCLUDE_XLA_TSL_LIB_CORE_STATUS_TEST_UTIL_H_
#define HILO_INCLUDE_XLA_TSL_LIB_CORE_STATUS_TEST_UTIL_H_

#include "absl/status/status_matchers.h"
#include "xla/tsl/platform/test.h"

#define TF_EXPECT_OK(expression) EXPECT_THAT((expression), ::absl_testing::IsOk())
#define TF_ASSERT_OK(expression) ASSERT_THAT((expression), ::absl_testing::IsOk())

#endif  // HILO_INCLUDE_XLA_TSL_LIB_CORE_STATUS_TEST_UTIL_H_
