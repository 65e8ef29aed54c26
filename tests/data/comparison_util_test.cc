#include "xla/comparison_util.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace xla {
namespace {

using Direction = Comparison::Direction;
using Order = Comparison::Order;
using Type = Comparison::Type;

TEST(ComparisonTest, Defaults) {
  EXPECT_EQ(Comparison(Direction::kGe, BF16).GetType(), Type::kFloat);
  EXPECT_EQ(Comparison(Direction::kGe, C64).GetOrder(), Order::kPartial);
  EXPECT_EQ(Comparison(Direction::kGe, PRED).GetType(), Type::kUnsigned);
  EXPECT_EQ(Comparison(Direction::kGe, S4).GetType(), Type::kSigned);
  EXPECT_EQ(Comparison(Direction::kGe, F32, Order::kTotal).GetType(), Type::kFloatTotalOrder);
  EXPECT_TRUE(Comparison(Direction::kLt, Type::kFloatTotalOrder).IsF32TotalOrder());
  EXPECT_TRUE(Comparison(Direction::kLt, Type::kSigned).IsStandardS32());
}

TEST(ComparisonTest, ConverseAndInverse) {
  const Comparison less(Direction::kLt, S32);
  EXPECT_EQ(less.Converse(), Comparison(Direction::kGt, S32));
  EXPECT_EQ(*less.Inverse(), Comparison(Direction::kGe, S32));
  EXPECT_FALSE(Comparison(Direction::kLt, F32).Inverse().has_value());
  EXPECT_EQ(Comparison(Direction::kLt, F32, Order::kTotal).Inverse()->GetOrder(), Order::kTotal);
  EXPECT_TRUE(Comparison(Direction::kLe, S32).IsReflexive());
  EXPECT_FALSE(Comparison(Direction::kLe, F32).IsReflexive());
  EXPECT_TRUE(Comparison(Direction::kLt, F32).IsAntireflexive());
  EXPECT_FALSE(Comparison(Direction::kNe, F32).IsAntireflexive());
}

TEST(ComparisonTest, TotalOrderOfFloats) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> ascending = {-nan, -inf,   -1.0f, -1e-45f, -0.0f,
                                        0.0f, 1e-45f, 1.0f,  inf,     nan};
  const Comparison less(Direction::kLt, F32, Order::kTotal);
  const Comparison equal(Direction::kEq, F32, Order::kTotal);
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(less.Compare(ascending[i], ascending[j]), i < j) << i << " " << j;
      EXPECT_EQ(equal.Compare(ascending[i], ascending[j]), i == j) << i << " " << j;
    }
  }
  EXPECT_TRUE(
      Comparison(Direction::kLt, BF16, Order::kTotal).Compare(bfloat16(-0.0f), bfloat16(0.0f)));
}

TEST(ComparisonTest, TotalOrderOfFormatsWithoutMinusZeroOrSign) {
  using Fnuz = tsl::float8_e5m2fnuz;
  using Scale = tsl::float8_e8m0fnu;
  const Comparison less(Direction::kLt, F8E5M2FNUZ, Order::kTotal);
  EXPECT_TRUE(less.Compare(Fnuz::FromRep(0x80), Fnuz::FromRep(0xff)));  // NaN, the lowest number
  EXPECT_TRUE(less.Compare(Fnuz::FromRep(0x81), Fnuz::FromRep(0x00)));
  const Comparison greater(Direction::kGt, F8E8M0FNU, Order::kTotal);
  EXPECT_TRUE(greater.Compare(Scale(4.0f), Scale(0.5f)));
  EXPECT_TRUE(greater.Compare(Scale::FromRep(0xff), Scale(0x1p127)));  // NaN
}

TEST(ComparisonTest, PartialOrderOfFloats) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(Comparison(Direction::kEq, F32).Compare(nan, nan));
  EXPECT_TRUE(Comparison(Direction::kNe, F32).Compare(nan, nan));
  EXPECT_FALSE(Comparison(Direction::kGe, F32).Compare(nan, 1.0f));
  EXPECT_TRUE(Comparison(Direction::kEq, F32).Compare(-0.0f, 0.0f));
  EXPECT_TRUE(Comparison(Direction::kNe, C64).Compare(complex64(1, 2), complex64(1, 3)));
  EXPECT_TRUE(Comparison(Direction::kGt, U64).Compare(~uint64_t{0}, uint64_t{1}));
  EXPECT_TRUE(Comparison(Direction::kLt, S4).Compare(s4(-8), s4(7)));
}

TEST(ComparisonTest, Text) {
  EXPECT_EQ(Comparison(Direction::kGt, F32).ToString(), ".GT.F32.PARTIALORDER");
  for (Direction direction : {Direction::kEq, Direction::kNe, Direction::kGe, Direction::kGt,
                              Direction::kLe, Direction::kLt}) {
    EXPECT_EQ(*StringToComparisonDirection(ComparisonDirectionToString(direction)), direction);
  }
  for (Type type : {Type::kFloat, Type::kFloatTotalOrder, Type::kSigned, Type::kUnsigned}) {
    EXPECT_EQ(*StringToComparisonType(ComparisonTypeToString(type)), type);
  }
  EXPECT_FALSE(StringToComparisonDirection("eq").ok());
  EXPECT_FALSE(StringToComparisonType("").ok());
}

}  // namespace
}  // namespace xla
