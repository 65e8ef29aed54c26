#ifndef XLA_TEST_HELPERS_H_
#define XLA_TEST_HELPERS_H_

#include "xla/hlo/testlib/test_helpers.h"  // IWYU pragma: export

#endif  // XLA_TEST_HELPERS_H_
