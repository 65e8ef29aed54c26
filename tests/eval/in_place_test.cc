// Values are shared and changed in place where nobody else sees it.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/eval/evaluate.h"

namespace xla {
namespace {

TEST(InPlaceTest, ArgumentsAreNotChanged) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m
ENTRY e {
  x = s32[3] parameter(0)
  u = s32[1] constant({9})
  i = s32[] constant(1)
  ROOT y = s32[3] dynamic-update-slice(x, u, i)
})");
  const Literal argument = Value("s32[3] {1, 2, 3}");
  EXPECT_EQ(HloEvaluator().Evaluate(*module, {&argument}).value(), Value("s32[3] {1, 9, 3}"));
  EXPECT_EQ(argument, Value("s32[3] {1, 2, 3}"));
}

TEST(InPlaceTest, ConstantsAreNotChanged) {
  constexpr char kText[] = R"(
HloModule m
condition { p = (s32[], s32[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0
  three = s32[] constant(3)  ROOT less = pred[] compare(i, three), direction=LT }
body {
  p = (s32[], s32[3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  zeros = s32[3] constant({0, 0, 0})
  u = s32[1] constant({1})
  one = s32[] constant(1)
  updated = s32[3] dynamic-update-slice(zeros, u, i)
  next = s32[] add(i, one)
  ROOT t = (s32[], s32[3]) tuple(next, updated)
}
ENTRY e { p = (s32[], s32[3]) parameter(0)  ROOT w = (s32[], s32[3]) while(p), condition=condition, body=body })";
  EXPECT_EQ(EvaluateText(kText, {"(s32[] 0, s32[3] {7, 7, 7})"}), "( s32[] 3, s32[3] {0, 0, 1} )");
}

TEST(InPlaceTest, OtherUsersSeeTheOldValue) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  x = s32[3] parameter(0)
  zero = s32[] constant(0)
  base = s32[3] negate(x)
  u = s32[1] constant({9})
  first = s32[3] dynamic-update-slice(base, u, zero)
  one = s32[] constant(1)
  second = s32[3] dynamic-update-slice(base, u, one)
  ROOT t = (s32[3], s32[3], s32[3]) tuple(first, second, base)
})",
                         {"s32[3] {1, 2, 3}"}),
            "( s32[3] {9, -2, -3}, s32[3] {-1, 9, -3}, s32[3] {-1, -2, -3} )");
}

TEST(InPlaceTest, ElementsOfOneTupleAreIndependent) {
  // The tuple holds the same array twice.
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  x = s32[2] parameter(0)
  y = s32[2] negate(x)
  t = (s32[2], s32[2]) tuple(y, y)
  a = s32[2] get-tuple-element(t), index=0
  b = s32[2] get-tuple-element(t), index=1
  u = s32[1] constant({5})
  zero = s32[] constant(0)
  c = s32[2] dynamic-update-slice(a, u, zero)
  ROOT r = (s32[2], s32[2]) tuple(c, b)
})",
                         {"s32[2] {1, 2}"}),
            "( s32[2] {5, -2}, s32[2] {-1, -2} )");
}

TEST(InPlaceTest, ElementUsedTwiceAndWholeTupleUsed) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  x = s32[2] parameter(0)
  y = s32[2] negate(x)
  t = (s32[2]) tuple(y)
  a = s32[2] get-tuple-element(t), index=0
  b = s32[2] get-tuple-element(t), index=0
  u = s32[1] constant({5})
  zero = s32[] constant(0)
  c = s32[2] dynamic-update-slice(a, u, zero)
  ROOT r = (s32[2], s32[2], (s32[2])) tuple(c, b, t)
})",
                         {"s32[2] {1, 2}"}),
            "( s32[2] {5, -2}, s32[2] {-1, -2}, ( s32[2] {-1, -2} ) )");
}

TEST(InPlaceTest, ScatterIntoOneOperandTwice) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
swap { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  ROOT t = (s32[], s32[]) tuple(c, d) }
ENTRY e {
  x = s32[3] parameter(0)
  y = s32[3] negate(x)
  i = s32[1] constant({1})
  u = s32[] constant(8)
  v = s32[] constant(9)
  ROOT s = (s32[3], s32[3]) scatter(y, y, i, u, v), to_apply=swap, update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=0
})",
                         {"s32[3] {1, 2, 3}"}),
            "( s32[3] {-1, 8, -3}, s32[3] {-1, 9, -3} )");
}

}  // namespace
}  // namespace xla
