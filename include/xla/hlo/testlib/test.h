// GoogleTest and GoogleMock.
#ifndef XLA_HLO_TESTLIB_TEST_H_
#define XLA_HLO_TESTLIB_TEST_H_

#include "xla/tsl/platform/test.h"  // IWYU pragma: export

#endif  // XLA_HLO_TESTLIB_TEST_H_
