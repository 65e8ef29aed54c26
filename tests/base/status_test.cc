// The macros that clients of OpenXLA use around Status, Abseil's own or the stand-ins.
#include <string>

#include "absl/functional/overload.h"
#include "absl/log/check.h"
#include "absl/log/log.h"
#include "absl/status/status_macros.h"
#include "absl/status/status_matchers.h"
#include "base/status_macros.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/status_macros.h"
#include "xla/tsl/lib/core/status_test_util.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

using absl_testing::IsOkAndHolds;
using absl_testing::StatusIs;
using testing::AllOf;
using testing::HasSubstr;

absl::StatusOr<int> Positive(int x) {
  TF_RET_CHECK(x > 0) << "x is " << x;
  return x;
}

absl::StatusOr<int> WithHiloMacros(int x) {
  HILO_ASSIGN_OR_RETURN(int y, Positive(x));
  HILO_RETURN_IF_ERROR(Positive(y).status());
  return y;
}

absl::StatusOr<int> WithTfMacros(int x) {
  TF_ASSIGN_OR_RETURN(int y, Positive(x));
  TF_RETURN_IF_ERROR(Positive(y).status());
  TF_RETURN_WITH_CONTEXT_IF_ERROR(Positive(y - 1).status(), "one less than ", y);
  return y;
}

absl::StatusOr<int> WithAbslMacros(int x) {
  ABSL_ASSIGN_OR_RETURN(int y, Positive(x));
  ABSL_RETURN_IF_ERROR(Positive(y - 1).status()) << "one less than " << y;
  return y;
}

TEST(StatusMacros, ValuesPass) {
  EXPECT_THAT(WithHiloMacros(2), IsOkAndHolds(2));
  EXPECT_THAT(WithTfMacros(2), IsOkAndHolds(2));
  EXPECT_THAT(WithAbslMacros(2), IsOkAndHolds(testing::Gt(1)));
  TF_ASSERT_OK_AND_ASSIGN(int x, WithTfMacros(3));
  ASSERT_OK_AND_ASSIGN(int y, WithTfMacros(4));
  EXPECT_EQ(x + y, 7);
  TF_EXPECT_OK(absl::OkStatus());
}

TEST(StatusMacros, ErrorsReturnWithContext) {
  auto is_internal = [](const char* text) {
    return StatusIs(absl::StatusCode::kInternal, AllOf(HasSubstr("RET_CHECK"), HasSubstr(text)));
  };
  EXPECT_THAT(WithHiloMacros(0), is_internal("x > 0 x is 0"));
  EXPECT_THAT(WithTfMacros(0), is_internal("x is 0"));
  EXPECT_THAT(WithTfMacros(1), is_internal("x is 0\n\tone less than 1"));
  EXPECT_THAT(WithAbslMacros(1), is_internal("one less than 1"));
}

TEST(Check, FailureEndsTheProcessWithBothValues) {
  CHECK_EQ(1 + 1, 2) << "never printed";
  CHECK_OK(Positive(1));
  EXPECT_DEATH(CHECK_EQ(1 + 1, 3) << "why", R"(status_test.cc:[0-9]+.*1 \+ 1 == 3 \(2 vs. 3\) why)");
  EXPECT_DEATH(CHECK_OK(Positive(0)), "INTERNAL");
  EXPECT_DEATH(LOG(FATAL) << "the end", "the end");
}

TEST(Overload, PicksByType) {
  absl::Overload name{[](int) { return "int"; }, [](const std::string&) { return "string"; }};
  EXPECT_STREQ(name(1), "int");
  EXPECT_STREQ(name(std::string()), "string");
}

}  // namespace
}  // namespace xla
