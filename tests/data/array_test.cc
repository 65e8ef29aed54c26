#include "xla/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(ArrayTest, Construction) {
  EXPECT_THAT(Array<int>({2, 3}), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(Array<int>({3}, 7), ElementsAre(7, 7, 7));
  EXPECT_EQ(Array<int>(std::vector<int64_t>{}).num_elements(), 1);
  const Array2D<bfloat16> narrow({{1.5f, 2.0f}, {3.0f, 4.0f}});
  EXPECT_EQ(narrow(1, 0), bfloat16(3.0f));
  const Array3D<int> cube({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  EXPECT_EQ(cube(1, 0, 1), 6);
  EXPECT_THAT(cube.dimensions(), ElementsAre(2, 2, 2));
  const Array<int> copy = cube;
  EXPECT_EQ(copy, cube);
  EXPECT_DEATH(Array2D<int>({{1, 2}, {3}}), "length");
  EXPECT_DEATH(Array<int>({int64_t{1} << 40, int64_t{1} << 40}), "");
}

TEST(ArrayTest, Filling) {
  Array<int> a({2, 3});
  a.FillIota(5);
  EXPECT_THAT(a, ElementsAre(5, 6, 7, 8, 9, 10));
  a.FillRepeatedIota(1, 2);
  EXPECT_THAT(a, ElementsAre(1, 2, 1, 2, 1, 2));
  a.FillWithMultiples(3);
  EXPECT_THAT(a, ElementsAre(0, 3, 6, 9, 12, 15));
  a.SetValues({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(a(1, 2), 6);
  EXPECT_EQ(a({0, 1}), 2);
  a.FillRandomUniform(-2, 2);
  for (int value : a) EXPECT_TRUE(value >= -2 && value <= 2);
  Array<float> b({100});
  Array<float> c({100});
  b.FillRandom(1.0f, 10.0);
  c.FillRandom(1.0f, 10.0);
  EXPECT_EQ(b, c);
}

TEST(ArrayTest, EachAndText) {
  Array2D<int> a(2, 3);
  a.Each([](int64_t i, int64_t j, int* value) { *value = 10 * i + j; });
  EXPECT_EQ(a.ToString(), "[[0, 1, 2],\n [10, 11, 12]]");
  int sum = 0;
  static_cast<const Array<int>&>(a).Each([&](absl::Span<const int64_t> index, int value) {
    sum += value;
    EXPECT_EQ(value, 10 * index[0] + index[1]);
  });
  EXPECT_EQ(sum, 36);
  EXPECT_EQ(Array3D<int>({{{1}, {2}}, {{3}, {4}}}).ToString(), "[[[1],\n  [2]],\n [[3],\n  [4]]]");
}

TEST(ArrayTest, SlicesAndTransposes) {
  Array2D<int> a({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(a.Slice({0, 1}, {2, 3}), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(a.Slice({1, 2}, {3, 4}, 9), ElementsAre(6, 9, 9, 9));
  EXPECT_DEATH(a.Slice({1, 2}, {3, 4}), "");
  Array<int> b = a;
  b.UpdateSlice(Array2D<int>({{7, 8}, {9, 10}}), {1, 2});
  EXPECT_THAT(b, ElementsAre(1, 2, 3, 4, 5, 7));
  b = a;
  b.TransposeDimensions({1, 0});
  EXPECT_THAT(b, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(b.dimensions(), ElementsAre(3, 2));
  b.Reshape({6});
  EXPECT_EQ(b(4), 3);
  EXPECT_DEATH(b.Reshape({5}), "");
}

TEST(ArrayTest, FourDimensions) {
  Array4D<float> a(2, 3, 4, 5);
  a.FillWithMinorDimNum();
  EXPECT_EQ(a(1, 2, 3, 4), 19);
  EXPECT_EQ(a.n1(), 2);
  EXPECT_EQ(a.n2(), 3);
  EXPECT_EQ(a.n3(), 4);
  EXPECT_EQ(a.n4(), 5);
  a.FillWithYX(*MakeLinspaceArray2D(0, 19, 4, 5));
  EXPECT_EQ(a(1, 2, 3, 4), 19);
  Array2D<float> planes_by_depth(2, 3);
  planes_by_depth.FillUnique(1);
  a.FillWithPZ(planes_by_depth);
  EXPECT_EQ(a(1, 2, 0, 0), 7);
}

TEST(ArrayTest, FillUniqueKeepsTheBitsOfRowsAndColumnsApart) {
  Array2D<int> a(3, 5);
  a.FillUnique(100);
  EXPECT_THAT(
      a, ElementsAre(100, 101, 102, 103, 104, 108, 109, 110, 111, 112, 116, 117, 118, 119, 120));
  Array3D<int> b(2, 3, 2);
  b.FillUnique();
  EXPECT_THAT(b, ElementsAre(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13));
}

TEST(ArrayTest, TextOfArraysWithoutElements) {
  EXPECT_EQ(Array<int>({}, 3).ToString(), "");
  EXPECT_EQ(Array<int>({0}).ToString(), "[]");
  EXPECT_EQ(Array<int>({2, 0}).ToString(), "[[],\n []]");
  EXPECT_EQ(Array<int>({0, 1}).ToString(), "[[]]");
}

TEST(ArrayTest, ReshapeToItsOwnDimensions) {
  Array<int> a({1, 6});
  a.Reshape(a.dimensions().subspan(1));
  EXPECT_THAT(a.dimensions(), ElementsAre(6));
}

TEST(ArrayTest, Linspace) {
  EXPECT_THAT(*MakeLinspaceArray2D(1.0, 3.5, 3, 2), ElementsAre(1.0, 1.5, 2.0, 2.5, 3.0, 3.5));
}

}  // namespace
}  // namespace xla
