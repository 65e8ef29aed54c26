#include "xla/reference_util.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test.h"
#include "xla/util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

float Add(float a, float b) { return a + b; }

TEST(ReferenceUtilTest, Matrices) {
  const Array2D<float> a({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(*ReferenceUtil::TransposeArray2D(a), Array2D<float>({{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(*ReferenceUtil::MatmulArray2D(a, Array2D<float>({{1}, {10}, {100}})),
            Array2D<float>({{321}, {654}}));
  EXPECT_EQ((*ReferenceUtil::Array2DF32ToF64(a))(1, 2), 6.0);
  EXPECT_THAT(*ReferenceUtil::ReduceToColArray2D(a, 0, Add), ElementsAre(6, 15));
  EXPECT_THAT(*ReferenceUtil::ReduceToRowArray2D(a, 10, Add), ElementsAre(15, 17, 19));
}

TEST(ReferenceUtilTest, ConvArray3D) {
  const Array3D<float> lhs({{{1, 2, 3, 4}}});
  const Array3D<float> rhs({{{10, 1}}});
  EXPECT_EQ(*ReferenceUtil::ConvArray3D(lhs, rhs, 1, Padding::kValid),
            Array3D<float>({{{12, 23, 34}}}));
  EXPECT_EQ(*ReferenceUtil::ConvArray3D(lhs, rhs, 1, Padding::kSame),
            Array3D<float>({{{12, 23, 34, 40}}}));
  EXPECT_EQ(*ReferenceUtil::ConvArray3D(lhs, rhs, 2, Padding::kValid),
            Array3D<float>({{{12, 34}}}));
}

TEST(ReferenceUtilTest, ConvArray4DAddsInputFeatures) {
  const Array4D<float> lhs({{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}});
  const Array4D<float> rhs({{{{1}}, {{10}}}, {{{100}}, {{0}}}});
  EXPECT_EQ(*ReferenceUtil::ConvArray4D(lhs, rhs, {1, 1}, Padding::kValid),
            Array4D<float>({{{{51, 62}, {73, 84}}, {{100, 200}, {300, 400}}}}));
}

TEST(ReferenceUtilTest, ConvArray4DDilated) {
  const Array4D<float> lhs({{{{1, 2}}}});
  const Array4D<float> rhs({{{{1, 10}}}});
  // 1 0 2 with 1 10; 1 2 with 1 _ 10 does not fit, 1 0 2 with it does.
  EXPECT_EQ(*ReferenceUtil::ConvArray4DGeneralDimensionsDilated(
                lhs, rhs, {1, 1}, Padding::kValid, {1, 2}, {1, 1},
                XlaBuilder::CreateDefaultConvDimensionNumbers()),
            Array4D<float>({{{{1, 20}}}}));
  EXPECT_EQ(*ReferenceUtil::ConvArray4DGeneralDimensionsDilated(
                lhs, rhs, {1, 1}, Padding::kValid, {1, 2}, {1, 2},
                XlaBuilder::CreateDefaultConvDimensionNumbers()),
            Array4D<float>({{{{21}}}}));
  EXPECT_EQ(ReferenceUtil::ConvArray4DGeneralDimensions(
                lhs, Array4D<float>(1, 1, 1, 3), {1, 1}, Padding::kValid,
                XlaBuilder::CreateDefaultConvDimensionNumbers())
                ->num_elements(),
            0);
}

TEST(ReferenceUtilTest, Reductions) {
  Array4D<float> array(2, 3, 2, 2);
  array.FillIota(0);
  EXPECT_THAT(ReferenceUtil::Reduce4DTo1D(array, 0, {1, 2, 3}, Add), ElementsAre(66, 210));
  EXPECT_THAT(ReferenceUtil::Reduce4DTo1D(array, 0, {0, 2, 3}, Add), ElementsAre(60, 92, 124));
  const Array3D<float> cube({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  EXPECT_EQ(*ReferenceUtil::Reduce3DTo2D(cube, 0, {1}, Add), Array2D<float>({{4, 6}, {12, 14}}));
  const auto broadcast = ReferenceUtil::Broadcast1DTo4D({7, 8}, {1, 2, 1, 3}, 1);
  EXPECT_EQ(*broadcast, Array4D<float>({{{{7, 7, 7}}, {{8, 8, 8}}}}));
}

TEST(ReferenceUtilTest, Windows) {
  const std::vector<float> values = {1, 2, 3, 4, 5};
  EXPECT_THAT(*ReferenceUtil::ReduceWindow1DGeneric(values, 0, Add, {2}, {2}, {{0, 0}}),
              ElementsAre(3, 7));
  EXPECT_THAT(*ReferenceUtil::ReduceWindow1DGeneric(values, 0, Add, {3}, {2}, {{1, 1}}),
              ElementsAre(3, 9, 9));
  const Array4D<float> image({{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}});
  EXPECT_EQ(
      *ReferenceUtil::ReduceWindow4DAdd(image, 0, {1, 1, 2, 2}, {1, 1, 1, 1}, Padding::kValid),
      Array4D<float>({{{{12, 16}, {24, 28}}}}));
  const auto max = [](float a, float b) { return std::max(a, b); };
  EXPECT_EQ(*ReferenceUtil::ReduceWindow4DGeneric(image, 0, max, {1, 1, 2, 2}, {1, 1, 2, 2},
                                                  Padding::kSame),
            Array4D<float>({{{{5, 6}, {8, 9}}}}));
  EXPECT_EQ(*ReferenceUtil::ReduceWindow4DGeneric(image, 0, max, {1, 1, 2, 2}, {1, 1, 2, 2},
                                                  {{0, 0}, {0, 0}, {1, 0}, {1, 0}}),
            Array4D<float>({{{{1, 3}, {7, 9}}}}));
  EXPECT_EQ(ReferenceUtil::WindowCount(5, 2, 2, Padding::kValid), 2);
  EXPECT_EQ(ReferenceUtil::WindowCount(5, 2, 2, Padding::kSame), 3);
}

TEST(ReferenceUtilTest, SelectAndScatter4DGePlus) {
  const Array4D<float> image({{{{1, 9, 3, 3}, {4, 5, 3, 2}}}});
  EXPECT_EQ(*ReferenceUtil::SelectAndScatter4DGePlus(image, Array4D<float>({{{{10, 20}}}}), 1,
                                                     {1, 1, 2, 2}, {1, 1, 2, 2}, false),
            Array4D<float>({{{{1, 11, 21, 1}, {1, 1, 1, 1}}}}));
  EXPECT_EQ(*ReferenceUtil::SelectAndScatter4DGePlus(Array4D<float>({{{{1, 2, 3}}}}),
                                                     Array4D<float>({{{{10, 20}}}}), 0,
                                                     {1, 1, 1, 2}, {1, 1, 1, 2}, true),
            Array4D<float>({{{{0, 10, 20}}}}));
}

TEST(ReferenceUtilTest, BatchNorm4D) {
  const Array4D<float> x(1, 1, 1, 1, 5), mean(1, 1, 1, 1, 3), var(1, 1, 1, 1, 3),
      scale(1, 1, 1, 1, 10), offset(1, 1, 1, 1, 1);
  EXPECT_EQ((*ReferenceUtil::BatchNorm4D(x, mean, var, scale, offset, 1))(0, 0, 0, 0), 11);
}

TEST(ReferenceUtilTest, Pieces) {
  const Array2D<float> a({{1, 2}, {3, 4}}), b({{5, 6}});
  EXPECT_EQ(*ReferenceUtil::Concat2D(a, b, 0), Array2D<float>({{1, 2}, {3, 4}, {5, 6}}));
  const Array3D<float> c({{{1, 2}}}), d({{{3}}});
  EXPECT_EQ(*ReferenceUtil::Concat3D(c, d, 2), Array3D<float>({{{1, 2, 3}}}));
  const Array4D<float> e({{{{1, 2, 3, 4}}}}), f({{{{5, 6, 7, 8}}}});
  EXPECT_EQ(*ReferenceUtil::Concat4D(e, f, 1), Array4D<float>({{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}}));
  EXPECT_EQ(*ReferenceUtil::Slice2D(a, {{0, 1}}, {{2, 2}}, {{1, 1}}), Array2D<float>({{2}, {4}}));
  EXPECT_EQ(*ReferenceUtil::Slice3D(c, {{0, 0, 1}}, {{1, 1, 2}}, {{1, 1, 1}}),
            Array3D<float>({{{2}}}));
  EXPECT_EQ(*ReferenceUtil::Slice4D(e, {{0, 0, 0, 0}}, {{1, 1, 1, 4}}, {{1, 1, 1, 3}}),
            Array4D<float>({{{{1, 4}}}}));
  EXPECT_DEATH(ReferenceUtil::Concat2D(a, Array2D<float>({{1}}), 0), "");
}

TEST(ReferenceUtilTest, Padding) {
  PaddingConfig padding = MakeNoPaddingConfig(2);
  padding.mutable_dimensions(0)->set_edge_padding_low(1);
  padding.mutable_dimensions(1)->set_interior_padding(1);
  padding.mutable_dimensions(1)->set_edge_padding_high(-1);
  EXPECT_EQ(*ReferenceUtil::PadArray2D<float>(Array2D<float>({{1, 2, 3}}), padding, 9.0f),
            Array2D<float>({{9, 9, 9, 9}, {1, 9, 2, 9}}));
  PaddingConfig none = MakeNoPaddingConfig(4);
  const Array4D<float> image({{{{1, 2}}}});
  EXPECT_EQ(ReferenceUtil::PadArray4D(image, none, 0.0f), image);
}

TEST(ReferenceUtilTest, Maps) {
  const Array2D<float> a({{1, 2}});
  const auto negate = [](float x) { return -x; };
  const auto subtract = [](float x, float y) { return x - y; };
  EXPECT_EQ(*ReferenceUtil::MapArray2D(a, negate), Array2D<float>({{-1, -2}}));
  EXPECT_EQ(*ReferenceUtil::MapArray2D(a, a, subtract), Array2D<float>({{0, 0}}));
  const Array3D<float> c({{{1, 2}}});
  EXPECT_EQ(*ReferenceUtil::MapArray3D(c, negate), Array3D<float>({{{-1, -2}}}));
  EXPECT_EQ(*ReferenceUtil::MapArray3D(c, c, subtract), Array3D<float>({{{0, 0}}}));
  const Array4D<float> d({{{{1, 2}}}});
  EXPECT_EQ(*ReferenceUtil::MapArray4D(d, negate), Array4D<float>({{{{-1, -2}}}}));
  EXPECT_EQ(*ReferenceUtil::MapArray4D(d, d, subtract), Array4D<float>({{{{0, 0}}}}));
  EXPECT_EQ(*ReferenceUtil::MapWithIndexArray2D(
                a, [](float x, int64_t row, int64_t col) { return x + 10 * row + 100 * col; }),
            Array2D<float>({{1, 102}}));
  EXPECT_EQ(*ReferenceUtil::MapWithIndexArray4D(
                d, [](float x, int64_t, int64_t, int64_t, int64_t w) { return x * 10 + w; }),
            Array4D<float>({{{{10, 21}}}}));
  EXPECT_EQ(*ReferenceUtil::ApplyElementwise2D([](float x, int y) { return x * y; }, a,
                                               Array2D<int>({{3, 4}})),
            Array2D<float>({{3, 8}}));
}

}  // namespace
}  // namespace xla
