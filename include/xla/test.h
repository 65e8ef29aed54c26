#ifndef XLA_TEST_H_
#define XLA_TEST_H_

#include "xla/hlo/testlib/test.h"  // IWYU pragma: export

#endif  // XLA_TEST_H_
