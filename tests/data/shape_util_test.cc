#include "xla/shape_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>
#include <vector>

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ShapeUtilTest, CountsElementsAndBytes) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  const Shape tuple = ShapeUtil::MakeTupleShape(
      {shape, ShapeUtil::MakeTokenShape(), ShapeUtil::MakeTupleShape({shape})});
  EXPECT_EQ(ShapeUtil::ElementsIn(shape), 6);
  EXPECT_EQ(ShapeUtil::ElementsIn(ShapeUtil::MakeShape(F32, {})), 1);
  EXPECT_EQ(ShapeUtil::ElementsIn(ShapeUtil::MakeShape(F32, {3, 0})), 0);
  EXPECT_TRUE(ShapeUtil::IsZeroElementArray(ShapeUtil::MakeShape(F32, {3, 0})));
  EXPECT_EQ(ShapeUtil::ElementsInRecursive(tuple), 12);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(shape), 24);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(tuple, 8), 24);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeTokenShape()), 0);
  EXPECT_EQ(ShapeUtil::ByteSizeOfElementsRecursive(tuple), 48);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShape(S4, {5})), 5);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShapeWithDenseLayout(S4, {5}, {0}, {}, 1, 4)), 3);
  EXPECT_EQ(ShapeUtil::ElementsIn(Shape(F32, {Shape::kUnboundedSize, 4})), 4);
}

TEST(ShapeUtilTest, CountsSaturate) {
  const Shape huge(F32, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_EQ(ShapeUtil::ElementsIn(huge), kMax);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(huge), kMax);
  EXPECT_TRUE(ShapeUtil::ExtentProduct<true>(huge).second);
  EXPECT_EQ(ShapeUtil::ElementsInRecursive(ShapeUtil::MakeTupleShape({huge, huge})), kMax);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(Shape(F64, {kMax / 4})), kMax);
  EXPECT_EQ(ShapeUtil::ElementsIn(Shape(F32, {kMax, kMax, 0})), 0);
}

TEST(ShapeUtilTest, TiledArraySize) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {9, 130}, {1, 0}, {Tile({8, 128})});
  EXPECT_EQ(ShapeUtil::ArraySize(shape), 4 * 16 * 256);
  // The last element is (8, 129): tile 3, row 0, column 1.
  EXPECT_EQ(ShapeUtil::ArrayDataSize(shape), 4 * (3 * 1024 + 2));
  const Shape combined = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5}, {1, 0},
                                                             {Tile({Tile::kCombineDimension, 8})});
  EXPECT_EQ(ShapeUtil::ArraySize(combined), 4 * 16);
  const Shape tail = ShapeUtil::MakeShapeWithDenseLayout(F32, {5}, {0}, {}, 4);
  EXPECT_EQ(ShapeUtil::ArraySize(tail), 4 * 8);
}

TEST(ShapeUtilTest, Validation) {
  auto message = [](const absl::StatusOr<Shape>& shape) {
    EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(shape.status().message());
  };
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShape(F32, {2, -1})), HasSubstr("negative"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShape(TUPLE, {})), HasSubstr("tuple"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShape(F32, {kMax, 2})), HasSubstr("overflows"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShape(F32, {kMax})), HasSubstr("overflows"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShape(F32, {2}, {true, false})), HasSubstr("flags"));
  EXPECT_TRUE(ShapeUtil::MakeValidatedShape(U8, {int64_t{1} << 61}).ok());
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShapeWithDenseLayout(F32, {2, 3}, {0, 0})),
              HasSubstr("permutation"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedShapeWithDenseLayout(F32, {2, 3}, {0})),
              HasSubstr("one entry per dimension"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedBufferShape(ShapeUtil::MakeNil())),
              HasSubstr("Only an array"));
  EXPECT_THAT(message(ShapeUtil::MakeValidatedTupleShape({Shape()})), HasSubstr("element type"));
  EXPECT_FALSE(ShapeUtil::ValidateShape(Shape(F32, {2})).ok());
  EXPECT_TRUE(ShapeUtil::ValidateShapeWithOptionalLayout(Shape(F32, {2})).ok());
  EXPECT_DEATH(ShapeUtil::MakeShape(F32, {-2}), "negative");

  Shape deep = ShapeUtil::MakeNil();
  for (int i = 0; i < Shape::kMaxNestingDepth; ++i) deep = ShapeUtil::MakeTupleShape({deep});
  EXPECT_TRUE(ShapeUtil::ValidateShape(deep).ok());
  EXPECT_THAT(message(ShapeUtil::MakeValidatedTupleShape({deep})), HasSubstr("nested"));
}

TEST(ShapeUtilTest, Compatibility) {
  const Shape f32 = ShapeUtil::MakeShape(F32, {2, 3});
  const Shape f32_columns = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  const Shape dynamic = ShapeUtil::MakeShape(F32, {2, 3}, {true, false});
  EXPECT_TRUE(ShapeUtil::Compatible(f32, f32_columns));
  EXPECT_TRUE(ShapeUtil::Compatible(f32, dynamic));
  EXPECT_FALSE(ShapeUtil::Compatible(f32, ShapeUtil::MakeShape(S32, {2, 3})));
  EXPECT_TRUE(ShapeUtil::CompatibleIgnoringElementType(f32, ShapeUtil::MakeShape(S32, {2, 3})));
  EXPECT_TRUE(ShapeUtil::CompatibleIgnoringFpPrecision(f32, ShapeUtil::MakeShape(BF16, {2, 3})));
  EXPECT_TRUE(ShapeUtil::CompatibleKind(f32, ShapeUtil::MakeShape(S32, {7, 7})));
  EXPECT_FALSE(ShapeUtil::CompatibleKind(f32, ShapeUtil::MakeShape(S32, {7})));
  EXPECT_TRUE(ShapeUtil::EqualStructure(ShapeUtil::MakeTupleShape({f32}),
                                        ShapeUtil::MakeTupleShape({ShapeUtil::MakeTokenShape()})));
  EXPECT_TRUE(ShapeUtil::IsPrefix(ShapeUtil::MakeTupleShape({f32}),
                                  ShapeUtil::MakeTupleShape({f32, dynamic})));
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(ShapeUtil::MakeShape(F32, {1, 3}), dynamic));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(ShapeUtil::MakeShape(F32, {3, 3}), dynamic));
}

TEST(ShapeUtilTest, IndicesAsMessages) {
  const ShapeIndex index = {2, 0, 1};
  EXPECT_EQ(index.ToProto().indexes_size(), 3);
  EXPECT_EQ(ShapeIndex::FromProto(index.ToProto()), index);
  EXPECT_EQ(ShapeIndex::FromProto(ShapeIndexProto()), ShapeIndex());
}

TEST(ShapeUtilTest, Subshapes) {
  const Shape f32 = ShapeUtil::MakeShape(F32, {2});
  const Shape s32 = ShapeUtil::MakeShape(S32, {});
  Shape tuple = ShapeUtil::MakeTupleShape(
      {f32, ShapeUtil::MakeTupleShape({s32, ShapeUtil::MakeNil()}), ShapeUtil::MakeTokenShape()});
  EXPECT_EQ(ShapeUtil::GetSubshape(tuple, {1, 0}), s32);
  EXPECT_FALSE(ShapeUtil::IndexIsValid(tuple, {1, 2}));
  EXPECT_FALSE(ShapeUtil::IndexIsValid(tuple, {0, 0}));
  EXPECT_FALSE(ShapeUtil::TryGetSubshape(tuple, {-1}).ok());
  EXPECT_EQ(ShapeUtil::SubshapeCount(tuple), 6);
  EXPECT_EQ(ShapeUtil::GetLeafCount(tuple), 3);
  EXPECT_EQ(ShapeUtil::FlattenTupleShape(tuple).size(), 3u);
  EXPECT_TRUE(ShapeUtil::IsNestedTuple(tuple));
  EXPECT_EQ(ShapeUtil::SliceTuple(tuple, 1, 3).ToString(), "((s32[], ()), token[])");

  std::vector<std::string> indices;
  auto note = [&](const Shape&, const ShapeIndex& index) { indices.push_back(index.ToString()); };
  ShapeUtil::ForEachSubshape(tuple, note);
  EXPECT_THAT(indices, ElementsAre("{}", "{0}", "{1}", "{1,0}", "{1,1}", "{2}"));
  indices.clear();
  ShapeUtil::ForEachSubshapePostOrder(tuple, note);
  EXPECT_THAT(indices, ElementsAre("{0}", "{1,0}", "{1,1}", "{1}", "{2}", "{}"));
  indices.clear();
  ShapeUtil::ForEachLeafShape(tuple, note);
  EXPECT_THAT(indices, ElementsAre("{0}", "{1,0}", "{2}"));

  ShapeUtil::ForEachMutableLeafShape(&tuple, [](Shape* leaf, const ShapeIndex&) {
    if (leaf->IsArray()) leaf->set_element_type(U8);
  });
  EXPECT_EQ(tuple.ToString(), "(u8[2], (u8[], ()), token[])");
  int visited = 0;
  const absl::Status status = ShapeUtil::ForEachSubshapeWithStatus(
      tuple, [&](const Shape& subshape, const ShapeIndex&) -> absl::Status {
        ++visited;
        return subshape.IsArray() ? absl::CancelledError("stop") : absl::OkStatus();
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(visited, 2);
}

TEST(ShapeUtilTest, ChangingDimensions) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 1, 4}, {0, 2, 1});
  auto text = [](const Shape& s) { return s.ToString(/*print_layout=*/true); };
  EXPECT_EQ(text(ShapeUtil::DeleteDimension(0, shape)), "f32[1,4]{1,0}");
  EXPECT_EQ(text(ShapeUtil::DropDegenerateDimensions(shape)), "f32[2,4]{0,1}");
  EXPECT_EQ(text(ShapeUtil::PermuteDimensions({2, 0, 1}, shape)), "f32[4,2,1]{1,0,2}");
  EXPECT_EQ(text(ShapeUtil::PrependMajorDimension(5, shape)), "f32[5,2,1,4]{1,3,2,0}");
  EXPECT_EQ(text(ShapeUtil::InsertDimensionAtIndex(shape, 2, 7)), "f32[2,1,7,4]{0,3,2,1}");
  EXPECT_EQ(text(ShapeUtil::InsertDimensionAtIndex(shape, 3, 7)), "f32[2,1,4,7]{3,0,2,1}");
  EXPECT_EQ(text(ShapeUtil::InsertDimensionsAtIndex(ShapeUtil::MakeShape(F32, {2}), 0, {3, 4})),
            "f32[3,4,2]{2,1,0}");
  Shape appended = shape;
  ShapeUtil::AppendMajorDimension(6, &appended);
  EXPECT_EQ(text(appended), "f32[2,1,4,6]{0,2,1,3}");
  appended = shape;
  ShapeUtil::AppendMinorDimension(6, &appended);
  EXPECT_EQ(text(appended), "f32[2,1,4,6]{3,0,2,1}");
  EXPECT_EQ(text(ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout(shape)),
            "f32[1,4,2]{2,1,0}");
  EXPECT_EQ(text(ShapeUtil::DeviceShapeToHostShape(
                ShapeUtil::MakeShapeWithDenseLayout(F32, {2}, {0}, {Tile({8})}, 1, 0, 5))),
            "f32[2]{0}");
  EXPECT_EQ(text(ShapeUtil::ComplexComponentShape(ShapeUtil::MakeShape(C64, {2}))), "f32[2]{0}");
}

TEST(ShapeUtilTest, ByteStrides) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3, 4}, {1, 2, 0});
  EXPECT_THAT(*ShapeUtil::ByteStrides(shape), ElementsAre(48, 4, 12));
  EXPECT_FALSE(ShapeUtil::ByteStrides(Shape(F32, {2})).has_value());
  EXPECT_FALSE(ShapeUtil::ByteStrides(ShapeUtil::MakeShapeWithDenseLayout(S4, {2}, {0}, {}, 1, 4)));
  EXPECT_FALSE(ShapeUtil::ByteStrides(Shape(F32, {Shape::kUnboundedSize})).has_value());
}

TEST(ShapeUtilTest, ForEachIndexFollowsTheLayout) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  std::vector<std::vector<int64_t>> visited;
  auto note = [&](absl::Span<const int64_t> index) {
    visited.emplace_back(index.begin(), index.end());
    return true;
  };
  ShapeUtil::ForEachIndexNoStatus(shape, note);
  EXPECT_THAT(visited, ElementsAre(ElementsAre(0, 0), ElementsAre(1, 0), ElementsAre(0, 1),
                                   ElementsAre(1, 1)));
  visited.clear();
  ShapeUtil::ForEachIndexNoStatus(ShapeUtil::MakeShape(F32, {9, 9}), {1, 0}, {4, 1}, {2, 1}, note);
  EXPECT_THAT(visited, ElementsAre(ElementsAre(1, 0), ElementsAre(3, 0)));
  visited.clear();
  ShapeUtil::ForEachIndexNoStatus(ShapeUtil::MakeShape(F32, {}), note);
  EXPECT_EQ(visited.size(), 1u);
  visited.clear();
  ShapeUtil::ForEachIndexNoStatus(ShapeUtil::MakeShape(F32, {3, 0}), note);
  EXPECT_TRUE(visited.empty());
}

TEST(ShapeUtilTest, ForEachIndexStaysWhereTheIncrementIsZero) {
  std::vector<std::vector<int64_t>> visited;
  ShapeUtil::ForEachIndexNoStatus(ShapeUtil::MakeShape(F32, {4, 3}), {1, 0}, {3, 3}, {0, 2},
                                  [&](absl::Span<const int64_t> index) {
                                    visited.emplace_back(index.begin(), index.end());
                                    return true;
                                  });
  EXPECT_THAT(visited, ElementsAre(ElementsAre(1, 0), ElementsAre(1, 2)));
}

TEST(ShapeUtilTest, PermuteDimensionsIgnoringLayoutKeepsTheLayout) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_EQ(ShapeUtil::PermuteDimensionsIgnoringLayout({1, 0}, shape).ToString(true),
            "f32[3,2]{0,1}");
}

TEST(ShapeUtilTest, MoveDimToMajorOfAShapeWithoutLayout) {
  Shape shape = ShapeUtil::MakeShape(F32, {2, 3, 4});
  shape.clear_layout();
  EXPECT_EQ(ShapeUtil::MoveDimToMajor(shape, 1).ToString(true), "f32[2,3,4]{2,0,1}");
}

TEST(ShapeUtilTest, ForEachIndexStops) {
  const Shape shape = ShapeUtil::MakeShape(F32, {10});
  int visited = 0;
  EXPECT_TRUE(ShapeUtil::ForEachIndexWithStatus(shape, [&](absl::Span<const int64_t>) {
                return absl::StatusOr<bool>(++visited < 3);
              }).ok());
  EXPECT_EQ(visited, 3);
  EXPECT_EQ(ShapeUtil::ForEachIndexWithStatus(shape,
                                              [&](absl::Span<const int64_t>) {
                                                return absl::StatusOr<bool>(absl::CancelledError());
                                              })
                .code(),
            absl::StatusCode::kCancelled);
}

TEST(ShapeUtilTest, ForEachIndexParallelVisitsAllOnce) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {17, 31, 5}, {1, 0, 2});
  std::vector<std::atomic<int>> counts(ShapeUtil::ElementsIn(shape));
  ShapeUtil::ForEachIndexParallel(shape, [&](absl::Span<const int64_t> index, int thread) {
    EXPECT_LT(thread, ShapeUtil::GetForEachIndexParallelThreadCount());
    ++counts[(index[0] * 31 + index[1]) * 5 + index[2]];
    return absl::StatusOr<bool>(true);
  });
  for (const auto& count : counts) ASSERT_EQ(count, 1);
  EXPECT_EQ(ShapeUtil::ForEachIndexParallelWithStatus(
                shape,
                [](absl::Span<const int64_t>, int) -> absl::StatusOr<bool> {
                  return absl::CancelledError();
                })
                .code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace xla
