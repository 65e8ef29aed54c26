#include "xla/layout_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "xla/index_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(LayoutUtilTest, Orders) {
  EXPECT_EQ(LayoutUtil::MakeDescendingLayout(3), Layout({2, 1, 0}));
  EXPECT_EQ(LayoutUtil::MakeAscendingLayout(3), Layout({0, 1, 2}));
  EXPECT_EQ(LayoutUtil::MakeLayoutFromMajorToMinor({2, 0, 1}), Layout({1, 0, 2}));
  EXPECT_TRUE(LayoutUtil::IsMonotonicWithDim0Major(LayoutUtil::GetDefaultLayoutForR4()));
  EXPECT_TRUE(LayoutUtil::HasAscendingLayout(Layout({0, 1})));
  const Layout layout({0, 2, 1});
  EXPECT_EQ(LayoutUtil::Major(layout, 0), 1);
  EXPECT_EQ(LayoutUtil::Minor(layout, 0), 0);
  EXPECT_THAT(LayoutUtil::MakeLogicalToPhysical(layout), ElementsAre(2, 0, 1));
  EXPECT_EQ(LayoutUtil::MoveDimToMajor(layout, 0), Layout({2, 1, 0}));
  EXPECT_EQ(LayoutUtil::MoveDimToMinor(layout, 1), Layout({1, 0, 2}));
  EXPECT_TRUE(LayoutUtil::AreDimensionsConsecutive(layout, {1, 2}));
  EXPECT_FALSE(LayoutUtil::AreDimensionsConsecutive(layout, {1, 0}));
}

TEST(LayoutUtilTest, LayoutsInShapes) {
  Shape tuple = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}), ShapeUtil::MakeTokenShape()});
  Shape target =
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {4, 5}), ShapeUtil::MakeTokenShape()});
  EXPECT_FALSE(LayoutUtil::LayoutsInShapesEqual(tuple, target));
  EXPECT_TRUE(LayoutUtil::CopyLayoutBetweenShapes(tuple, &target).ok());
  EXPECT_EQ(target.ToString(true), "(s32[4,5]{0,1}, token[])");
  EXPECT_TRUE(LayoutUtil::LayoutsInShapesEqual(tuple, target));
  EXPECT_FALSE(LayoutUtil::CopyLayoutBetweenShapes(tuple.tuple_shapes(0), &target).ok());

  LayoutUtil::ClearLayout(&tuple);
  EXPECT_FALSE(LayoutUtil::HasLayout(tuple));
  EXPECT_TRUE(LayoutUtil::ValidateLayoutInShape(tuple, /*allow_missing_layouts=*/true).ok());
  EXPECT_FALSE(LayoutUtil::ValidateLayoutInShape(tuple).ok());
  LayoutUtil::SetToDefaultLayout(&tuple);
  EXPECT_TRUE(LayoutUtil::HasLayout(tuple));
  EXPECT_EQ(tuple.ToString(true), "(f32[2,3]{1,0}, token[])");
}

TEST(LayoutUtilTest, Validation) {
  const Shape shape(F32, {4, 5});
  auto is_valid = [&](const Layout& layout) {
    return LayoutUtil::ValidateLayoutForShape(layout, shape).ok();
  };
  EXPECT_TRUE(is_valid(Layout({0, 1}, {Tile({2, 8}), Tile({2, 1})}, 0)));
  EXPECT_TRUE(is_valid(Layout({0, 1}, {Tile({Tile::kCombineDimension, 8})}, 0)));
  EXPECT_FALSE(is_valid(Layout({0})));
  EXPECT_FALSE(is_valid(Layout({0, 2})));
  EXPECT_FALSE(is_valid(Layout({0, 1}, {Tile({0})}, 0)));
  EXPECT_FALSE(is_valid(Layout({0, 1}, {Tile({2, Tile::kCombineDimension})}, 0)));
  EXPECT_FALSE(is_valid(Layout({0, 1}, {Tile({int64_t{1} << 40, int64_t{1} << 40})}, 0)));
  EXPECT_FALSE(is_valid(Layout({0, 1}).set_tail_padding_alignment_in_elements(0)));
  EXPECT_FALSE(is_valid(Layout({0, 1}).add_split_configs(SplitConfig(2, {1}))));
  EXPECT_FALSE(is_valid(Layout({0, 1}).add_split_configs(SplitConfig(0, {3, 2}))));
  EXPECT_FALSE(is_valid(Layout({1, 0}).add_split_configs(SplitConfig(0, {4}))));
  EXPECT_TRUE(is_valid(Layout({1, 0}).add_split_configs(SplitConfig(0, {1, 3}))));
  EXPECT_FALSE(LayoutUtil::ValidateLayoutForShape(Layout({0}), ShapeUtil::MakeTokenShape()).ok());
}

TEST(LayoutUtilTest, LinearIndexOfUntiledLayout) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 4}, {0, 1});
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {2, 3}), 11);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {2, 0}), 2);
}

TEST(LayoutUtilTest, LinearIndexOfTiles) {
  // 9 x 130 in tiles of 8 x 128: two by two tiles.
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {9, 130}, {1, 0}, {Tile({8, 128})});
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {1, 2}), 130);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {0, 128}), 1024);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {8, 0}), 2048);
  // With (2, 1) inside, pairs of rows are interleaved.
  const Shape nested =
      ShapeUtil::MakeShapeWithDenseLayout(BF16, {9, 130}, {1, 0}, {Tile({8, 128}), Tile({2, 1})});
  EXPECT_EQ(LayoutUtil::LinearIndexForNestedTiling(nested, {0, 1}), 2);
  EXPECT_EQ(LayoutUtil::LinearIndexForNestedTiling(nested, {1, 0}), 1);
  EXPECT_EQ(LayoutUtil::LinearIndexForNestedTiling(nested, {2, 0}), 256);
}

TEST(LayoutUtilTest, DelinearizeInvertsLinearIndex) {
  const int64_t kCombine = Tile::kCombineDimension;
  const std::vector<std::vector<Tile>> tilings = {
      {},
      {Tile({4})},
      {Tile({2, 4})},
      {Tile({2, 4}), Tile({2, 1})},
      {Tile({kCombine, 8})},
      {Tile({kCombine, kCombine, 16}), Tile({4, 2})},
      {Tile({kCombine, 2, 4}), Tile({kCombine, 8})},
      {Tile({2, 2, 2, 2, 2})},
      {Tile({8}), Tile({2, 2, 4}), Tile({2, 2})},
  };
  for (const std::vector<Tile>& tiles : tilings) {
    const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5, 6}, {1, 2, 0}, tiles);
    std::set<int64_t> seen;
    std::vector<int64_t> index(3);
    do {
      const int64_t linear = LayoutUtil::LinearIndexForNestedTiling(shape, index);
      EXPECT_TRUE(seen.insert(linear).second);
      EXPECT_LT(4 * linear, ShapeUtil::ArraySize(shape)) << shape;
      ASSERT_EQ(LayoutUtil::DelinearizeIndexForNestedTiling(shape, linear), index)
          << shape << " at " << linear;
    } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
    if (tiles.size() < 2) {
      EXPECT_EQ(ShapeUtil::ArrayDataSize(shape), 4 * (*seen.rbegin() + 1)) << shape;
    }
  }
}

// Compares with the definition: every element lies where it would lie without tiles.
TEST(LayoutUtilTest, IsUntiledLayout) {
  const int64_t kCombine = Tile::kCombineDimension;
  const std::vector<std::vector<Tile>> tilings = {
      {},
      {Tile({4})},
      {Tile({1, 4})},
      {Tile({2, 4})},
      {Tile({2, 4}), Tile({2, 1})},
      {Tile({2, 4}), Tile({1, 2})},
      {Tile({kCombine, 8})},
      {Tile({kCombine, 4})},
      {Tile({3, 1, 4})},
      {Tile({8})},
  };
  int untiled = 0;
  for (const auto& dimensions : std::vector<std::vector<int64_t>>{
           {6, 4}, {5, 4}, {2, 8}, {3, 5}, {7}, {8}, {1, 3}, {2, 3, 4}, {1, 1}, {4, 1}}) {
    for (const std::vector<Tile>& tiles : tilings) {
      std::vector<int64_t> order = {2, 1, 0};
      order.erase(order.begin(), order.end() - dimensions.size());
      const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, dimensions, order, tiles);
      bool same = true;
      std::vector<int64_t> index(dimensions.size());
      do {
        same = same && LayoutUtil::LinearIndexForNestedTiling(shape, index) ==
                           IndexUtil::MultidimensionalIndexToLinearIndex(shape, index);
      } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
      EXPECT_EQ(LayoutUtil::IsUntiledLayout(tiles, dimensions), same) << shape;
      untiled += same;
    }
  }
  EXPECT_GT(untiled, 20);
}

TEST(LayoutUtilTest, Splits) {
  Shape shape = ShapeUtil::MakeShape(F32, {10, 3});
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 0), 10);
  shape.mutable_layout()->add_split_configs(SplitConfig(0, {2, 7}));
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 0), 5);
  EXPECT_EQ(LayoutUtil::MaxElementsInPerSplit(shape), 15);
  EXPECT_EQ(LayoutUtil::GetSplitConfig(shape), SplitConfig(0, {2, 7}));
}

// The dimension of a split config is a physical one, counted from the major side.
TEST(LayoutUtilTest, SplitsAreAlongPhysicalDimensions) {
  Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {10, 3, 20}, {1, 0, 2});
  shape.mutable_layout()
      ->add_split_configs(SplitConfig(0, {12}))
      .add_split_configs(SplitConfig(1, {4}));
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 0), 6);
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 1), 3);
  EXPECT_EQ(LayoutUtil::MaxSplitSize(shape, 2), 12);
  const auto splits = [](const Shape& s) { return s.layout().ToString(); };
  EXPECT_EQ(splits(ShapeUtil::DeleteDimension(2, shape)), "{1,0:SC(0:4)}");
  EXPECT_EQ(splits(ShapeUtil::DeleteDimension(1, shape)), "{0,1:SC(0:12)(1:4)}");
  EXPECT_EQ(splits(ShapeUtil::PermuteDimensions({2, 1, 0}, shape)), "{1,2,0:SC(0:12)(1:4)}");
  EXPECT_EQ(splits(ShapeUtil::PrependMajorDimension(7, shape)), "{2,1,3,0:SC(1:12)(2:4)}");
  EXPECT_EQ(splits(ShapeUtil::MoveDimToMajor(shape, 0)), "{1,2,0:SC(1:12)(0:4)}");
}

TEST(LayoutUtilTest, ByteStridesIsMajorToMinor) {
  EXPECT_TRUE(LayoutUtil::ByteStridesIsMajorToMinor({12, 4}, {2, 3}, F32));
  EXPECT_FALSE(LayoutUtil::ByteStridesIsMajorToMinor({4, 8}, {2, 3}, F32));
  EXPECT_TRUE(LayoutUtil::ByteStridesIsMajorToMinor({99, 4}, {1, 3}, F32));
}

}  // namespace
}  // namespace xla
