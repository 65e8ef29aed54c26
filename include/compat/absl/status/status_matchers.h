#ifndef HILO_COMPAT_ABSL_STATUS_STATUS_MATCHERS_H_
#define HILO_COMPAT_ABSL_STATUS_STATUS_MATCHERS_H_

// Needs GoogleMock, as the header of newer Abseil releases does.
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace absl_testing {
namespace stand_in {

inline const absl::Status& ToStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& ToStatus(const absl::StatusOr<T>& value) {
  return value.status();
}

class StatusIsMatcher {
 public:
  StatusIsMatcher(testing::Matcher<absl::StatusCode> code,
                  testing::Matcher<const std::string&> message)
      : code_(std::move(code)), message_(std::move(message)) {}

  void DescribeTo(std::ostream* os) const {
    *os << "has a status code that ";
    code_.DescribeTo(os);
    *os << ", and a message that ";
    message_.DescribeTo(os);
  }
  void DescribeNegationTo(std::ostream* os) const { *os << "does not have a matching status"; }
  template <typename T>
  bool MatchAndExplain(const T& actual, testing::MatchResultListener* listener) const {
    const absl::Status& status = ToStatus(actual);
    *listener << "whose status is " << status.ToString();
    return code_.Matches(status.code()) && message_.Matches(std::string(status.message()));
  }

 private:
  testing::Matcher<absl::StatusCode> code_;
  testing::Matcher<const std::string&> message_;
};

class IsOkMatcher {
 public:
  void DescribeTo(std::ostream* os) const { *os << "is OK"; }
  void DescribeNegationTo(std::ostream* os) const { *os << "is not OK"; }
  template <typename T>
  bool MatchAndExplain(const T& actual, testing::MatchResultListener* listener) const {
    if (!ToStatus(actual).ok()) *listener << "whose status is " << ToStatus(actual).ToString();
    return ToStatus(actual).ok();
  }
};

template <typename Inner>
class IsOkAndHoldsMatcher {
 public:
  explicit IsOkAndHoldsMatcher(Inner inner) : inner_(std::move(inner)) {}

  template <typename T>
  operator testing::Matcher<T>() const {  // NOLINT: the usual shape of a polymorphic matcher
    return testing::Matcher<T>(new Implementation<T>(inner_));
  }

 private:
  template <typename StatusOr>
  class Implementation : public testing::MatcherInterface<StatusOr> {
   public:
    using Value = typename std::decay_t<StatusOr>::value_type;
    explicit Implementation(const Inner& inner)
        : inner_(testing::SafeMatcherCast<const Value&>(inner)) {}
    void DescribeTo(std::ostream* os) const override {
      *os << "is OK and holds a value that ";
      inner_.DescribeTo(os);
    }
    void DescribeNegationTo(std::ostream* os) const override {
      *os << "is not OK or holds a value that ";
      inner_.DescribeNegationTo(os);
    }
    bool MatchAndExplain(StatusOr actual, testing::MatchResultListener* listener) const override {
      if (!actual.ok()) {
        *listener << "whose status is " << actual.status().ToString();
        return false;
      }
      return inner_.MatchAndExplain(*actual, listener);
    }

   private:
    testing::Matcher<const Value&> inner_;
  };

  Inner inner_;
};

}  // namespace stand_in

// Match absl::Status and absl::StatusOr<T>.
inline auto IsOk() { return testing::MakePolymorphicMatcher(stand_in::IsOkMatcher()); }
template <typename Code, typename Message>
auto StatusIs(Code&& code, Message&& message) {
  return testing::MakePolymorphicMatcher(stand_in::StatusIsMatcher(
      testing::MatcherCast<absl::StatusCode>(std::forward<Code>(code)),
      testing::MatcherCast<const std::string&>(std::forward<Message>(message))));
}
template <typename Code>
auto StatusIs(Code&& code) {
  return StatusIs(std::forward<Code>(code), testing::_);
}
template <typename Inner>
auto IsOkAndHolds(Inner&& inner) {
  return stand_in::IsOkAndHoldsMatcher<std::decay_t<Inner>>(std::forward<Inner>(inner));
}

}  // namespace absl_testing

#define HILO_MATCHER_CONCAT_INNER(a, b) a##b
#define HILO_MATCHER_CONCAT(a, b) HILO_MATCHER_CONCAT_INNER(a, b)
#define HILO_ASSERT_OK_AND_ASSIGN(status_or, lhs, ...)          \
  auto status_or = (__VA_ARGS__);                               \
  ASSERT_TRUE(status_or.ok()) << status_or.status().ToString(); \
  lhs = *::std::move(status_or)

#define EXPECT_OK(expression) EXPECT_THAT(expression, ::absl_testing::IsOk())
#define ASSERT_OK(expression) ASSERT_THAT(expression, ::absl_testing::IsOk())
#define ASSERT_OK_AND_ASSIGN(lhs, ...) \
  HILO_ASSERT_OK_AND_ASSIGN(HILO_MATCHER_CONCAT(hilo_status_or_, __COUNTER__), lhs, __VA_ARGS__)

#endif  // HILO_COMPAT_ABSL_STATUS_STATUS_MATCHERS_H_
