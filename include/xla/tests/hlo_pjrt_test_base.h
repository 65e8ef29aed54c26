// Older names of what hlo_test_base.h has.
#ifndef XLA_TESTS_HLO_PJRT_TEST_BASE_H_
#define XLA_TESTS_HLO_PJRT_TEST_BASE_H_

#include "xla/tests/hlo_test_base.h"

namespace xla {

using HloPjRtTestBase = HloTestBase;
using HloPjRtTestBaseOptions = HloTestBaseOptions;

}  // namespace xla

#endif  // XLA_TESTS_HLO_PJRT_TEST_BASE_H_
