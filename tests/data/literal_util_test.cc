#include "xla/literal_util.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/array4d.h"
#include "xla/layout_util.h"
#include "xla/tsl/lib/core/bitmap.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(LiteralUtilTest, TypesOfScalars) {
  EXPECT_EQ(LiteralUtil::CreateR0(1.0f).shape().element_type(), F32);
  EXPECT_EQ(LiteralUtil::CreateR0<bool>(true).shape().element_type(), PRED);
  EXPECT_EQ(LiteralUtil::CreateR0<Eigen::half>(Eigen::half(1.f)).shape().element_type(), F16);
  EXPECT_EQ(LiteralUtil::CreateR0<tsl::bfloat16>(tsl::bfloat16(1.f)).shape().element_type(), BF16);
  EXPECT_EQ(LiteralUtil::CreateR0(S8, 3).ToString(), "s8[] 3");
  EXPECT_EQ(LiteralUtil::CreateR0(C128, 1.5f).ToString(), "c128[] (1.5, 0)");
}

TEST(LiteralUtilTest, ArraysFromLists) {
  EXPECT_EQ(LiteralUtil::CreateR1<float>({1, 2}).ToString(), "f32[2] {1, 2}");
  EXPECT_EQ(LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}).ToStringOneline(),
            "f32[2,2] { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(LiteralUtil::CreateR2<float>({}).shape().ToString(), "f32[0,0]");
  EXPECT_EQ(LiteralUtil::CreateR3<int64_t>({{{1}, {2}}}).shape().ToString(), "s64[1,2,1]");
  EXPECT_EQ(LiteralUtil::CreateR4<bool>({{{{true}}}}).shape().ToString(), "pred[1,1,1,1]");
  EXPECT_EQ(LiteralUtil::CreateR2WithLayout<float>({{1, 2}}, LayoutUtil::MakeLayout({0, 1}))
                .ToStringWithLayoutOneline(),
            "f32[1,2]{0,1} { { 1, 2 } }");
  tsl::core::Bitmap bits(3);
  bits.set(1);
  EXPECT_EQ(LiteralUtil::CreateR1(bits).ToString(), "pred[3] {0, 1, 0}");
}

TEST(LiteralUtilTest, ArraysFromArrays) {
  const Array2D<float> matrix({{1, 2}, {3, 4}});
  EXPECT_EQ(LiteralUtil::CreateR2FromArray2D(matrix),
            LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  EXPECT_EQ(LiteralUtil::CreateR2FromArray2DWithLayout(matrix, LayoutUtil::MakeLayout({0, 1})),
            LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  EXPECT_EQ(LiteralUtil::CreateFromArray(Array<int32_t>({2, 3}, 7)),
            LiteralUtil::CreateFull<int32_t>({2, 3}, 7));
  Array4D<float> four(1, 2, 1, 2);
  four.FillIota(0);
  EXPECT_EQ(LiteralUtil::CreateR4FromArray4D(four),
            LiteralUtil::CreateR4<float>({{{{0, 1}}, {{2, 3}}}}));
  EXPECT_EQ(LiteralUtil::CreateFromArray(Array<bool>({2}, true)),
            LiteralUtil::CreateR1<bool>({true, true}));
}

TEST(LiteralUtilTest, ValuesOfEachType) {
  for (int i = PrimitiveType_MIN; i <= PrimitiveType_MAX; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!primitive_util::IsArrayType(type)) continue;
    if (type != F8E8M0FNU) EXPECT_TRUE(LiteralUtil::Zero(type).IsAll(0));
    EXPECT_TRUE(LiteralUtil::One(type).IsAll(type == S1 ? -1 : 1));
    EXPECT_EQ(LiteralUtil::NanValue(type).ok(), primitive_util::HasNaN(type))
        << PrimitiveType_Name(type);
    if (primitive_util::IsComplexType(type)) continue;
    EXPECT_LT(*LiteralUtil::MinValue(type).GetAsDouble({}),
              *LiteralUtil::MaxValue(type).GetAsDouble({}));
    EXPECT_TRUE(std::isfinite(*LiteralUtil::MaxFiniteValue(type).GetAsDouble({})));
  }
  EXPECT_EQ(LiteralUtil::MinValue(F32).Get<float>({}), -INFINITY);
  EXPECT_EQ(LiteralUtil::MaxValue(S4).Get<s4>({}), s4(7));
  EXPECT_EQ(LiteralUtil::MinValue(F8E4M3FN).ToString(), "f8e4m3fn[] -448");
}

TEST(LiteralUtilTest, Patterns) {
  EXPECT_EQ(LiteralUtil::MakeIdentityR2<float>(2), LiteralUtil::CreateR2<float>({{1, 0}, {0, 1}}));
  EXPECT_EQ(LiteralUtil::CreateR2F32Linspace(0, 3, 2, 2),
            LiteralUtil::CreateR2<float>({{0, 1}, {2, 3}}));
  EXPECT_EQ(LiteralUtil::CreateR3Projected<float>({{1, 2}}, 2),
            LiteralUtil::CreateR3<float>({{{1, 2}}, {{1, 2}}}));
  EXPECT_EQ(LiteralUtil::CreateR4Projected<float>({{1}}, 1, 2),
            LiteralUtil::CreateR4<float>({{{{1}}, {{1}}}}));
  EXPECT_EQ(LiteralUtil::CreateFingerprintMatixR2<float>(1, 10).Get<float>({0, 3}), 6);
  EXPECT_EQ(LiteralUtil::CreateFromDimensions(S32, {2}), LiteralUtil::CreateR1<int32_t>({0, 0}));
}

TEST(LiteralUtilTest, Random) {
  std::minstd_rand0 engine(1);
  const Shape shape = ShapeUtil::MakeShape(F32, {10000});
  const Literal literal =
      LiteralUtil::CreateRandomLiteral<F32, std::minstd_rand0, float>(shape, &engine, 3.0f, 2.0f)
          .value();
  double sum = 0;
  for (float value : literal.data<float>()) sum += value;
  EXPECT_NEAR(sum / 10000, 3.0, 0.1);
  EXPECT_TRUE(LiteralUtil::CreateRandomLiteral<F32>(shape, 1.0f, 0.1f).ok());
  EXPECT_EQ(*MakeFakeLiteral(shape), *MakeFakeLiteral(shape));
  EXPECT_TRUE(MakeFakeLiteral(shape, /*pseudo_random=*/false)->IsAll(0));
  const auto squares = LiteralUtil::CreateLiteralWithGenerator<S32, int32_t>(
      ShapeUtil::MakeShape(S32, {3}),
      [](absl::Span<const int64_t> i) { return static_cast<int32_t>(i[0] * i[0]); });
  EXPECT_EQ(*squares, LiteralUtil::CreateR1<int32_t>({0, 1, 4}));
}

TEST(LiteralUtilTest, Tuples) {
  const Literal one = LiteralUtil::CreateR0<float>(1);
  const Literal two = LiteralUtil::CreateR0<int32_t>(2);
  const Literal tuple = LiteralUtil::MakeTuple({&one, &two});
  EXPECT_EQ(tuple.ToStringOneline(), "( f32[] 1, s32[] 2 )");
  EXPECT_EQ(LiteralUtil::MakeTupleFromSlices({one, two}), tuple);
  EXPECT_EQ(LiteralUtil::MakeTupleOwned(one.Clone(), two.Clone()), tuple);
  EXPECT_TRUE(LiteralUtil::CreateToken().shape().IsToken());
}

TEST(LiteralUtilTest, Elements) {
  Literal literal = LiteralUtil::CreateR2<int32_t>({{1, 9}, {3, 4}});
  EXPECT_EQ(LiteralUtil::GetFirstScalarLiteral(literal), LiteralUtil::CreateR0<int32_t>(1));
  EXPECT_EQ(LiteralUtil::GetScalarLiteral(literal, {1, 0}), LiteralUtil::CreateR0<int32_t>(3));
  EXPECT_EQ(LiteralUtil::MaxElement(literal), LiteralUtil::CreateR0<int32_t>(9));
  EXPECT_EQ(LiteralUtil::MaxElement(LiteralUtil::CreateR1<float>({NAN, 2, NAN})),
            LiteralUtil::CreateR0<float>(2));
  LiteralUtil::SetScalarLiteral(literal, {0, 0}, LiteralUtil::CreateR0<int32_t>(-1));
  EXPECT_EQ(literal.Get<int32_t>({0, 0}), -1);
  EXPECT_EQ(LiteralUtil::LiteralAsScalarInt64(LiteralUtil::CreateR1<uint8_t>({7})), 7);
  EXPECT_EQ(LiteralUtil::LiteralAsScalarInt64(LiteralUtil::CreateR0<float>(7)), std::nullopt);
}

TEST(LiteralUtilTest, ReshapeSliceLaysTheElementsOutAnew) {
  const Literal literal = LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(LiteralUtil::ReshapeSlice({6}, {0}, literal),
            LiteralUtil::CreateR1<int32_t>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(LiteralUtil::ReshapeSlice({3, 2}, {1, 0}, literal),
            LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(LiteralUtil::ReshapeSlice({3, 2}, {0, 1}, literal),
            LiteralUtil::CreateR2<int32_t>({{1, 4}, {2, 5}, {3, 6}}));
  // The order in memory counts, not that of the dimensions.
  const Literal columns = literal.Relayout(LayoutUtil::MakeLayout({0, 1}));
  EXPECT_EQ(LiteralUtil::ReshapeSlice({6}, {0}, columns),
            LiteralUtil::CreateR1<int32_t>({1, 4, 2, 5, 3, 6}));
}

TEST(LiteralUtilTest, SparseOperandsBecomeDense) {
  SparsityConfig::TensorSparsityConfig config;
  config.set_num_non_zero(1);
  config.set_block_size(3);
  config.set_dimension(0);
  config.set_stride(1);
  const Literal values = LiteralUtil::CreateR1<float>({5, 6});
  const Literal places = LiteralUtil::CreateR1<int32_t>({2, 0});
  EXPECT_EQ(*MaterializeSparseOperand(values, places, config),
            LiteralUtil::CreateR1<float>({0, 0, 5, 6, 0, 0}));
  config.set_stride(2);
  EXPECT_EQ(*MaterializeSparseOperand(values, places, config),
            LiteralUtil::CreateR1<float>({0, 6, 0, 0, 5, 0}));
  EXPECT_FALSE(
      MaterializeSparseOperand(values, LiteralUtil::CreateR1<int32_t>({3, 0}), config).ok());
  EXPECT_FALSE(MaterializeSparseOperand(values, values, config).ok());
  config.set_num_non_zero(2);
  EXPECT_FALSE(MaterializeSparseOperand(values, places, config).ok());
}

TEST(LiteralUtilTest, ConversionsOfTuples) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1.5f),
                                                    LiteralUtil::CreateR0<int32_t>(2));
  EXPECT_EQ(LiteralUtil::ConvertF32ToBF16(tuple).ToStringOneline(), "( bf16[] 1.5, s32[] 2 )");
  EXPECT_EQ(LiteralUtil::ConvertS32ToF32(tuple).ToStringOneline(), "( f32[] 1.5, f32[] 2 )");
}

TEST(ArrayTest, ListsAndSizes) {
  EXPECT_EQ(Array<int>({2, 3}).num_elements(), 6);
  EXPECT_THAT(Array<bfloat16>({1.0f, 2.0f}).dimensions(), ElementsAre(2));
  EXPECT_EQ(Array2D<bfloat16>({{1.0f, 2.0f}})(0, 1), bfloat16(2.0f));
  EXPECT_EQ(Array2D<int>({{1, 2}, {3, 4}}).ToString(), "[[1, 2],\n [3, 4]]");
  Array<int> array({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(array.Slice({0, 1}, {2, 2}), Array<int>({{2}, {5}}));
  array.TransposeDimensions({1, 0});
  EXPECT_EQ(array, Array<int>({{1, 4}, {2, 5}, {3, 6}}));
  array.UpdateSlice(Array<int>({{7, 8}}), {2, 0});
  EXPECT_EQ(array(2, 1), 8);
}

template <typename NativeT>
std::pair<double, double> RangeOfFakes(std::optional<ConstraintInterval> interval,
                                       std::optional<std::pair<int64_t, int64_t>> limit) {
  std::minstd_rand0 engine(7);
  const Literal literal = *MakeFakeLiteral(
      ShapeUtil::MakeShapeWithType<NativeT>({500}), &engine, limit,
      /*is_sorted=*/true, /*no_duplicates=*/false, /*use_large_range=*/false,
      /*max_bits_of_precision=*/std::nullopt, std::nullopt, std::nullopt, nullptr, interval);
  const absl::Span<const NativeT> numbers = literal.data<NativeT>();
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  return {static_cast<double>(numbers.front()), static_cast<double>(numbers.back())};
}

TEST(LiteralUtilTest, FakesLieWhereTheyShould) {
  const auto within = [](std::pair<double, double> range, double low, double high) {
    return range.first >= low && range.second <= high && range.first < range.second;
  };
  using Interval = ConstraintInterval;
  EXPECT_TRUE(within(RangeOfFakes<float>(std::nullopt, std::nullopt), -0.1, 0.2));
  EXPECT_TRUE(within(RangeOfFakes<float>(Interval::Positive(), std::nullopt), 0, 0.2));
  EXPECT_TRUE(
      within(RangeOfFakes<float>(Interval(5, Interval::kMax, false), std::nullopt), 5, 5.3));
  EXPECT_TRUE(
      within(RangeOfFakes<half>(Interval(Interval::kMin, -5, false), std::nullopt), -5.31, -5));
  EXPECT_TRUE(within(RangeOfFakes<int8_t>(std::nullopt, std::make_pair(-500, 500)), -128, 127));
  EXPECT_TRUE(within(RangeOfFakes<uint32_t>(std::nullopt, std::make_pair(-5, 7)), 0, 7));
  EXPECT_TRUE(
      within(RangeOfFakes<uint64_t>(
                 std::nullopt, std::make_pair(int64_t{3}, std::numeric_limits<int64_t>::max())),
             3, 0x1p63));
  std::minstd_rand0 engine;
  EXPECT_FALSE(MakeFakeLiteral(ShapeUtil::MakeShape(F32, {1}), &engine, std::nullopt, false, false,
                               false, std::nullopt, std::nullopt, std::nullopt, nullptr,
                               Interval(1, 0, false))
                   .ok());
}

TEST(LiteralUtilTest, FakesWithoutDuplicatesAndWithKnownZeros) {
  std::minstd_rand0 engine;
  const Literal numbers = *MakeFakeLiteral(ShapeUtil::MakeShape(S32, {40}), &engine,
                                           std::make_pair(0, 60), true, true, false, std::nullopt);
  for (int64_t i = 1; i < 40; ++i) {
    EXPECT_LT(numbers.Get<int32_t>({i - 1}), numbers.Get<int32_t>({i}));
  }
  const Literal aligned =
      *MakeFakeLiteral(ShapeUtil::MakeShape(S32, {40}), &engine, std::make_pair(0, 100), false,
                       false, false, std::nullopt, /*index_alignment=*/8);
  aligned.EachCell<int32_t>([](absl::Span<const int64_t>, int32_t n) { EXPECT_EQ(n % 8, 0); });
  const Literal masked =
      *MakeFakeLiteral(ShapeUtil::MakeShape(S32, {40}), &engine, std::make_pair(0, 100), false,
                       false, false, std::nullopt, std::nullopt, /*index_known_zeroes=*/5);
  masked.EachCell<int32_t>([](absl::Span<const int64_t>, int32_t n) { EXPECT_EQ(n & 5, 0); });
  const Literal same = *MakeFakeLiteral(ShapeUtil::MakeShape(F32, {4}), &engine, std::nullopt,
                                        false, false, false, std::nullopt, std::nullopt,
                                        std::nullopt, [](std::minstd_rand0*) { return 2.5; });
  EXPECT_TRUE(same.IsAllFloat(2.5f));
}

}  // namespace
}  // namespace xla
