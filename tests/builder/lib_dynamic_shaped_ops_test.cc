// Operations with dynamic results.
#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/dynamic_shaped_ops.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A function of an S32 vector of `size` that repeats it so many times.
XlaComputation Repeat(int64_t size, int64_t times) {
  XlaBuilder b("repeat");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(S32, {size}), "x");
  ConcatInDim(&b, std::vector<XlaOp>(times, x), 0);
  return b.Build().value();
}

// What the operation computes from its dynamic result: the size, and the sum over what is there.
std::vector<int> SizeAndContent(XlaBuilder& b, XlaOp dynamic) {
  const Literal result =
      Evaluate(b, Tuple(&b, {GetDimensionSize(dynamic, 0), RemoveDynamicDimension(dynamic, 0)}));
  std::vector<int> values = ValuesOf<int>(LiteralSlice(result, {0}).Clone());
  const std::vector<int> content = ValuesOf<int>(LiteralSlice(result, {1}).Clone());
  values.insert(values.end(), content.begin(), content.begin() + values[0]);
  return values;
}

TEST(DynamicShapedOpsTest, ConditionalOnPredicate) {
  const XlaComputation once = Repeat(2, 1), thrice = Repeat(2, 3);
  for (bool predicate : {true, false}) {
    XlaBuilder b("main");
    const XlaOp x = ConstantR1<int>(&b, {4, 5});
    const XlaOp result =
        DynamicConditional(&b, ConstantR0<bool>(&b, predicate), x, once, x, thrice);
    EXPECT_EQ(b.GetShape(result)->ToString(), "s32[<=6]");
    if (predicate) {
      EXPECT_THAT(SizeAndContent(b, result), ElementsAre(2, 4, 5));
    } else {
      EXPECT_THAT(SizeAndContent(b, result), ElementsAre(6, 4, 5, 4, 5, 4, 5));
    }
  }
}

TEST(DynamicShapedOpsTest, ConditionalOnIndex) {
  const XlaComputation once = Repeat(1, 1), twice = Repeat(1, 2), thrice = Repeat(1, 3);
  for (int index = 0; index < 3; ++index) {
    XlaBuilder b("main");
    const XlaOp x = ConstantR1<int>(&b, {9});
    const XlaOp result =
        DynamicConditional(&b, ConstantR0<int>(&b, index), {&once, &twice, &thrice}, {x, x, x});
    EXPECT_EQ(SizeAndContent(b, result)[0], index + 1);
  }
}

TEST(DynamicShapedOpsTest, EqualShapesStayStatic) {
  const XlaComputation once = Repeat(2, 1);
  XlaBuilder b("main");
  const XlaOp x = ConstantR1<int>(&b, {4, 5});
  const XlaOp result = DynamicConditional(&b, ConstantR0<bool>(&b, true), x, once, x, once);
  EXPECT_THAT(ValuesOf<int>(Evaluate(b, result)), ElementsAre(4, 5));
}

TEST(DynamicShapedOpsTest, TuplesOfResults) {
  const auto pair = [](int64_t size) {
    XlaBuilder b("pair");
    const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(S32, {}), "x");
    Tuple(&b, {x, Broadcast(x, {size})});
    return b.Build().value();
  };
  const XlaComputation one = pair(1), four = pair(4);
  XlaBuilder b("main");
  const XlaOp x = ConstantR0<int>(&b, 3);
  const XlaOp result = DynamicConditional(&b, ConstantR0<bool>(&b, true), x, one, x, four);
  EXPECT_EQ(b.GetShape(result)->ToString(), "(s32[], s32[<=4])");
  EXPECT_THAT(SizeAndContent(b, GetTupleElement(result, 1)), ElementsAre(1, 3));
}

TEST(DynamicShapedOpsTest, ConditionalErrors) {
  const XlaComputation numbers = Repeat(1, 1);
  XlaBuilder other("other");
  Parameter(&other, 0, ShapeUtil::MakeShape(F32, {1}), "x");
  const XlaComputation floats = other.Build().value();
  {
    XlaBuilder b("main");
    DynamicConditional(&b, ConstantR0<bool>(&b, true), ConstantR1<int>(&b, {1}), numbers,
                       ConstantR1<float>(&b, {1}), floats);
    EXPECT_THAT(ErrorOf(b), HasSubstr("results s32[1] and f32[1] do not have the same structure"));
  }
  {
    XlaBuilder b("main");
    DynamicConditional(&b, ConstantR0<int>(&b, 0), {&numbers}, {});
    EXPECT_THAT(ErrorOf(b), HasSubstr("dynamic conditional: 1 branches and 0 operands"));
  }
}

TEST(DynamicShapedOpsTest, Rebound) {
  XlaBuilder b("main");
  ValueInference inference(&b);
  const XlaOp size =
      GetDimensionSize(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {3}, {true}), "p"), 0);
  const XlaOp operand = Zeros(&b, ShapeUtil::MakeShape(F32, {10, 2}));
  const auto rebound = [&](XlaOp by) {
    const auto result = SetDimensionSizeWithRebound(&inference, operand, by, 0);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? b.GetShape(*result)->ToString() : "";
  };
  EXPECT_EQ(rebound(size), "f32[<=3,2]");
  EXPECT_EQ(rebound(size * ConstantR0<int>(&b, 2)), "f32[<=6,2]");
  EXPECT_EQ(rebound(size * ConstantR0<int>(&b, 9)), "f32[<=10,2]");
  EXPECT_EQ(rebound(ConstantR0<int>(&b, 4)), "f32[4,2]");
  EXPECT_EQ(rebound(Parameter(&b, 1, ShapeUtil::MakeShape(S32, {}), "q")), "f32[<=10,2]");
  const auto message = [&](XlaOp by, int64_t dimension) {
    return std::string(
        SetDimensionSizeWithRebound(&inference, operand, by, dimension).status().message());
  };
  EXPECT_THAT(message(ConstantR0<float>(&b, 1), 0), HasSubstr("the size is f32[]"));
  EXPECT_THAT(message(ConstantR0<int>(&b, 1), 2), HasSubstr("f32[10,2] has no dimension 2"));
  EXPECT_THAT(message(ConstantR0<int>(&b, -1), 0), HasSubstr("-1 is no size"));
}

TEST(DynamicShapedOpsTest, AllSizes) {
  XlaBuilder b("main");
  ValueInference inference(&b);
  const XlaOp operand = Zeros(&b, ShapeUtil::MakeShape(F32, {5, 6}));
  const XlaOp p = Parameter(&b, 0, ShapeUtil::MakeShape(S32, {1}), "p");
  const XlaOp sizes = ConcatInDim(&b, {p, ConstantR1<int>(&b, {6})}, 0);
  const auto result = SetAllDimensionSizes(&inference, operand, sizes);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(b.GetShape(*result)->ToString(), "f32[<=5,6]");
  EXPECT_THAT(std::string(SetAllDimensionSizes(&inference, operand, p).status().message()),
              HasSubstr("s32[1] has no number for each dimension of f32[5,6]"));
}

}  // namespace
}  // namespace xla
