#include "tools/fake_inputs.h"

#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

Literal Fake(const Shape& shape, int64_t number) {
  absl::StatusOr<Literal> literal = MakeFakeLiteral(shape, &number);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return *std::move(literal);
}

// The numbers were computed with an implementation of the formula in another language.
TEST(FakeInputsTest, FollowsTheFormula) {
  EXPECT_EQ(Fake(ShapeUtil::MakeShape(F32, {4}), 0),
            LiteralUtil::CreateR1<float>({-0.021855127066373825f, 0.09134091436862946f,
                                          -0.08030370622873306f, 0.01885617896914482f}));
  EXPECT_EQ(Fake(ShapeUtil::MakeShape(S32, {8}), 1),
            LiteralUtil::CreateR1<int32_t>({1, 7, 2, 3, 6, 6, 5, 7}));
  EXPECT_EQ(Fake(ShapeUtil::MakeShape(PRED, {8}), 2),
            LiteralUtil::CreateR1<bool>({false, false, true, false, true, true, true, false}));
  EXPECT_EQ(Fake(ShapeUtil::MakeShape(C64, {2}), 3),
            LiteralUtil::CreateR1<complex64>({{-0.031901586800813675f, 0.0851244330406189f},
                                              {-0.08264100551605225f, 0.04256651550531387f}}));
}

TEST(FakeInputsTest, LeavesOfTuplesAreNumberedOn) {
  const Shape f32 = ShapeUtil::MakeShape(F32, {3});
  int64_t number = 5;
  absl::StatusOr<Literal> tuple =
      MakeFakeLiteral(ShapeUtil::MakeTupleShape({f32, ShapeUtil::MakeTupleShape({f32})}), &number);
  ASSERT_TRUE(tuple.ok()) << tuple.status();
  EXPECT_EQ(number, 7);
  std::vector<Literal> elements = tuple->DecomposeTuple();
  EXPECT_EQ(elements[0], Fake(f32, 5));
  EXPECT_EQ(elements[1].DecomposeTuple()[0], Fake(f32, 6));
}

TEST(FakeInputsTest, RepeatsWithItsPeriod) {
  constexpr int64_t kPeriod = 1048573;
  const Literal values = Fake(ShapeUtil::MakeShape(S32, {kPeriod + 10}), 2);
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(values.Get<int32_t>({i}), values.Get<int32_t>({i + kPeriod}));
    EXPECT_LT(values.Get<int32_t>({i}), 8);
  }
}

TEST(FakeInputsTest, OneLiteralForEachParameter) {
  auto module = ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e { a = pred[2]{0} parameter(0)  b = c64[2]{0} parameter(1)  ROOT t = "
      "(pred[2]{0}, c64[2]{0}) tuple(a, b) }");
  ASSERT_TRUE(module.ok()) << module.status();
  auto inputs = MakeFakeInputs(**module);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  ASSERT_EQ(inputs->size(), 2u);
  EXPECT_EQ((*inputs)[1].shape(), ShapeUtil::MakeShape(C64, {2}));
}

TEST(FakeInputsTest, TokensAreRefused) {
  int64_t number = 0;
  EXPECT_FALSE(MakeFakeLiteral(ShapeUtil::MakeTokenShape(), &number).ok());
}

}  // namespace
}  // namespace xla
