// Pooling, against sums by hand.
#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/pooling.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const TensorFormat& Line() {
  static const TensorFormat* format = new TensorFormat(0, 1, {2});
  return *format;
}

XlaOp OneToFive(XlaBuilder& b) {
  return Reshape(ConstantR1<float>(&b, {1, 2, 3, 4, 5}), {1, 1, 5});
}

TEST(PoolingTest, Format) {
  const TensorFormat format(0, 3, {1, 2});
  EXPECT_EQ(format.batch_dimension(), 0);
  EXPECT_EQ(format.feature_dimension(), 3);
  EXPECT_EQ(format.num_spatial_dims(), 2);
  EXPECT_EQ(format.spatial_dimension(1), 2);
}

TEST(PoolingTest, MaxPool) {
  XlaBuilder b("main");
  const XlaOp same = MaxPool(OneToFive(b), {1, 1, 3}, {1, 1, 2}, Padding::kSame, Line());
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, same)), ElementsAre(2, 4, 5));
  const XlaOp valid = MaxPool(Neg(OneToFive(b)), {1, 1, 2}, {1, 1, 2}, Padding::kValid, Line());
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, valid)), ElementsAre(-1, -3));
}

TEST(PoolingTest, MaxPoolOfPlanesWithFeaturesLast) {
  XlaBuilder b("main");
  const XlaOp x = Iota(&b, ShapeUtil::MakeShape(S32, {1, 3, 3, 1}), 1) * ConstantR0<int>(&b, 3) +
                  Iota(&b, ShapeUtil::MakeShape(S32, {1, 3, 3, 1}), 2);
  const XlaOp pooled =
      MaxPool(x, {1, 2, 2, 1}, {1, 1, 1, 1}, Padding::kValid, TensorFormat(0, 3, {1, 2}));
  EXPECT_THAT(ValuesOf<int>(Evaluate(b, pooled)), ElementsAre(4, 5, 7, 8));
}

TEST(PoolingTest, AvgPool) {
  XlaBuilder b("main");
  const XlaOp all = AvgPool(OneToFive(b), {1, 1, 3}, {1, 1, 2}, {{1, 1}}, Line(), true);
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, all)), ElementsAre(1, 3, 3));
  const XlaOp inside = AvgPool(OneToFive(b), {1, 1, 3}, {1, 1, 2}, {{1, 1}}, Line(), false);
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, inside)), ElementsAre(1.5, 3, 4.5));
}

TEST(PoolingTest, MakeSpatialPadding) {
  EXPECT_THAT(MakeSpatialPadding({1, 1, 5}, {1, 1, 4}, {1, 1, 2}, Padding::kSame, Line()),
              ElementsAre(Pair(1, 2)));
  EXPECT_THAT(MakeSpatialPadding({1, 1, 5}, {1, 1, 4}, {1, 1, 2}, Padding::kValid, Line()),
              ElementsAre(Pair(0, 0)));
  EXPECT_THAT(MakeSpatialPadding({1, 5}, {1, 1, 4}, {1, 1, 2}, Padding::kSame, Line()), IsEmpty());
}

// The gradient is linear: its matrix is the transpose of that of AvgPool.
TEST(PoolingTest, AvgPoolGradIsTheTranspose) {
  struct Case {
    int64_t size, kernel, stride, low, high;
  };
  for (const Case& c : {Case{5, 3, 2, 1, 1}, Case{6, 2, 3, 0, 0}, Case{7, 3, 2, 0, 2},
                        Case{4, 2, 1, 1, 0}, Case{5, 2, 2, 0, 0}, Case{3, 2, 1, 3, 3}}) {
    for (bool counts_include_padding : {true, false}) {
      if (!counts_include_padding && c.low >= c.kernel) continue;  // windows of no elements
      const int64_t outputs = (c.size + c.low + c.high - c.kernel) / c.stride + 1;
      const auto identity = [](XlaBuilder& b, int64_t n) {
        const Shape square = ShapeUtil::MakeShape(S32, {n, 1, n});
        return ConvertElementType(Eq(Iota(&b, square, 0), Iota(&b, square, 2)), F32);
      };
      XlaBuilder b("main");
      const XlaOp forward = AvgPool(identity(b, c.size), {1, 1, c.kernel}, {1, 1, c.stride},
                                    {{c.low, c.high}}, Line(), counts_include_padding);
      const std::vector<float> matrix = ValuesOf<float>(Evaluate(b, Transpose(forward, {2, 1, 0})));
      const XlaOp gradient =
          AvgPoolGrad(identity(b, outputs), {outputs, 1, c.size}, {1, 1, c.kernel},
                      {1, 1, c.stride}, {{c.low, c.high}}, Line(), counts_include_padding);
      EXPECT_THAT(ValuesOf<float>(Evaluate(b, gradient)), ElementsAreArray(matrix))
          << c.size << " " << c.kernel << " " << c.stride << " " << counts_include_padding;
    }
  }
}

TEST(PoolingTest, Errors) {
  {
    XlaBuilder b("main");
    MaxPool(OneToFive(b), {1, 3}, {1, 1, 1}, Padding::kSame, Line());
    EXPECT_THAT(ErrorOf(b), HasSubstr("max-pool: kernel size {1,3} must be 3 positive numbers"));
  }
  {
    XlaBuilder b("main");
    MaxPool(OneToFive(b), {1, 1, 3}, {1, 1, 0}, Padding::kSame, Line());
    EXPECT_THAT(ErrorOf(b), HasSubstr("max-pool: stride {1,1,0} must be 3 positive numbers"));
  }
  {
    XlaBuilder b("main");
    MaxPool(OneToFive(b), {1, 1, 3}, {1, 1, 1}, Padding::kSame, TensorFormat(0, 1, {3}));
    EXPECT_THAT(ErrorOf(b),
                HasSubstr("dimensions {0,1,3} are not the 3 dimensions of the operand"));
  }
  {
    XlaBuilder b("main");
    AvgPool(OneToFive(b), {1, 1, 3}, {1, 1, 1}, {}, Line(), true);
    EXPECT_THAT(ErrorOf(b), HasSubstr("avg-pool: 0 paddings for 1 spatial dimensions"));
  }
  {
    XlaBuilder b("main");
    AvgPool(OneToFive(b), {1, 1, 3}, {1, 1, 1}, {{-1, 0}}, Line(), true);
    EXPECT_THAT(ErrorOf(b), HasSubstr("avg-pool: padding (-1, 0) must be at least 0"));
  }
  {
    XlaBuilder b("main");
    AvgPoolGrad(OneToFive(b), {1, 1, 5}, {1, 1, 3}, {1, 1, 1}, {{0, 0}}, Line(), true);
    EXPECT_THAT(ErrorOf(b),
                HasSubstr("dimension 2 of the gradient of the result has size 5, not 3"));
  }
}

}  // namespace
}  // namespace xla
