#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <variant>
#include <vector>

#include "xla/index_util.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Shape Laid(std::vector<int64_t> dimensions, std::vector<int64_t> minor_to_major) {
  return ShapeUtil::MakeShapeWithDenseLayout(F32, dimensions, minor_to_major);
}

TEST(ShapeBitcastTest, Reshapes) {
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(Laid({2, 3}, {1, 0}), Laid({6}, {0})));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(Laid({2, 3}, {0, 1}), Laid({6}, {0})));
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(Laid({2, 1, 3}, {0, 1, 2}), Laid({2, 3}, {0, 1})));
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(Laid({4, 6}, {0, 1}), Laid({4, 2, 3}, {0, 2, 1})));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(Laid({2, 3}, {1, 0}), Laid({5}, {0})));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(Laid({6}, {0}), ShapeUtil::MakeShape(S32, {6})));
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(Laid({6}, {0}), ShapeUtil::MakeShape(S32, {6}),
                                          /*ignore_element_type=*/true));
  EXPECT_EQ(ShapeUtil::AlignLayouts(Laid({4, 6}, {0, 1}), Shape(F32, {4, 2, 3}))->ToString(true),
            "f32[4,2,3]{0,2,1}");
}

// Compares with the definition: each element stays where it is.
TEST(ShapeBitcastTest, ReshapesByDefinition) {
  std::mt19937 random(1);
  const std::vector<std::vector<int64_t>> sizes = {{4, 6}, {24},      {2, 2, 6}, {1, 4, 3, 2},
                                                   {6, 4}, {2, 3, 4}, {8, 3},    {4, 2, 1, 3}};
  int bitcasts = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    auto make = [&] {
      const std::vector<int64_t>& dimensions = sizes[random() % sizes.size()];
      std::vector<int64_t> order(dimensions.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      return Laid(dimensions, order);
    };
    const Shape a = make();
    const Shape b = make();
    bool same = true;
    std::vector<int64_t> index_a(a.dimensions_size());
    std::vector<int64_t> index_b(b.dimensions_size());
    do {
      same = same && IndexUtil::MultidimensionalIndexToLinearIndex(a, index_a) ==
                         IndexUtil::MultidimensionalIndexToLinearIndex(b, index_b);
      IndexUtil::BumpIndices(b, absl::MakeSpan(index_b));
    } while (IndexUtil::BumpIndices(a, absl::MakeSpan(index_a)));
    ASSERT_EQ(ShapeUtil::ReshapeIsBitcast(a, b), same) << a << " to " << b;
    bitcasts += same;
  }
  EXPECT_GT(bitcasts, 50);
}

TEST(ShapeBitcastTest, Transposes) {
  const Shape input = Laid({10, 20, 30}, {2, 1, 0});
  const Shape output = ShapeUtil::PermuteDimensions({2, 0, 1}, input);
  EXPECT_TRUE(ShapeUtil::TransposeIsBitcast(input, output, {2, 0, 1}));
  EXPECT_FALSE(ShapeUtil::TransposeIsBitcast(input, Laid({30, 10, 20}, {2, 1, 0}), {2, 0, 1}));
  EXPECT_THAT(*ShapeUtil::DeduceTransposeDimensionsForBitcast(input, output), ElementsAre(2, 0, 1));
  EXPECT_FALSE(ShapeUtil::DeduceTransposeDimensionsForBitcast(input, Laid({6000}, {0})));
}

TEST(ShapeBitcastTest, Decomposition) {
  const Shape input = Laid({2, 3, 4}, {0, 2, 1});
  using Reshape = ShapeUtil::BitcastDecompositionReshape;
  using Transpose = ShapeUtil::BitcastDecompositionTranspose;
  using Trt = ShapeUtil::BitcastDecompositionTrt;
  EXPECT_TRUE(std::holds_alternative<Reshape>(
      ShapeUtil::DecomposeBitcast(Laid({2, 3}, {1, 0}), Laid({6}, {0}))));
  const auto transpose = ShapeUtil::DecomposeBitcast(input, Laid({3, 4, 2}, {2, 1, 0}));
  EXPECT_THAT(std::get<Transpose>(transpose).transpose_dims, ElementsAre(1, 2, 0));
  const auto trt = std::get<Trt>(ShapeUtil::DecomposeBitcast(input, Laid({6, 4}, {0, 1})));
  EXPECT_THAT(trt.transpose1_dims, ElementsAre(1, 2, 0));
  EXPECT_EQ(trt.transpose1_shape, Laid({3, 4, 2}, {2, 1, 0}));
  EXPECT_EQ(trt.reshape_shape, Laid({4, 6}, {1, 0}));
  EXPECT_THAT(trt.transpose2_dims, ElementsAre(1, 0));
  EXPECT_FALSE(trt.IsTranspose2Identity());
}

TEST(ShapeBitcastTest, UnmodifiedDimensions) {
  const Shape from = ShapeUtil::MakeShape(F32, {5, 2, 3, 1, 7});
  const Shape to = ShapeUtil::MakeShape(F32, {5, 6, 7});
  EXPECT_THAT(ShapeUtil::DimensionsUnmodifiedByReshape(from, to),
              ElementsAre(Pair(0, 0), Pair(4, 2)));
  EXPECT_THAT(*ShapeUtil::ReshapeLeavesDimensionsUnmodified(from, to, {0, 4}), ElementsAre(0, 2));
  EXPECT_FALSE(ShapeUtil::ReshapeLeavesDimensionsUnmodified(from, to, {1}).has_value());
  // A dimension of size 1, and what stands before a dimension of size 0, can be the same, too.
  EXPECT_THAT(ShapeUtil::DimensionsUnmodifiedByReshape(ShapeUtil::MakeShape(F32, {6, 1, 4}),
                                                       ShapeUtil::MakeShape(F32, {2, 3, 1, 4})),
              ElementsAre(Pair(1, 2), Pair(2, 3)));
  EXPECT_THAT(ShapeUtil::DimensionsUnmodifiedByReshape(ShapeUtil::MakeShape(F32, {5, 0, 4}),
                                                       ShapeUtil::MakeShape(F32, {5, 2, 0})),
              ElementsAre(Pair(0, 0)));
  const auto inserted = ShapeUtil::InsertedOrDeleted1SizedDimensions(
      ShapeUtil::MakeShape(F32, {1, 5, 6}), ShapeUtil::MakeShape(F32, {5, 1, 6, 1}));
  EXPECT_THAT(inserted->deleted_dimensions, ElementsAre(0));
  EXPECT_THAT(inserted->inserted_dimensions, ElementsAre(1, 3));
  EXPECT_FALSE(ShapeUtil::InsertedOrDeleted1SizedDimensions(from, to).has_value());
}

TEST(ShapeBitcastTest, ElementTypesCanBeIgnored) {
  const Shape floats = Laid({2, 3}, {1, 0});
  const Shape bytes = ShapeUtil::ChangeElementType(floats, S8);
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(floats, bytes));
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(floats, bytes, /*ignore_element_type=*/true));
  EXPECT_FALSE(ShapeUtil::TransposeIsBitcast(floats, bytes, {0, 1}));
  EXPECT_TRUE(ShapeUtil::TransposeIsBitcast(floats, bytes, {0, 1}, /*ignore_element_type=*/true));
  EXPECT_FALSE(ShapeUtil::TransposeIsBitcast(floats, ShapeUtil::MakeShape(S8, {3, 2}), {1, 0},
                                             /*ignore_element_type=*/true));
}

TEST(ShapeBitcastTest, NormalizedTranspose) {
  absl::InlinedVector<int64_t, 3> permutation;
  const Shape input = ShapeUtil::MakeShape(F32, {2, 3, 1, 4, 5});
  const Shape output = ShapeUtil::MakeShape(F32, {4, 5, 1, 2, 3});
  EXPECT_THAT(
      *ShapeUtil::GetNormalizedLogicalTransposeShape(input, output, {3, 4, 2, 0, 1}, permutation),
      ElementsAre(20, 6));
  EXPECT_THAT(permutation, ElementsAre(1, 0));
  EXPECT_FALSE(
      ShapeUtil::GetNormalizedLogicalTransposeShape(input, output, {0, 0}, permutation).ok());
  // What stays where it is has one dimension, and no permutation.
  EXPECT_THAT(
      *ShapeUtil::GetNormalizedLogicalTransposeShape(input, input, {0, 1, 2, 3, 4}, permutation),
      ElementsAre(120));
  EXPECT_THAT(permutation, ElementsAre());
  const Shape ones = ShapeUtil::MakeShape(F32, {1, 1});
  EXPECT_THAT(*ShapeUtil::GetNormalizedLogicalTransposeShape(ones, ones, {1, 0}, permutation),
              ElementsAre(1));
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_FALSE(ShapeUtil::GetNormalizedLogicalTransposeShape(
                   column_major, ShapeUtil::MakeShape(F32, {3, 2}), {1, 0}, permutation)
                   .ok());
}

}  // namespace
}  // namespace xla
