// Expectations on absl::Status and absl::StatusOr.
#ifndef XLA_HLO_TESTLIB_TEST_HELPERS_H_
#define XLA_HLO_TESTLIB_TEST_HELPERS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/testlib/test.h"

namespace xla::testing_internal {

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& value) {
  return value.status();
}

}  // namespace xla::testing_internal

// The expression, of type Status or StatusOr, is OK or is an error.
#define EXPECT_IS_OK(expression) \
  EXPECT_EQ(::absl::OkStatus(), ::xla::testing_internal::GetStatus(expression))
#define EXPECT_IS_NOT_OK(expression) \
  EXPECT_NE(::absl::OkStatus(), ::xla::testing_internal::GetStatus(expression))
#define ASSERT_IS_OK(expression) \
  ASSERT_EQ(::absl::OkStatus(), ::xla::testing_internal::GetStatus(expression))
#define ASSERT_IS_NOT_OK(expression) \
  ASSERT_NE(::absl::OkStatus(), ::xla::testing_internal::GetStatus(expression))

#endif  // XLA_HLO_TESTLIB_TEST_HELPERS_H_
