// Sizes that do not go together, and arguments that are smaller than a dynamic parameter. What
// operations compute stands in tests/dynamic.
#include "evaluate.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

TEST(DynamicSizesTest, TwoSizesThatDiffer) {
  constexpr absl::string_view kText = R"(
    HloModule m
    ENTRY e {
      x = f32[4] parameter(0)
      n = s32[] parameter(1)
      m = s32[] parameter(2)
      a = f32[<=4] set-dimension-size(x, n), dimensions={0}
      b = f32[<=4] set-dimension-size(x, m), dimensions={0}
      ROOT sum = f32[<=4] add(a, b)
    })";
  const std::string text = "f32[4] {1, 2, 3, 4}";
  EXPECT_EQ(EvaluateText(kText, {text, "s32[] 2", "s32[] 2"}), "f32[<=4](2) {2, 4}");
  const std::string error = EvaluateText(kText, {text, "s32[] 2", "s32[] 3"});
  EXPECT_THAT(error, HasSubstr("add_c3"));
  EXPECT_THAT(error, HasSubstr("f32[2], f32[3]"));
  EXPECT_THAT(error, HasSubstr("sum"));
}

TEST(DynamicSizesTest, SizeBeyondTheBound) {
  constexpr absl::string_view kText = R"(
    HloModule m
    ENTRY e {
      x = f32[4] parameter(0)
      n = s32[] parameter(1)
      ROOT d = f32[<=4] set-dimension-size(x, n), dimensions={0}
    })";
  for (const char* size : {"s32[] 5", "s32[] -1"}) {
    EXPECT_THAT(EvaluateText(kText, {"f32[4] {1, 2, 3, 4}", size}),
                HasSubstr("set-dimension-size d: size"));
  }
}

TEST(DynamicSizesTest, ReshapeThatCannotBe) {
  constexpr absl::string_view kText = R"(
    HloModule m
    ENTRY e {
      x = f32[6] parameter(0)
      n = s32[] parameter(1)
      d = f32[<=6] set-dimension-size(x, n), dimensions={0}
      ROOT r = f32[3,2] reshape(d)
    })";
  EXPECT_THAT(EvaluateText(kText, {"f32[6] {1, 2, 3, 4, 5, 6}", "s32[] 5"}),
              HasSubstr("reshape r: an operand with the sizes {5} cannot become f32[3,2]"));
}

TEST(DynamicSizesTest, ArgumentsInTuples) {
  constexpr absl::string_view kText = R"(
    HloModule m
    ENTRY e {
      p = (s32[<=3], s32[2]) parameter(0)
      x = s32[<=3] get-tuple-element(p), index=0
      ROOT n = s32[] get-dimension-size(x), dimensions={0}
    })";
  EXPECT_EQ(EvaluateText(kText, {"(s32[1] {7}, s32[2] {1, 2})"}), "s32[] 1");
  EXPECT_EQ(EvaluateText(kText, {"(s32[<=3](2) {7, 8}, s32[2] {1, 2})"}), "s32[] 2");
}

TEST(DynamicSizesTest, UnboundedParameter) {
  constexpr absl::string_view kText = R"(
    HloModule m
    ENTRY e {
      x = s32[?] parameter(0)
      ROOT r = s32[?] negate(x)
    })";
  EXPECT_FALSE(TryEvaluateText(kText, {"s32[2] {1, 2}"}).ok());
}

}  // namespace
}  // namespace xla
