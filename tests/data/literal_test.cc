#include "xla/literal.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "data/literal_parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/array2d.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Literal Parse(const Shape& shape, absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteralValues(&text, shape);
  EXPECT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(text, "");
  return literal.ok() ? *std::move(literal) : Literal();
}

Layout ColumnMajor() { return LayoutUtil::MakeLayout({0, 1}); }

// ---- Storage.

TEST(LiteralTest, DefaultIsTheEmptyTuple) {
  Literal literal;
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(literal.shape()));
  EXPECT_EQ(literal, LiteralUtil::MakeTuple({}));
  EXPECT_EQ(literal.total_size_bytes(), 0);
  EXPECT_EQ(literal.untyped_data(), nullptr);
}

TEST(LiteralTest, NewArraysAreZeroAndAligned) {
  for (const int64_t size : {0, 1, 4, 5, 1000, 1000000}) {
    Literal literal(ShapeUtil::MakeShape(F32, {size}));
    for (float value : literal.data<float>()) ASSERT_EQ(value, 0);
    EXPECT_EQ(literal.size_bytes(), size * 4);
    if (size > 4) EXPECT_EQ(reinterpret_cast<uintptr_t>(literal.untyped_data()) % 64, 0);
  }
}

TEST(LiteralTest, SubByteTypesTakeOneByte) {
  EXPECT_EQ(Literal(ShapeUtil::MakeShape(S4, {3})).size_bytes(), 3);
  EXPECT_EQ(Literal(ShapeUtil::MakeShape(F4E2M1FN, {3})).size_bytes(), 3);
}

TEST(LiteralTest, MakeReturnsErrors) {
  EXPECT_THAT(Literal::Make(ShapeUtil::MakeShape(F64, {int64_t{1} << 40})).status().message(),
              HasSubstr("larger than"));
  EXPECT_FALSE(Literal::Make(ShapeUtil::MakeOpaqueShape()).ok());
  EXPECT_FALSE(Literal::Make(Shape()).ok());
  EXPECT_THAT(
      Literal::Make(ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize}, {true})).status().message(),
      HasSubstr("unbounded"));
}

TEST(LiteralTest, ElementsLieInLayoutOrder) {
  const Literal literal =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2, 3}, {4, 5, 6}}, ColumnMajor());
  EXPECT_THAT(literal.data<int32_t>(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(literal.Get<int32_t>({0, 2}), 3);
  EXPECT_EQ(literal.GetLinear<int32_t>(1), 4);
  EXPECT_EQ(literal.GetFirstElement<int32_t>(), 1);
}

TEST(LiteralTest, SetAndGetInTuples) {
  Literal tuple(
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {2}), ShapeUtil::MakeShape(PRED, {})}));
  tuple.Set<float>({1}, {0}, 2.5f);
  tuple.Set<bool>({}, {1}, true);
  EXPECT_EQ(tuple.Get<float>({1}, {0}), 2.5f);
  EXPECT_EQ(tuple.ToStringOneline(), "( f32[2] {0, 2.5}, pred[] true )");
  EXPECT_EQ(tuple.total_size_bytes(), 9);
}

TEST(LiteralTest, MovesLeaveTheEmptyTupleAndKeepScalars) {
  Literal a = LiteralUtil::CreateR0<float>(7);
  const LiteralSlice slice(a);
  Literal b = std::move(a);
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(a.shape()));
  EXPECT_EQ(b.Get<float>({}), 7);
  EXPECT_EQ(slice.Get<float>({}), 7);
  a = std::move(b);
  EXPECT_EQ(a.Get<float>({}), 7);
}

TEST(LiteralTest, TuplesAreMadeAndTakenApartWithoutCopies) {
  std::vector<Literal> elements;
  elements.push_back(LiteralUtil::CreateR1<float>({1, 2, 3, 4, 5, 6}));
  elements.push_back(
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<int32_t>(5), LiteralUtil::CreateToken()));
  elements.emplace_back();
  const void* data = elements[0].untyped_data();
  Literal tuple = Literal::MoveIntoTuple(absl::MakeSpan(elements));
  EXPECT_EQ(tuple.shape().ToString(), "(f32[6], (s32[], token[]), ())");
  EXPECT_EQ(tuple.untyped_data({0}), data);
  EXPECT_EQ(tuple.Get<int32_t>({}, {1, 0}), 5);
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(elements[0].shape()));

  std::vector<Literal> parts = tuple.DecomposeTuple();
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(tuple.shape()));
  ASSERT_EQ(parts.size(), 3);
  EXPECT_EQ(parts[0].untyped_data(), data);
  EXPECT_EQ(parts[1].Get<int32_t>({}, {0}), 5);
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(parts[2].shape()));
}

TEST(LiteralTest, MoveFrom) {
  Literal tuple(
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {2}), ShapeUtil::MakeShape(S32, {})}));
  EXPECT_TRUE(tuple.MoveFrom(LiteralUtil::CreateR1<float>({1, 2}), {0}).ok());
  EXPECT_TRUE(tuple.MoveFrom(LiteralUtil::CreateR0<int32_t>(3), {1}).ok());
  EXPECT_EQ(tuple.ToStringOneline(), "( f32[2] {1, 2}, s32[] 3 )");
  EXPECT_FALSE(tuple.MoveFrom(LiteralUtil::CreateR1<float>({1, 2, 3}), {0}).ok());
  EXPECT_FALSE(tuple.MoveFrom(LiteralUtil::CreateR0<float>(1), {5}).ok());
}

TEST(LiteralTest, SubLiteral) {
  Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<int32_t>(5),
                                              LiteralUtil::CreateR1<float>({1}));
  EXPECT_EQ(tuple.SubLiteral({1}), LiteralUtil::CreateR1<float>({1}));
}

TEST(LiteralDeathTest, WrongTypesAndIndices) {
  Literal literal = LiteralUtil::CreateR1<float>({1, 2});
  EXPECT_DEATH(literal.data<int32_t>(), "Wrong C\\+\\+ type");
  EXPECT_DEATH(literal.Get<float>({2}), "Index 2 in dimension 0");
  EXPECT_DEATH(literal.Get<float>({0, 0}), "An index into f32");
  EXPECT_DEATH(literal.data<float>({1}), "No subshape");
}

TEST(LiteralTest, ViewsSeeTheSameMemory) {
  Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({1, 2, 3, 4, 5}));
  const LiteralSlice slice(tuple, {0});
  MutableBorrowingLiteral view(MutableBorrowingLiteral(&tuple), {0});
  view.Set<int32_t>({1}, 20);
  EXPECT_EQ(slice.ToStringOneline(), "s32[5] {1, 20, 3, 4, 5}");
  EXPECT_EQ(slice.untyped_data(), tuple.untyped_data({0}));
}

TEST(LiteralTest, BorrowedMemory) {
  float values[] = {1, 2, 3, 4};
  const int32_t scalar = 7;
  const char* first = reinterpret_cast<const char*>(values);
  const char* second = reinterpret_cast<const char*>(&scalar);
  const Shape array = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  const Shape tuple = ShapeUtil::MakeTupleShape({array, ShapeUtil::MakeShape(S32, {})});
  EXPECT_EQ(BorrowingLiteral(first, array).ToStringOneline(), "f32[2,2] { { 1, 3 }, { 2, 4 } }");
  EXPECT_EQ(BorrowingLiteral({first, second}, tuple).Get<int32_t>({}, {1}), 7);
  ShapeTree<const char*> tree(tuple);
  *tree.mutable_element({0}) = first;
  *tree.mutable_element({1}) = second;
  EXPECT_EQ(BorrowingLiteral(tree).Get<float>({0, 1}, {0}), 3);
  MutableBorrowingLiteral writable(first, array);
  MutableBorrowingLiteral same = writable;
  same.Set<float>({0, 1}, 30);
  EXPECT_EQ(values[2], 30);
  EXPECT_EQ(writable.Clone().Get<float>({0, 1}), 30);
}

// ---- Equality.

TEST(LiteralTest, EqualityIsBitwiseAndIgnoresLayout) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(LiteralUtil::CreateR0(nan), LiteralUtil::CreateR0(nan));
  EXPECT_NE(LiteralUtil::CreateR0(nan), LiteralUtil::CreateR0(-nan));
  EXPECT_NE(LiteralUtil::CreateR0(0.0f), LiteralUtil::CreateR0(-0.0f));
  EXPECT_NE(LiteralUtil::CreateR1<float>({1}), LiteralUtil::CreateR0<float>(1));
  EXPECT_NE(LiteralUtil::CreateR0<int32_t>(0), LiteralUtil::CreateR0<uint32_t>(0));
  const Literal row_major = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  const Literal column_major = row_major.Relayout(ColumnMajor());
  EXPECT_EQ(row_major, column_major);
  EXPECT_FALSE(row_major.Equal(column_major, /*layout_sensitive=*/true));
  EXPECT_EQ(absl::HashOf(row_major), absl::HashOf(column_major));
  EXPECT_NE(absl::HashOf(row_major), absl::HashOf(LiteralUtil::CreateR2<float>({{1, 2}, {3, 5}})));
  EXPECT_EQ(LiteralUtil::MakeTuple({&row_major}), LiteralUtil::MakeTuple({&column_major}));
}

// ---- Dynamic sizes.

TEST(LiteralTest, DynamicSizes) {
  Literal literal = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  literal.SetDynamicSize(1, 2);
  EXPECT_EQ(literal.shape().ToString(), "f32[2,<=3]");
  EXPECT_EQ(literal.GetDynamicSize(0), 2);
  EXPECT_EQ(literal.GetDynamicSize(1), 2);
  EXPECT_EQ(literal.element_count(), 6);
  EXPECT_EQ(literal.ToStringOneline(), "f32[2,<=3](2,2) { { 1, 2 }, { 4, 5 } }");
  EXPECT_EQ(literal, LiteralUtil::CreateR2<float>({{1, 2}, {4, 5}}));
  EXPECT_EQ(absl::HashOf(literal), absl::HashOf(LiteralUtil::CreateR2<float>({{1, 2}, {4, 5}})));

  const Literal fixed = literal.ToStatic();
  EXPECT_EQ(fixed.shape(), ShapeUtil::MakeShape(F32, {2, 2}));
  const Literal again = fixed.ToBoundedDynamic(ShapeUtil::MakeShape(F32, {2, 5}, {false, true}));
  EXPECT_EQ(again.shape().ToString(), "f32[2,<=5]");
  EXPECT_EQ(again, literal);
  EXPECT_EQ(literal.Clone().GetDynamicSize(1), 2);
  EXPECT_EQ(literal.Transpose({1, 0}).ToStringOneline(), "f32[<=3,2](2,2) { { 1, 4 }, { 2, 5 } }");
  EXPECT_EQ(literal.Slice({0, 1}, {2, 3}).GetDynamicSize(1), 1);
  std::vector<float> seen;
  literal.EachCell<float>([&](absl::Span<const int64_t>, float value) { seen.push_back(value); });
  EXPECT_THAT(seen, ElementsAre(1, 2, 4, 5));
}

TEST(LiteralDeathTest, DynamicSizeBeyondTheBound) {
  Literal literal(ShapeUtil::MakeShape(F32, {3}));
  EXPECT_DEATH(literal.SetDynamicSize(0, 4), "Dynamic size 4");
}

// ---- Copies.

TEST(LiteralTest, CopyFrom) {
  Literal tuple = LiteralUtil::MakeTupleOwned(
      LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}).Relayout(ColumnMajor()),
      LiteralUtil::CreateR0<float>(1));
  Literal matrix(ShapeUtil::MakeShape(S32, {2, 2}));
  ASSERT_TRUE(matrix.CopyFrom(tuple, {}, {0}).ok());
  EXPECT_THAT(matrix.data<int32_t>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(matrix.CopyFrom(tuple, {}, {1}).message(), HasSubstr("cannot be copied"));
  EXPECT_FALSE(matrix.CopyFrom(tuple).ok());
  EXPECT_FALSE(matrix.CopyFrom(tuple, {}, {7}).ok());
}

TEST(LiteralTest, CopySliceFrom) {
  const Literal source = LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  Literal destination(ShapeUtil::MakeShapeWithDenseLayout(S32, {3, 3}, {0, 1}));
  ASSERT_TRUE(destination.CopySliceFrom(source, {1, 0}, {0, 1}, {2, 2}).ok());
  EXPECT_EQ(destination, LiteralUtil::CreateR2<int32_t>({{0, 4, 5}, {0, 7, 8}, {0, 0, 0}}));
  EXPECT_THAT(destination.CopySliceFrom(source, {2, 0}, {0, 0}, {2, 2}).message(),
              HasSubstr("does not fit"));
  EXPECT_FALSE(destination.CopySliceFrom(source, {-1, 0}, {0, 0}, {1, 1}).ok());
  EXPECT_FALSE(destination.CopySliceFrom(source, {0}, {0, 0}, {1, 1}).ok());
  EXPECT_FALSE(
      destination.CopySliceFrom(source, {std::numeric_limits<int64_t>::max(), 0}, {0, 0}, {1, 1})
          .ok());
  EXPECT_TRUE(destination.CopySliceFrom(source, {3, 3}, {0, 0}, {0, 0}).ok());
}

TEST(LiteralTest, CopySliceFromMovesOneElementBetweenScalarsAndArrays) {
  Literal scalar = LiteralUtil::CreateR0<int32_t>(0);
  Literal vector = LiteralUtil::CreateR1<int32_t>({4, 5, 6});
  ASSERT_TRUE(scalar.CopySliceFrom(vector, {2}, {}, {}).ok());
  EXPECT_EQ(scalar, LiteralUtil::CreateR0<int32_t>(6));
  ASSERT_TRUE(vector.CopySliceFrom(scalar, {}, {0}, {}).ok());
  EXPECT_EQ(vector, LiteralUtil::CreateR1<int32_t>({6, 5, 6}));
  ASSERT_TRUE(scalar.CopySliceFrom(LiteralUtil::CreateR0<int32_t>(9), {}, {}, {}).ok());
  EXPECT_EQ(scalar, LiteralUtil::CreateR0<int32_t>(9));
  EXPECT_FALSE(scalar.CopySliceFrom(vector, {3}, {}, {}).ok());
  EXPECT_FALSE(scalar.CopySliceFrom(vector, {0}, {}, {1}).ok());
  EXPECT_FALSE(vector.CopySliceFrom(vector, {0}, {0}, {}).ok());
}

TEST(LiteralTest, BroadcastKeepsDynamicSizes) {
  Literal vector = LiteralUtil::CreateR1<int32_t>({1, 2, 3});
  vector.SetDynamicSize(0, 2);
  const Literal matrix = *vector.Broadcast(ShapeUtil::MakeShape(S32, {2, 3}), {1});
  EXPECT_EQ(matrix.shape().ToString(), "s32[2,<=3]");
  EXPECT_EQ(matrix.ToStatic(), LiteralUtil::CreateR2<int32_t>({{1, 2}, {1, 2}}));
}

// Every element of a relaid-out array, for all layouts of rank 4.
TEST(LiteralTest, RelayoutKeepsTheValues) {
  Literal literal(ShapeUtil::MakeShape(S32, {3, 1, 40, 37}));
  ASSERT_TRUE(literal.PopulateLinear([](int64_t i) { return static_cast<int32_t>(i); }).ok());
  std::vector<int64_t> minor_to_major = {0, 1, 2, 3};
  do {
    const Literal other = literal.Relayout(LayoutUtil::MakeLayout(minor_to_major));
    EXPECT_EQ(other, literal);
    EXPECT_EQ(other.Get<int32_t>({2, 0, 39, 1}), literal.Get<int32_t>({2, 0, 39, 1}));
    EXPECT_EQ(other.Relayout(literal.shape()).data<int32_t>(), literal.data<int32_t>());
  } while (std::next_permutation(minor_to_major.begin(), minor_to_major.end()));
}

TEST(LiteralTest, ReshapeTransposeSliceBroadcast) {
  const Literal literal = LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  const Literal column_major = literal.Relayout(ColumnMajor());
  for (const Literal* operand : {&literal, &column_major}) {
    EXPECT_EQ(*operand->Reshape({3, 2}), LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(operand->Transpose({1, 0}), LiteralUtil::CreateR2<int32_t>({{1, 4}, {2, 5}, {3, 6}}));
    EXPECT_EQ(operand->Slice({0, 1}, {2, 3}), LiteralUtil::CreateR2<int32_t>({{2, 3}, {5, 6}}));
    EXPECT_EQ(
        *operand->Broadcast(ShapeUtil::MakeShape(S32, {3, 2, 2}), {2, 0}),
        LiteralUtil::CreateR3<int32_t>({{{1, 4}, {1, 4}}, {{2, 5}, {2, 5}}, {{3, 6}, {3, 6}}}));
  }
  EXPECT_THAT(literal.Reshape({4, 2}).status().message(), HasSubstr("it has 6 elements and not 8"));
  EXPECT_FALSE(literal.Reshape({-1}).ok());
  EXPECT_FALSE(literal.Broadcast(ShapeUtil::MakeShape(S32, {3, 3}), {0, 1}).ok());
  EXPECT_FALSE(literal.Broadcast(ShapeUtil::MakeShape(S32, {2, 3}), {0, 0}).ok());
  EXPECT_FALSE(literal.Broadcast(ShapeUtil::MakeShape(S32, {2, 3}), {0, 5}).ok());
  EXPECT_EQ(LiteralUtil::CreateR0<float>(3).Replicate<float>(2),
            LiteralUtil::CreateR1<float>({3, 3}));
}

// ---- Conversions.

template <typename From, typename To>
std::vector<To> Converted(std::vector<From> values) {
  const Literal literal = LiteralUtil::CreateR1<From>(values)
                              .Convert(primitive_util::NativeToPrimitiveType<To>())
                              .value();
  return std::vector<To>(literal.data<To>().begin(), literal.data<To>().end());
}

TEST(LiteralTest, ConvertFloatToIntegerSaturates) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT((Converted<float, int8_t>({1.9f, -1.9f, 300, -300, nan, INFINITY})),
              ElementsAre(1, -1, 127, -128, 0, 127));
  EXPECT_THAT((Converted<float, uint8_t>({-5, 255.5f, 1e10f})), ElementsAre(0, 255, 255));
  EXPECT_THAT((Converted<double, int64_t>({9.3e18, -9.3e18, 1e15})),
              ElementsAre(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
                          1000000000000000));
  EXPECT_THAT((Converted<double, uint64_t>({1e20, 1.8e19, -1})),
              ElementsAre(std::numeric_limits<uint64_t>::max(), 18000000000000000000u, 0));
  EXPECT_THAT((Converted<float, s4>({100, -100, 3.5f})), ElementsAre(s4(7), s4(-8), s4(3)));
}

TEST(LiteralTest, ConvertIntegers) {
  EXPECT_THAT((Converted<int32_t, int8_t>({300, -129})), ElementsAre(44, 127));
  EXPECT_THAT((Converted<int32_t, uint64_t>({-1})),
              ElementsAre(std::numeric_limits<uint64_t>::max()));
  EXPECT_THAT((Converted<int32_t, bool>({0, 1, 256})), ElementsAre(false, true, true));
  EXPECT_THAT((Converted<uint64_t, float>({std::numeric_limits<uint64_t>::max()})),
              ElementsAre(0x1p64f));
  // 2^60 + 2^52 is in the middle of two bfloat16; one more decides.
  EXPECT_THAT((Converted<int64_t, bfloat16>({(int64_t{1} << 60) + (int64_t{1} << 52) + 1})),
              ElementsAre(bfloat16(0x1.02p60f)));
}

TEST(LiteralTest, ConvertFloats) {
  EXPECT_THAT((Converted<double, half>({1 + 0x1p-11 + 0x1p-40, 1e10})),
              ElementsAre(half(1 + 0x1p-10f), std::numeric_limits<half>::infinity()));
  EXPECT_THAT((Converted<float, complex128>({2})), ElementsAre(complex128(2)));
  EXPECT_THAT((Converted<float, bool>({0, -0.0f, 0.5f})), ElementsAre(false, false, true));
  EXPECT_THAT((Converted<complex128, complex64>({complex128(1, 2)})), ElementsAre(complex64(1, 2)));
  EXPECT_THAT(LiteralUtil::CreateR0<complex64>(1).Convert(F32).status().message(),
              HasSubstr("cannot be converted"));
  EXPECT_FALSE(Literal().Convert(F32).ok());
  EXPECT_FALSE(LiteralUtil::CreateR0<float>(1).Convert(TUPLE).ok());
}

TEST(LiteralTest, ConvertEveryPairOfTypes) {
  primitive_util::ArrayTypeSwitch([](auto) {}, F32);
  for (int from = PrimitiveType_MIN; from <= PrimitiveType_MAX; ++from) {
    for (int to = PrimitiveType_MIN; to <= PrimitiveType_MAX; ++to) {
      const auto from_type = static_cast<PrimitiveType>(from),
                 to_type = static_cast<PrimitiveType>(to);
      if (!primitive_util::IsArrayType(from_type) || !primitive_util::IsArrayType(to_type))
        continue;
      const auto converted = LiteralUtil::One(from_type).Convert(to_type);
      const bool to_real =
          primitive_util::IsComplexType(from_type) && !primitive_util::IsComplexType(to_type);
      ASSERT_EQ(converted.ok(), !to_real);
      // One of S1 is -1, which PRED and all wider types have.
      if (converted.ok() && from_type != S1 && to_type != S1)
        EXPECT_EQ(*converted, LiteralUtil::One(to_type));
    }
  }
}

TEST(LiteralTest, ConvertToShape) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1.5f),
                                                    LiteralUtil::CreateR2<int32_t>({{1, 2}}));
  const Shape shape = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeShape(F64, {}), ShapeUtil::MakeShapeWithDenseLayout(F32, {1, 2}, {0, 1})});
  const Literal converted = tuple.ConvertToShape(shape).value();
  EXPECT_EQ(converted.shape(), shape);
  EXPECT_EQ(converted.ToStringOneline(), "( f64[] 1.5, f32[1,2] { { 1, 2 } } )");
  EXPECT_FALSE(tuple.ConvertToShape(ShapeUtil::MakeShape(F32, {})).ok());
}

TEST(LiteralTest, BitcastConvert) {
  const Literal floats = LiteralUtil::CreateR1<float>({1.0f, -2.0f});
  EXPECT_EQ(*floats.BitcastConvert(ShapeUtil::MakeShape(U32, {2})),
            LiteralUtil::CreateR1<uint32_t>({0x3f800000, 0xc0000000}));
  EXPECT_EQ(*floats.BitcastConvert(ShapeUtil::MakeShape(U16, {2, 2})),
            LiteralUtil::CreateR2<uint16_t>({{0, 0x3f80}, {0, 0xc000}}));
  EXPECT_EQ(*floats.BitcastConvert(ShapeUtil::MakeShape(F64, {})),
            LiteralUtil::CreateR0<double>(absl::bit_cast<double>(uint64_t{0xc00000003f800000})));
  const Literal nibbles = LiteralUtil::CreateR1<s4>({s4(1), s4(-1), s4(2), s4(3)});
  const Literal bytes = LiteralUtil::CreateR1<uint8_t>({0xf1, 0x32});
  EXPECT_EQ(*nibbles.BitcastConvert(ShapeUtil::MakeShape(U8, {2})), bytes);
  EXPECT_EQ(*bytes.BitcastConvert(ShapeUtil::MakeShape(S4, {2, 2})).value().Reshape({4}), nibbles);
  EXPECT_EQ(*nibbles.BitcastConvert(ShapeUtil::MakeShape(U4, {4})),
            LiteralUtil::CreateR1<u4>({u4(1), u4(15), u4(2), u4(3)}));
  EXPECT_THAT(floats.BitcastConvert(ShapeUtil::MakeShape(U8, {7})).status().message(),
              HasSubstr("numbers of bits"));
}

// ---- Questions.

TEST(LiteralTest, ElementsAsOtherTypes) {
  const Literal integers =
      LiteralUtil::CreateR1<uint64_t>({7, std::numeric_limits<uint64_t>::max()});
  EXPECT_EQ(integers.GetIntegralAsS64({0}), 7);
  EXPECT_EQ(integers.GetIntegralAsS64({1}), std::nullopt);
  EXPECT_EQ(integers.GetAsDouble({0}), 7.0);
  EXPECT_EQ(integers.GetFirstInteger(), 7);
  EXPECT_TRUE(integers.IsEqualAt({1}, std::numeric_limits<uint64_t>::max()));
  EXPECT_FALSE(integers.IsEqualAt({1}, -1));
  EXPECT_FALSE(integers.IsEqualAt({1}, 0x1p64));
  EXPECT_TRUE(integers.IsEqualAt({0}, 7.0f));
  const Literal floats = LiteralUtil::CreateR1<float>({0.5f, 3});
  EXPECT_EQ(floats.GetIntegralAsS64({1}), std::nullopt);
  EXPECT_EQ(floats.GetAsComplex128({1}), complex128(3));
  EXPECT_TRUE(floats.IsEqualAt({1}, 3));
  EXPECT_TRUE(floats.IsEqualAt({0}, half(0.5f)));
  EXPECT_FALSE(floats.IsEqualAt({0}, 0));
  EXPECT_EQ(floats.GetSumAsDouble({0, 1, 1}), 6.5);
  EXPECT_EQ(floats.GetFirstInteger(), std::nullopt);
  EXPECT_EQ(LiteralUtil::CreateR0<bool>(true).GetAsString({}), "true");
  EXPECT_EQ(LiteralUtil::CreateR1U8("hi").GetR1U8AsString(), "hi");
}

TEST(LiteralTest, SetFromOtherTypes) {
  Literal literal(ShapeUtil::MakeShape(S8, {3}));
  EXPECT_TRUE(literal.SetIntegralAsS64({0}, 5).ok());
  EXPECT_TRUE(literal.SetFromDouble({1}, -3.7).ok());
  EXPECT_EQ(literal, LiteralUtil::CreateR1<int8_t>({5, -3, 0}));
  Literal floats(ShapeUtil::MakeShape(BF16, {}));
  EXPECT_TRUE(floats.SetFromDouble({}, 2.5).ok());
  EXPECT_EQ(floats.Get<bfloat16>({}), bfloat16(2.5f));
  EXPECT_FALSE(floats.SetIntegralAsS64({}, 1).ok());
  Literal complex(ShapeUtil::MakeShape(C64, {}));
  EXPECT_FALSE(complex.SetFromDouble({}, 1).ok());
}

TEST(LiteralTest, AllElements) {
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({1, 1}).IsAll(1));
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({1, 2}).IsAll(1));
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({0, -0.0f}).IsAll(0));
  EXPECT_FALSE(LiteralUtil::CreateR1<uint8_t>({255}).IsAll(-1));
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({1, 1}).IsAll(LiteralUtil::CreateR0<float>(1)));
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({1, 1}).IsAll(LiteralUtil::CreateR0<int32_t>(1)));
  EXPECT_TRUE(LiteralUtil::CreateR1<bfloat16>({bfloat16(0.5f)}).IsAllFloat(0.5f));
  EXPECT_FALSE(LiteralUtil::CreateR1<int32_t>({1}).IsAllFloat(1));
  EXPECT_TRUE(LiteralUtil::CreateR1<complex64>({complex64(1, 2)}).IsAllComplex(complex64(1, 2)));
  EXPECT_TRUE(LiteralUtil::CreateR1<int32_t>({4, 4, 4}).IsAllFirst());
  EXPECT_FALSE(LiteralUtil::CreateR1<int32_t>({4, 4, 5}).IsAllFirst());
  EXPECT_FALSE(Literal(ShapeUtil::MakeShape(S32, {0})).IsAllFirst());
  EXPECT_TRUE(LiteralUtil::CreateR1<half>({half(0.f), half(1.f), half(2.f)}).IsR1Iota());
  EXPECT_FALSE(LiteralUtil::CreateR1<int32_t>({1, 2}).IsR1Iota());
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({0, -3, -6}).IsR1StridedIota(), -3);
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({1, 4}).IsR1StridedIota(), std::nullopt);
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({1, 0}).IsZero({1}));
  EXPECT_EQ(LiteralUtil::CreateR1<float>({1, 2, 1}).CountEqual(1), 2);
  EXPECT_EQ(LiteralUtil::CreateR1<bool>({true, false, true}).CountEqual<bool>(true), 2);
  EXPECT_EQ(LiteralUtil::CreateR1<complex64>({complex64(1, 2)}).CountEqual(complex64(1, 2)), 1);
  EXPECT_FALSE(Literal().IsAll(0));
}

TEST(LiteralTest, NansAreTheSameNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Literal nans = LiteralUtil::CreateR1<float>({nan, -nan, nan});
  EXPECT_TRUE(nans.IsAll(LiteralUtil::CreateR0<float>(nan)));
  EXPECT_TRUE(nans.IsAllFloat(nan));
  EXPECT_FALSE(nans.IsAll(LiteralUtil::CreateR0<float>(0)));
  EXPECT_EQ(LiteralUtil::CreateR1<float>({nan, 1, -nan}).CountEqual(nan), 2);
  EXPECT_EQ(LiteralUtil::CreateR1<complex64>({{nan, 1}, {1, nan}}).CountEqual(complex64(nan, 1)),
            1);
}

TEST(LiteralTest, QuestionsRoundTheirValue) {
  const Literal halves = LiteralUtil::CreateR1<bfloat16>({bfloat16(128.0f), bfloat16(128.0f)});
  EXPECT_TRUE(halves.IsAllFloat(128.5f));
  EXPECT_FALSE(halves.IsAllFloat(129.0f));
  EXPECT_EQ(halves.CountEqual(128.5f), 2);
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({1, 2}).CountEqual(1.5f), 0);
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({1}).IsAllComplex(complex64(1, 0)));
}

TEST(LiteralTest, UnusedBitsOfNarrowElementsDoNotCount) {
  Literal a = LiteralUtil::CreateR1<s4>({s4(1), s4(-2), s4(3)});
  Literal b = a.Clone();
  static_cast<uint8_t*>(b.untyped_data())[1] ^= 0xf0;
  EXPECT_EQ(a, b);
  EXPECT_TRUE(a.Equal(b, /*layout_sensitive=*/true));
  EXPECT_EQ(absl::HashOf(a), absl::HashOf(b));
  static_cast<uint8_t*>(b.untyped_data())[1] ^= 0x01;
  EXPECT_NE(a, b);
}

TEST(LiteralTest, PopulateUpToDynamicSizes) {
  Literal vector(ShapeUtil::MakeShape(U32, {5}));
  vector.SetDynamicSize(0, 3);
  vector.PopulateR1<uint32_t>({7, 8, 9});
  EXPECT_EQ(vector.ToStatic(), LiteralUtil::CreateR1<uint32_t>({7, 8, 9}));
  EXPECT_DEATH(vector.PopulateR1<uint32_t>({1, 2, 3, 4, 5}), "sizes");

  const Literal expected = LiteralUtil::CreateR2<uint32_t>({{1, 2}, {3, 4}, {5, 6}});
  for (const std::vector<int64_t>& bounds : {std::vector<int64_t>{4, 2}, {3, 7}, {5, 4}}) {
    Literal matrix(ShapeUtil::MakeShapeWithDenseLayout(U32, bounds, {0, 1}));
    matrix.SetDynamicSize(0, 3);
    matrix.SetDynamicSize(1, 2);
    matrix.PopulateR2<uint32_t>({{1, 2}, {3, 4}, {5, 6}});
    EXPECT_EQ(matrix.ToStatic(), expected);
    matrix.PopulateWithValue<uint32_t>(0);
    matrix.PopulateFromArray<uint32_t>(Array2D<uint32_t>({{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(matrix.ToStatic(), expected);
  }
}

TEST(LiteralTest, PopulateWithTheElementTypeGiven) {
  Literal literal(ShapeUtil::MakeShape(F32, {2, 2}));
  ASSERT_TRUE(literal.Populate<float>([](absl::Span<const int64_t> i) { return i[0] + 2; }).ok());
  EXPECT_EQ(literal, LiteralUtil::CreateR2<float>({{2, 2}, {3, 3}}));
  ASSERT_TRUE(literal.PopulateLinear<float>([](int64_t i) { return i; }).ok());
  EXPECT_EQ(literal, LiteralUtil::CreateR2<float>({{0, 1}, {2, 3}}));
  ASSERT_TRUE(
      literal.PopulateParallel<float>([](absl::Span<const int64_t> i, int) { return i[1]; }).ok());
  EXPECT_EQ(literal, LiteralUtil::CreateR2<float>({{0, 1}, {0, 1}}));
  ASSERT_TRUE(literal.PopulateLinearParallel<float>([](int64_t i, int) { return 2 * i; }).ok());
  EXPECT_EQ(literal, LiteralUtil::CreateR2<float>({{0, 2}, {4, 6}}));
  EXPECT_FALSE(literal.Populate<double>([](absl::Span<const int64_t>) { return 0.0; }).ok());
}

TEST(LiteralTest, Populate) {
  Literal literal(ShapeUtil::MakeShapeWithDenseLayout(S32, {2, 3}, {0, 1}));
  const auto ten_times = [](absl::Span<const int64_t> index) {
    return static_cast<int32_t>(10 * index[0] + index[1]);
  };
  ASSERT_TRUE(literal.Populate(ten_times).ok());
  const Literal expected = LiteralUtil::CreateR2<int32_t>({{0, 1, 2}, {10, 11, 12}});
  EXPECT_EQ(literal, expected);
  literal.PopulateWithValue<int32_t>(1);
  EXPECT_TRUE(literal.IsAll(1));
  ASSERT_TRUE(
      literal
          .PopulateParallel([&](absl::Span<const int64_t> index, int) { return ten_times(index); })
          .ok());
  EXPECT_EQ(literal, expected);
  literal.PopulateWithValue<int32_t>(1);
  const auto in_place = [&](void* element, absl::Span<const int64_t> index) {
    *static_cast<int32_t*>(element) = ten_times(index);
  };
  ASSERT_TRUE(literal.PopulateInplace(in_place).ok());
  EXPECT_EQ(literal, expected);
  ASSERT_TRUE(literal.PopulateLinear([](int64_t i) { return static_cast<int32_t>(i); }).ok());
  EXPECT_EQ(literal, LiteralUtil::CreateR2<int32_t>({{0, 2, 4}, {1, 3, 5}}));
  EXPECT_THAT(literal.Populate([](absl::Span<const int64_t>) { return 1.0f; }).message(),
              HasSubstr("cannot populate"));
  literal.PopulateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(literal, LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}}));
  literal.MutableEachCell<int32_t>([](absl::Span<const int64_t>, int32_t value) { return -value; });
  EXPECT_EQ(literal, LiteralUtil::CreateR2<int32_t>({{-1, -2, -3}, {-4, -5, -6}}));
  Literal scalar(ShapeUtil::MakeShape(F32, {}));
  ASSERT_TRUE(scalar.Populate([](absl::Span<const int64_t>) { return 3.0f; }).ok());
  EXPECT_EQ(scalar.Get<float>({}), 3);
}

TEST(LiteralTest, UnknownArrays) {
  const Literal unknown =
      Literal::CreateFromShapeWithUnknownLeafArrays(ShapeUtil::MakeShape(F32, {2}));
  EXPECT_FALSE(unknown.IsKnown());
  EXPECT_TRUE(unknown.IsDetermined());
  EXPECT_EQ(unknown.ToString(), "f32[2] unknown");
  EXPECT_FALSE(unknown.IsAll(0));
  EXPECT_EQ(unknown, unknown.Clone());
  EXPECT_NE(unknown, Literal(ShapeUtil::MakeShape(F32, {2})));
  const Literal undetermined =
      Literal::CreateFromShapeWithUndeterminedLeafArrays(ShapeUtil::MakeShape(F32, {2}));
  EXPECT_FALSE(undetermined.IsDetermined());
  EXPECT_EQ(undetermined.ToString(), "f32[2] undetermined");
}

// ---- Text.

TEST(LiteralTest, TextOfScalarsAndVectors) {
  EXPECT_EQ(LiteralUtil::CreateR0<bool>(true).ToString(), "pred[] true");
  EXPECT_EQ(LiteralUtil::CreateR1<bool>({true, false}).ToString(), "pred[2] {1, 0}");
  EXPECT_EQ(LiteralUtil::CreateR1<float>({1, -0.0f, NAN}).ToStringWithoutShape(), "{1, -0.0, nan}");
  EXPECT_EQ(LiteralUtil::CreateR1<float>({}).ToString(), "f32[0] {}");
  EXPECT_EQ(LiteralUtil::CreateR1<complex64>({complex64(1, -2)}).ToStringWithLayout(),
            "c64[1]{0} {(1, -2)}");
  EXPECT_EQ(LiteralUtil::CreateToken().ToString(), "token[]");
}

TEST(LiteralTest, TextOfMatrices) {
  const Literal literal = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  EXPECT_EQ(literal.ToString(), "f32[2,2] {\n  { 1, 2 },\n  { 3, 4 }\n}");
  EXPECT_EQ(literal.ToStringOneline(), "f32[2,2] { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(literal.ToStringWithLayoutOneline(), "f32[2,2]{1,0} { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(LiteralUtil::CreateR2<float>({{1}, {2}}).ToStringOneline(), "f32[2,1] { {1}, {2} }");
  EXPECT_EQ(LiteralUtil::CreateR2<float>({{}, {}}).ToStringOneline(), "f32[2,0] { {}, {} }");
}

TEST(LiteralTest, TextOfHigherRanks) {
  const Literal cube = LiteralUtil::CreateR3<int32_t>({{{1}, {2}}, {{3}, {4}}});
  EXPECT_EQ(cube.ToString(), "s32[2,2,1] {\n{\n  {1},\n  {2}\n},\n{\n  {3},\n  {4}\n}\n}");
  const Literal four = LiteralUtil::CreateR4<int32_t>({{{{1, 2}}}, {{{3, 4}}}});
  EXPECT_EQ(
      four.ToStringOneline(),
      "s32[2,1,1,2] { { /*i0=0*/ { /*i1=0*/ { 1, 2 } } }, { /*i0=1*/ { /*i1=0*/ { 3, 4 } } } }");
  EXPECT_EQ(four.ToString(),
            "s32[2,1,1,2] {\n{ /*i0=0*/\n{ /*i1=0*/\n  { 1, 2 }\n}\n},\n{ /*i0=1*/\n{ /*i1=0*/\n  "
            "{ 3, 4 }\n}\n}\n}");
}

TEST(LiteralTest, TextOfArraysWithoutElements) {
  const auto text = [](absl::Span<const int64_t> dimensions) {
    return Literal(ShapeUtil::MakeShape(F32, dimensions)).ToStringWithoutShapeOneline();
  };
  EXPECT_EQ(text({0}), "{}");
  EXPECT_EQ(text({0, 3}), "{  }");
  EXPECT_EQ(text({2, 0, 3}), "{ {  }, {  } }");
  EXPECT_EQ(text({2, 0, 4, 3}), "{ { /*i0=0*/ }, { /*i0=1*/ } }");
  EXPECT_EQ(text({1, 1, 2, 0}), "{ { /*i0=0*/ { /*i1=0*/ {}, {} } } }");
}

TEST(LiteralTest, TextOfTuples) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1),
                                                    LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  EXPECT_EQ(tuple.ToString(), "(\nf32[] 1,\nf32[2,2] {\n  { 1, 2 },\n  { 3, 4 }\n}\n)");
  EXPECT_EQ(tuple.ToStringWithoutShapeOneline(), "( 1, { { 1, 2 }, { 3, 4 } } )");
}

TEST(LiteralTest, ValuesReadBack) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2, 1, 3}, {0, 2, 1, 3});
  Literal literal(shape);
  ASSERT_TRUE(literal.PopulateLinear([](int64_t i) { return static_cast<float>(i) / 7; }).ok());
  EXPECT_TRUE(
      Parse(shape, literal.ToStringWithoutShape()).Equal(literal, /*layout_sensitive=*/true));
  EXPECT_EQ(Parse(shape, literal.ToStringWithoutShapeOneline()), literal);
  const Literal tuple =
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<complex64>({complex64(NAN, -0.0f)}),
                                  LiteralUtil::CreateR0<bool>(true), LiteralUtil::MakeTuple({}));
  EXPECT_EQ(Parse(tuple.shape(), tuple.ToStringWithoutShape()), tuple);
  EXPECT_EQ(Parse(ShapeUtil::MakeShape(S32, {2}), " { /* one */ 1, // two\n 2 }"),
            LiteralUtil::CreateR1<int32_t>({1, 2}));
}

TEST(LiteralTest, WrongTextIsRefused) {
  const auto error = [](const Shape& shape, absl::string_view text) {
    return std::string(ParseLiteralValues(&text, shape).status().message());
  };
  const Shape matrix = ShapeUtil::MakeShape(S32, {2, 2});
  EXPECT_THAT(error(matrix, "{{1,2},{3}}"), HasSubstr("A dimension of 2 elements has only 1"));
  EXPECT_THAT(error(matrix, "{{1,2}}"), HasSubstr("has only 1"));
  EXPECT_THAT(error(matrix, "{{1,2},{3,4,5}}"), HasSubstr("More than 2 elements"));
  EXPECT_THAT(error(matrix, "{{1,2},{3,x}}"), HasSubstr("'x' is not a value of type s32"));
  EXPECT_THAT(error(matrix, "{1,2}"), HasSubstr("'{' expected"));
  EXPECT_THAT(error(matrix, "{{1,2},{3,4}"), HasSubstr("'}' expected"));
  EXPECT_THAT(error(matrix, ""), HasSubstr("'{' expected"));
  EXPECT_THAT(error(ShapeUtil::MakeShape(F32, {}), ""), HasSubstr("is not a value"));
  EXPECT_THAT(error(ShapeUtil::MakeTokenShape(), ""), HasSubstr("no values"));
}

// ---- Messages and bytes.

// One literal of each element type, with a dynamic one and tuples.
std::vector<Literal> ManyLiterals() {
  std::vector<Literal> literals;
  for (int i = PrimitiveType_MIN; i <= PrimitiveType_MAX; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (primitive_util::IsArrayType(type)) {
      literals.push_back(
          MakeFakeLiteral(ShapeUtil::MakeShapeWithDenseLayout(type, {3, 5}, {0, 1}), true, true)
              .value());
    }
  }
  literals.push_back(LiteralUtil::CreateToken());
  literals.emplace_back();
  literals.push_back(LiteralUtil::CreateR1<float>({}));
  literals.push_back(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  literals.back().SetDynamicSize(1, 2);
  literals.push_back(LiteralUtil::MakeTuple(LiteralUtil::MakePointers(literals)));
  return literals;
}

TEST(LiteralTest, ProtoRoundTrip) {
  for (const Literal& literal : ManyLiterals()) {
    const auto back = Literal::CreateFromProto(literal.ToProto());
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(back->Equal(literal, /*layout_sensitive=*/true)) << literal << *back;
    EXPECT_EQ(back->shape(), literal.shape());
  }
}

TEST(LiteralTest, ProtoFields) {
  EXPECT_EQ(LiteralUtil::CreateR1<s4>({s4(-1), s4(2)}).ToProto().s4s(), std::string("\x0f\x02"));
  EXPECT_EQ(LiteralUtil::CreateR1<uint16_t>({0x1234}).ToProto().u16s(), "\x34\x12");
  EXPECT_EQ(LiteralUtil::CreateR1<complex64>({complex64(1, 2)}).ToProto().c64s_size(), 2);
  EXPECT_EQ(LiteralUtil::CreateR1<bool>({true}).ToProto().preds(0), true);
}

TEST(LiteralTest, WrongProtosAreRefused) {
  const auto error = [](const LiteralProto& proto) {
    return std::string(Literal::CreateFromProto(proto).status().message());
  };
  EXPECT_THAT(error(LiteralProto()), HasSubstr("shape is missing"));
  LiteralProto proto = LiteralUtil::CreateR1<float>({1, 2}).ToProto();
  proto.add_f32s(3);
  EXPECT_THAT(error(proto), HasSubstr("needs 2 elements"));
  proto.clear_f32s();
  EXPECT_FALSE(Literal::CreateFromProto(proto).ok());
  EXPECT_TRUE(Literal::CreateFromProto(proto, /*prohibit_empty_literal=*/false)->IsAll(0));
  proto.mutable_shape()->set_dimensions(0, int64_t{1} << 62);
  EXPECT_FALSE(Literal::CreateFromProto(proto).ok());
  proto = LiteralUtil::CreateR1<float>({1, 2}).ToProto();
  proto.mutable_shape()->clear_layout();
  EXPECT_THAT(error(proto), HasSubstr("no layout"));
  proto = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1)).ToProto();
  proto.mutable_tuple_literals(0)->mutable_shape()->set_element_type(S32);
  EXPECT_THAT(error(proto), HasSubstr("tuple_literals[0] has shape s32[]"));
  proto.clear_tuple_literals();
  EXPECT_THAT(error(proto), HasSubstr("needs 1 tuple_literals"));
  Literal dynamic = LiteralUtil::CreateR1<float>({1, 2});
  dynamic.SetDynamicSize(0, 1);
  proto = dynamic.ToProto();
  proto.set_dynamic_sizes(0, 3);
  EXPECT_THAT(error(proto), HasSubstr("Dynamic size 3 does not fit"));
  proto.set_dynamic_sizes(0, -1);
  EXPECT_FALSE(Literal::CreateFromProto(proto).ok());
  proto.add_dynamic_sizes(1);
  EXPECT_THAT(error(proto), HasSubstr("needs one for each dimension"));
  proto.clear_dynamic_sizes();
  EXPECT_THAT(error(proto), HasSubstr("needs one for each dimension"));
}

TEST(LiteralTest, ElementsTakeWholeBytesWhateverTheLayoutSays) {
  Shape packed = ShapeUtil::MakeShape(S4, {3});
  packed.mutable_layout()->set_element_size_in_bits(4);
  EXPECT_EQ(Literal(packed).shape().layout().element_size_in_bits(), 0);
  const Literal tuple(ShapeUtil::MakeTupleShape({packed}));
  EXPECT_EQ(tuple.shape().tuple_shapes(0).layout().element_size_in_bits(), 0);
}

TEST(LiteralTest, WhatHasNoComplexOrRealForm) {
  EXPECT_EQ(LiteralUtil::CreateR0<int32_t>(1).GetAsComplex128({}), std::nullopt);
  EXPECT_EQ(LiteralUtil::CreateR0<half>(half(2.f)).GetAsComplex128({}), complex128(2));
  EXPECT_EQ(LiteralUtil::CreateR0<complex64>({1, 0}).Convert(F32).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(LiteralTest, UnusedBitsOfProtosAreCleared) {
  LiteralProto proto = LiteralUtil::CreateR1<s4>({s4(-1)}).ToProto();
  proto.set_s4s("\xff");
  EXPECT_EQ(*Literal::CreateFromProto(proto), LiteralUtil::CreateR1<s4>({s4(-1)}));
}

TEST(LiteralTest, SerializationRoundTrip) {
  for (const Literal& literal : ManyLiterals()) {
    const std::string bytes = literal.SerializeAsString().value();
    EXPECT_EQ(static_cast<int64_t>(bytes.size()), *literal.SerializedSize());
    const auto back = Literal::DeserializeFromString(bytes);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(back->Equal(literal, /*layout_sensitive=*/true));
    const auto iterated = Literal::Deserialize(bytes.begin(), bytes.end());
    EXPECT_EQ(*iterated, literal);
    if (literal.total_size_bytes() > 0) {
      EXPECT_FALSE(
          Literal::DeserializeFromString(absl::string_view(bytes).substr(0, bytes.size() - 1))
              .ok());
    }
    EXPECT_FALSE(Literal::DeserializeFromString(bytes + "x").ok());
  }
  EXPECT_FALSE(Literal::DeserializeFromString("").ok());
  EXPECT_FALSE(Literal::DeserializeFromString(std::string(8, '\xff')).ok());
  EXPECT_FALSE(Literal::DeserializeFromString(std::string(8, '\x7f')).ok());
}

}  // namespace
}  // namespace xla
