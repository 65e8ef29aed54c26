// GoogleTest, GoogleMock and their macros for absl::Status.
#ifndef XLA_HLO_TESTLIB_TEST_H_
#define XLA_HLO_TESTLIB_TEST_H_

#include "xla/tsl/lib/core/status_test_util.h"  // IWYU pragma: export
#include "xla/tsl/platform/test.h"              // IWYU pragma: export

#endif  // XLA_HLO_TESTLIB_TEST_H_
