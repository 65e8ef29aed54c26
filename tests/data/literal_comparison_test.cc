#include "xla/literal_comparison.h"

#include <cmath>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string EqualError(const Literal& expected, const Literal& actual) {
  return std::string(literal_comparison::Equal(expected, actual).message());
}

std::string NearError(const Literal& expected, const Literal& actual, const ErrorSpec& spec) {
  return std::string(literal_comparison::Near(expected, actual, spec).message());
}

bool IsNear(float expected, float actual, const ErrorSpec& spec) {
  return literal_comparison::Near(LiteralUtil::CreateR0(expected), LiteralUtil::CreateR0(actual),
                                  spec)
      .ok();
}

TEST(LiteralComparisonTest, EqualSaysWhatDiffers) {
  const Literal expected = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  EXPECT_EQ(EqualError(expected, LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}})), "");
  const std::string error = EqualError(expected, LiteralUtil::CreateR2<float>({{1, 2.5f}, {3, 5}}));
  EXPECT_THAT(error, HasSubstr("2 of 4 elements of f32[2,2] differ"));
  EXPECT_THAT(error, HasSubstr("at {0,1}: expected 2, actual 2.5"));
  EXPECT_THAT(error, HasSubstr("at {1,1}: expected 4, actual 5"));
}

TEST(LiteralComparisonTest, NearCountsStepsOfScales) {
  const auto scale = [](double value) {
    return LiteralUtil::CreateR0<tsl::float8_e8m0fnu>(tsl::float8_e8m0fnu(value));
  };
  ErrorSpec spec(0, 0);
  spec.low_precision_fp_error_spec.type = F8E8M0FNU;
  spec.low_precision_fp_error_spec.within_n_values = 2;
  EXPECT_EQ(NearError(scale(1), scale(4), spec), "");
  EXPECT_EQ(NearError(scale(0.5), scale(2), spec), "");
  EXPECT_NE(NearError(scale(0.5), scale(4), spec), "");
  EXPECT_NE(NearError(scale(0x1p-100), scale(0x1p100), spec), "");
}

TEST(LiteralComparisonTest, EqualIsBitwise) {
  EXPECT_THAT(EqualError(LiteralUtil::CreateR0(0.0f), LiteralUtil::CreateR0(-0.0f)),
              HasSubstr("expected 0, actual -0"));
  EXPECT_EQ(EqualError(LiteralUtil::CreateR0(NAN), LiteralUtil::CreateR0(NAN)), "");
  EXPECT_NE(EqualError(LiteralUtil::CreateR0(NAN), LiteralUtil::CreateR0(-NAN)), "");
}

TEST(LiteralComparisonTest, ShapesMustAgree) {
  EXPECT_EQ(EqualError(LiteralUtil::CreateR0(0.0f), LiteralUtil::CreateR1<float>({0})),
            "Expected shape f32[], actual shape f32[1]");
  Literal dynamic = LiteralUtil::CreateR1<float>({1, 2});
  dynamic.SetDynamicSize(0, 1);
  EXPECT_THAT(EqualError(LiteralUtil::CreateR1<float>({1, 2}), dynamic), HasSubstr("Dimension 0"));
}

TEST(LiteralComparisonTest, TuplesNameTheElement) {
  const Literal expected =
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0(1.0f), LiteralUtil::CreateR0<int32_t>(1));
  const Literal actual =
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0(1.0f), LiteralUtil::CreateR0<int32_t>(2));
  EXPECT_THAT(EqualError(expected, actual), HasSubstr("of s32[] differ at index {1} of the tuple"));
  ShapeIndex seen;
  bool mismatch = false;
  EXPECT_FALSE(
      literal_comparison::Equal(expected, actual,
                                [&](const LiteralSlice&, const LiteralSlice&,
                                    const LiteralSlice& mismatches, const ShapeIndex& index) {
                                  seen = index;
                                  mismatch = mismatches.Get<bool>({});
                                })
          .ok());
  EXPECT_EQ(seen, ShapeIndex({1}));
  EXPECT_TRUE(mismatch);
}

TEST(LiteralComparisonTest, NearNeedsBothErrorsToBeLarge) {
  EXPECT_TRUE(IsNear(1.0f, 1.00005f, ErrorSpec(1e-4)));
  EXPECT_FALSE(IsNear(1.0f, 1.0005f, ErrorSpec(1e-4)));
  EXPECT_TRUE(IsNear(1.0f, 1.0005f, ErrorSpec(1e-4, 1e-3)));
  EXPECT_TRUE(IsNear(0.0f, 1e-5f, ErrorSpec(1e-4)));
  EXPECT_FALSE(IsNear(0.0f, 1e-3f, ErrorSpec(1e-4, 1e-1)));
  EXPECT_TRUE(IsNear(0.0f, -0.0f, ErrorSpec(0)));
}

TEST(LiteralComparisonTest, NearAndValuesThatAreNotFinite) {
  const float infinity = INFINITY;
  EXPECT_TRUE(IsNear(NAN, -NAN, ErrorSpec(0)));
  EXPECT_FALSE(IsNear(NAN, 1, ErrorSpec(1, 1)));
  EXPECT_FALSE(IsNear(1, NAN, ErrorSpec(1, 1)));
  EXPECT_TRUE(IsNear(1, NAN, ErrorSpec(1, 1, /*relaxed_nans=*/true)));
  EXPECT_FALSE(IsNear(NAN, 1, ErrorSpec(1, 1, /*relaxed_nans=*/true)));
  EXPECT_TRUE(IsNear(infinity, infinity, ErrorSpec(0)));
  EXPECT_FALSE(IsNear(infinity, -infinity, ErrorSpec(1, 1)));
  EXPECT_FALSE(IsNear(infinity, std::numeric_limits<float>::max(), ErrorSpec(1, 1)));
  ErrorSpec fewer(0);
  fewer.fewer_infs_ok = true;
  EXPECT_TRUE(IsNear(std::numeric_limits<float>::max(), infinity, fewer));
}

TEST(LiteralComparisonTest, NearOfOtherTypes) {
  const Literal one = LiteralUtil::CreateR0<int32_t>(1), two = LiteralUtil::CreateR0<int32_t>(2);
  EXPECT_NE(NearError(one, two, ErrorSpec(10)), "");
  ErrorSpec rounding(0);
  rounding.allow_integer_rounding_difference = true;
  EXPECT_EQ(NearError(one, two, rounding), "");
  EXPECT_EQ(NearError(LiteralUtil::CreateR0(complex64(3, 4)),
                      LiteralUtil::CreateR0(complex64(3, 4.01f)), ErrorSpec(0.02)),
            "");
  EXPECT_EQ(NearError(LiteralUtil::CreateR0(half(1.f)), LiteralUtil::CreateR0(half(1.001f)),
                      ErrorSpec(0, 1e-2)),
            "");
  ErrorSpec steps(0);
  steps.low_precision_fp_error_spec.type = F8E4M3FN;
  steps.low_precision_fp_error_spec.within_n_values = 1;
  EXPECT_TRUE(IsNear(1.0f, 1.125f, steps));
  EXPECT_FALSE(IsNear(1.0f, 1.25f, steps));
}

TEST(LiteralComparisonTest, NearListsTheWorst) {
  Literal expected = LiteralUtil::CreateFull<float>({100}, 1);
  Literal actual = LiteralUtil::CreateFull<float>({100}, 1.25f);
  actual.Set<float>({42}, 3);
  const std::string error = NearError(expected, actual, ErrorSpec(0.1));
  EXPECT_THAT(error, HasSubstr("100 of 100 elements"));
  EXPECT_THAT(
      error,
      HasSubstr(
          "the worst:\n  at {42}: expected 1, actual 3 (absolute error 2, relative error 2)"));
  const absl::Status brief =
      literal_comparison::Near(expected, actual, ErrorSpec(0.1), /*detailed_message=*/false);
  EXPECT_THAT(std::string(brief.message()), Not(HasSubstr("{42}")));
}

TEST(LiteralComparisonTest, Truncated) {
  EXPECT_EQ(literal_comparison::ToStringTruncated(LiteralUtil::CreateR0(1.0f)), "f32[] 1");
  EXPECT_EQ(literal_comparison::ToStringTruncated(Literal(ShapeUtil::MakeShape(F32, {100000}))),
            "f32[100000] {...}");
}

}  // namespace
}  // namespace xla
