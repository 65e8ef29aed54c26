// Names of newer releases of Abseil, Eigen and GoogleTest that programs use and that stand-ins give
// where the release is older.
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_casting_utils.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal_util.h"
#include "xla/types.h"

namespace xla {
namespace {

TEST(NewerLibrariesTest, DownCast) {
  const auto one = HloInstruction::CreateConstant(LiteralUtil::CreateR0<float>(1));
  EXPECT_EQ(absl::down_cast<HloConstantInstruction*>(one.get()), one.get());
  EXPECT_EQ(&absl::down_cast<HloConstantInstruction&>(*one), one.get());
}

TEST(NewerLibrariesTest, Signs) {
  EXPECT_TRUE(Eigen::numext::signbit(bfloat16(-0.0f)));
  EXPECT_FALSE(Eigen::numext::signbit(bfloat16(2)));
  EXPECT_TRUE(Eigen::numext::signbit(half(-1)));
  EXPECT_TRUE(Eigen::numext::signbit(-0.0f));
  EXPECT_TRUE(Eigen::numext::signbit(-1e-300));
}

TEST(NewerLibrariesTest, RegularExpressionsOverMessages) {
  const absl::Status status = absl::InvalidArgumentError("there are 12 of them");
  EXPECT_THAT(status.message(), ::testing::ContainsRegex("are [0-9]+ of"));
  EXPECT_THAT(status.message(), ::testing::MatchesRegex("there .* them"));
  EXPECT_THAT(status.message(), ::testing::Not(::testing::MatchesRegex("are .* of")));
}

}  // namespace
}  // namespace xla
