#include "xla/hlo/ir/hlo_input_output_alias_config.h"

#include <limits>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kMay = HloInputOutputAliasConfig::kMayAlias;
constexpr auto kMust = HloInputOutputAliasConfig::kMustAlias;

Shape F32s(std::vector<int64_t> dims) { return ShapeUtil::MakeShape(F32, dims); }

// (f32[4], f32[8]) -> (f32[4], (f32[8]))
ProgramShape Program() {
  ProgramShape shape;
  shape.AddParameter(F32s({4}), "p");
  shape.AddParameter(ShapeUtil::MakeTupleShape({F32s({8}), F32s({})}), "q");
  *shape.mutable_result() =
      ShapeUtil::MakeTupleShape({F32s({4}), ShapeUtil::MakeTupleShape({F32s({8})})});
  return shape;
}

TEST(HloInputOutputAliasConfigTest, AliasesInTheOrderOfTheResult) {
  HloInputOutputAliasConfig config(Program().result());
  EXPECT_TRUE(config.empty());
  EXPECT_EQ(config.ToString(), "{}");
  EXPECT_OK(config.SetUpAlias({1, 0}, 1, {0}, kMust));
  EXPECT_OK(config.SetUpAlias({0}, 0, {}));
  EXPECT_EQ(config.ToString(), "{ {0}: (0, {}, may-alias), {1,0}: (1, {0}, must-alias) }");
  EXPECT_EQ(config.ToShortString(), "{0}: (0, {}, may-alias), {1,0}: (1, {0}, must-alias)");
  EXPECT_TRUE(config.ParameterHasAlias(1, {0}));
  EXPECT_FALSE(config.ParameterHasAlias(1, {1}));
  EXPECT_TRUE(config.ParameterMustAlias(1, {0}));
  EXPECT_FALSE(config.ParameterMustAlias(0, {}));
  EXPECT_TRUE(config.OutputHasAlias({0}));
  EXPECT_EQ(config.GetAliasedOutput(1, {0}), ShapeIndex({1, 0}));
  EXPECT_EQ(config.GetAliasedOutput(2, {}), std::nullopt);
  EXPECT_EQ(config.GetAliasedParameter({0})->parameter_number, 0);
  EXPECT_OK(config.Verify(Program()));
}

TEST(HloInputOutputAliasConfigTest, RefusesASecondAlias) {
  HloInputOutputAliasConfig config(Program().result());
  EXPECT_OK(config.SetUpAlias({0}, 0, {}));
  EXPECT_THAT(config.SetUpAlias({0}, 1, {0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("already aliased")));
  EXPECT_THAT(config.SetUpAlias({1, 0}, 0, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("already aliased")));
  EXPECT_THAT(config.SetUpAlias({2}, 1, {0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has nothing at {2}")));
  EXPECT_THAT(config.SetUpAlias({1, 0}, -1, {0}), StatusIs(absl::StatusCode::kInvalidArgument));
  // What failed left no trace.
  EXPECT_EQ(config.ToString(), "{ {0}: (0, {}, may-alias) }");
}

TEST(HloInputOutputAliasConfigTest, Verify) {
  const auto status = [](ShapeIndex output, int64_t parameter, ShapeIndex index) {
    HloInputOutputAliasConfig config(Program().result());
    EXPECT_OK(config.SetUpAlias(output, parameter, index));
    return config.Verify(Program());
  };
  EXPECT_OK(status({1, 0}, 1, {0}));
  EXPECT_THAT(status({0}, 1, {0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("differ in size")));
  EXPECT_THAT(status({0}, 2, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({0}, std::numeric_limits<int64_t>::max(), {}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({0}, 0, {3}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({0}, 1, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({1}, 1, {0}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(HloInputOutputAliasConfigTest, ProtoBothWays) {
  HloInputOutputAliasConfig config(Program().result());
  EXPECT_OK(config.SetUpAlias({1, 0}, 1, {0}, kMust));
  EXPECT_OK(config.SetUpAlias({0}, 0, {}, kMay));
  const auto read = HloInputOutputAliasConfig::CreateFromProto(config.shape(), config.ToProto());
  ASSERT_THAT(read, absl_testing::IsOk());
  EXPECT_EQ(*read, config);
  HloInputOutputAliasProto twice = config.ToProto();
  *twice.add_entries() = twice.entries(0);
  EXPECT_THAT(HloInputOutputAliasConfig::CreateFromProto(config.shape(), twice).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(HloBufferDonorConfigTest, Donors) {
  HloBufferDonorConfig config;
  EXPECT_OK(config.AddBufferDonor(1, {1}));
  EXPECT_OK(config.AddBufferDonor(0, {}));
  EXPECT_OK(config.AddBufferDonor(0, {}));
  EXPECT_EQ(config.ToString(), "{ (0, {}), (1, {1}) }");
  EXPECT_TRUE(config.ParameterIsBufferDonor(1, {1}));
  EXPECT_EQ(HloBufferDonorConfig::CreateFromProto(config.ToProto()).value(), config);

  HloInputOutputAliasConfig aliases(Program().result());
  EXPECT_OK(config.Verify(Program(), aliases));
  EXPECT_OK(aliases.SetUpAlias({0}, 0, {}));
  EXPECT_THAT(config.Verify(Program(), aliases),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("aliased")));
  EXPECT_OK(config.RemoveBufferDonor(0, {}));
  EXPECT_OK(config.AddBufferDonor(1, {}));
  EXPECT_THAT(config.Verify(Program(), aliases), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(config.AddBufferDonor(-1, {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace xla
