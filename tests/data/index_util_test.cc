#include "xla/index_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(IndexUtilTest, LinearIndices) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3, 4}, {1, 2, 0});
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, {1, 2, 3}), 12 + 3 * 3 + 2);
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, {2, 1, 0}, {1, 2, 3}), 23);
  for (int64_t i = 0; i < 24; ++i) {
    const DimensionVector index = IndexUtil::LinearIndexToMultidimensionalIndex(shape, i);
    EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, index), i);
  }
  EXPECT_EQ(IndexUtil::GetDimensionStride(shape, 0), 12);
  EXPECT_EQ(IndexUtil::GetDimensionStride(shape, 1), 1);
  EXPECT_EQ(IndexUtil::GetDimensionStride(shape, 2), 3);
  const Shape no_layout(F32, {2, 3});
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(no_layout, {1, 1}), 4);
}

TEST(IndexUtilTest, BumpIndicesIsRowMajor) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  std::vector<int64_t> index = {0, 1};
  EXPECT_TRUE(IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
  EXPECT_THAT(index, ElementsAre(1, 0));
  EXPECT_TRUE(IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
  EXPECT_FALSE(IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
  EXPECT_THAT(index, ElementsAre(0, 0));
}

TEST(IndexUtilTest, BoundsAndOrder) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  EXPECT_TRUE(IndexUtil::IndexInBounds(shape, {1, 2}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {2, 0}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {-1, 0}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {0}));
  EXPECT_LT(IndexUtil::CompareIndices({0, 5}, {1, 0}), 0);
  EXPECT_EQ(IndexUtil::CompareIndices({1, 2}, {1, 2}), 0);
}

}  // namespace
}  // namespace xla
