// Patterns of instructions as a GoogleMock matcher:
//
//   namespace m = ::xla::match;
//   EXPECT_THAT(root, GmockMatch(m::Add(m::Parameter(0), m::Parameter(1))));
#ifndef XLA_HLO_TESTLIB_PATTERN_MATCHER_GMOCK_H_
#define XLA_HLO_TESTLIB_PATTERN_MATCHER_GMOCK_H_

#include <ostream>
#include <utility>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/testlib/test.h"
#include "xla/service/pattern_matcher.h"

namespace xla {

class GmockPatternMatcher {
 public:
  using is_gtest_matcher = void;

  explicit GmockPatternMatcher(match::HloInstructionPattern pattern)
      : pattern_(std::move(pattern)) {}

  bool MatchAndExplain(const HloInstruction* instruction,
                       ::testing::MatchResultListener* listener) const {
    return pattern_.Match(instruction, listener->stream());
  }
  void DescribeTo(std::ostream* os) const { *os << "matches " << pattern_.description(); }
  void DescribeNegationTo(std::ostream* os) const {
    *os << "does not match " << pattern_.description();
  }

 private:
  match::HloInstructionPattern pattern_;
};

inline GmockPatternMatcher GmockMatch(match::HloInstructionPattern pattern) {
  return GmockPatternMatcher(std::move(pattern));
}

}  // namespace xla

#endif  // XLA_HLO_TESTLIB_PATTERN_MATCHER_GMOCK_H_
