// The small library on top of the operations.
#include <string>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/broadcast.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/lib/sorting.h"
#include "xla/hlo/builder/lib/tuple.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class LibTest : public testing::Test {
 protected:
  XlaOp Input(absl::Span<const int64_t> dimensions, PrimitiveType type = F32) {
    const int64_t number = parameters_++;
    return Parameter(&b_, number, ShapeUtil::MakeShape(type, dimensions),
                     absl::StrCat("p", number));
  }
  std::string ShapeText(XlaOp op) {
    const absl::StatusOr<Shape> shape = b_.GetShape(op);
    return shape.ok() ? shape->ToString() : std::string(shape.status().message());
  }

  XlaBuilder b_{"main"};
  int64_t parameters_ = 0;
};

TEST_F(LibTest, Constants) {
  const XlaOp x = Input({2, 3}, BF16);
  Tuple(&b_, {Zero(&b_, C64), One(&b_, S4), MinValue(&b_, F32), MaxValue(&b_, U8),
              MinFiniteValue(&b_, F32), MaxFiniteValue(&b_, S16), Epsilon(&b_, F64),
              MinPositiveNormalValue(&b_, F32), NanValue(&b_, F16), ScalarLike(x, 2),
              FullLike(x, 1.5), ZerosLike(x), ConstantR0WithType(&b_, F64, 3)});
  EXPECT_THAT(
      TextOf(b_),
      AllOf(HasSubstr("c64[] constant((0, 0))"), HasSubstr("s4[] constant(1)"),
            HasSubstr("f32[] constant(-inf)"), HasSubstr("u8[] constant(255)"),
            HasSubstr("f32[] constant(-3.40282347e+38)"), HasSubstr("s16[] constant(32767)"),
            HasSubstr("f64[] constant(2.2204460492503131e-16)"), HasSubstr("f16[] constant(nan)"),
            HasSubstr("bf16[] constant(2)"), HasSubstr("f64[] constant(3)")));
}

TEST_F(LibTest, ConstantsOfWrongTypes) {
  const std::vector<XlaOp (*)(XlaBuilder*)> bad = {
      [](XlaBuilder* b) { return Zero(b, TUPLE); },
      [](XlaBuilder* b) { return MinValue(b, C64); },
      [](XlaBuilder* b) { return Epsilon(b, S32); },
      [](XlaBuilder* b) { return NanValue(b, S32); },
      [](XlaBuilder* b) { return ConstantR0WithType(b, S32, 1.5f); },
      [](XlaBuilder* b) { return ConstantR0WithType(b, TOKEN, 1); },
      [](XlaBuilder* b) { return ConstantR0WithType(b, F32, complex64(1, 2)); },
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    XlaBuilder b("main");
    bad[i](&b);
    EXPECT_FALSE(b.first_error().ok()) << i;
  }
}

TEST_F(LibTest, Comparators) {
  const XlaComputation lt = CreateScalarLtComputation({F32, S32}, &b_);
  EXPECT_THAT(ModuleOf(lt)->ToString(), AllOf(HasSubstr("direction=LT, type=TOTALORDER"),
                                              HasSubstr("p.1.rhs = s32[] parameter(3)")));
  const XlaComputation two_keys =
      CreateScalarComparisonComputation("two", {F32, S32}, {LtTotalOrder, GtTotalOrder}, &b_);
  EXPECT_THAT(ModuleOf(two_keys)->ToString(), HasSubstr("select("));
  CreateScalarComparisonComputation("none", {F32}, {std::nullopt}, &b_);
  EXPECT_THAT(ErrorOf(b_), HasSubstr("no operand is a key"));
}

TEST_F(LibTest, Loops) {
  const auto result = ForEachIndex(
      5, S32,
      [](XlaOp i, absl::Span<const XlaOp> values,
         XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
        return std::vector<XlaOp>{values[0] + ConvertElementType(i, F32)};
      },
      {ConstantR0<float>(&b_, 1)}, "sum", &b_);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->size(), 1);
  EXPECT_EQ(ShapeText(result->front()), "f32[]");
  EXPECT_THAT(TextOf(b_), AllOf(HasSubstr("while(tuple.1), condition=sum_condition, body=sum_body"),
                                HasSubstr("direction=LT")));
}

TEST_F(LibTest, Slicing) {
  const XlaOp x = Input({2, 4, 6});
  const XlaOp i = ConstantR0<int32_t>(&b_, 1);
  EXPECT_EQ(ShapeText(SliceInMinorDims(x, {1, 2}, {3, 6})), "f32[2,2,4]");
  EXPECT_EQ(ShapeText(DynamicSliceInMinorDims(x, {i}, {3})), "f32[2,4,3]");
  EXPECT_EQ(ShapeText(DynamicUpdateSliceInMinorDims(x, Input({2, 1, 1}), {i, i})), "f32[2,4,6]");
  EXPECT_EQ(ShapeText(UpdateSlice(x, Input({1, 1, 1}), {0, 1, 2})), "f32[2,4,6]");
  EXPECT_EQ(ShapeText(UpdateSliceInMinorDims(x, Input({2, 4, 1}), {2})), "f32[2,4,6]");
  for (bool sparse : {true, false}) {
    EXPECT_EQ(ShapeText(TorchGather(x, Input({2, 3, 6}, S32), 1, sparse)), "f32[2,3,6]");
  }
  EXPECT_EQ(ShapeText(TorchIndexSelect(x, Input({5, 7}, S32), 1)), "f32[2,5,7,6]");
  EXPECT_EQ(ShapeText(TorchIndexSelect(x, Input({2, 5}, S32), 1, 1)), "f32[2,5,6]");
  EXPECT_EQ(ShapeText(TorchScatterDense(x, Input({2, 3, 6}, S32), Input({2, 3, 6}), 1,
                                        [](XlaOp a, XlaOp b) { return a + b; })),
            "f32[2,4,6]");
  EXPECT_FALSE(TextOf(b_).empty());
}

TEST_F(LibTest, Tuples) {
  const XlaOp x = Input({2});
  const XlaOp nested = Tuple(&b_, {x, Tuple(&b_, {x, x})});
  const absl::StatusOr<ShapeTree<XlaOp>> tree = DisassembleTuple(nested);
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(ShapeText(tree->element({1, 0})), "f32[2]");
  EXPECT_EQ(ShapeText(AssembleTuple(&b_, *tree)), "(f32[2], (f32[2], f32[2]))");
}

TEST_F(LibTest, BroadcastTo) {
  const XlaOp x = Input({1, 3});
  EXPECT_EQ(ShapeText(*BroadcastTo(x, {5, 2, 3})), "f32[5,2,3]");
  EXPECT_EQ(ShapeText(*BroadcastTo(x, {2, 6})), "f32[2,6]");
  EXPECT_FALSE(BroadcastTo(x, {2, 4}).ok());
  EXPECT_FALSE(BroadcastTo(x, {3}).ok());
}

TEST_F(LibTest, TopKBySorting) {
  const XlaOp x = Input({4, 10});
  EXPECT_EQ(ShapeText(TopK(x, 3)), "(f32[4,3], s32[4,3])");
  EXPECT_EQ(ShapeText(TopK(x, 3, true)), "(f32[4,3], s32[4,3])");
  EXPECT_EQ(ShapeText(TopKWithPartitions(x, 2, 3, S64)), "(f32[4,2], s64[4,2])");
  EXPECT_THAT(TextOf(b_), AllOf(HasSubstr("sort("), HasSubstr("topk(")));
}

TEST_F(LibTest, TopKOfTooMany) {
  TopK(Input({4}), 5);
  EXPECT_THAT(ErrorOf(b_), HasSubstr("top-k"));
}

TEST_F(LibTest, Matrices) {
  const XlaOp x = Input({2, 3, 5});
  EXPECT_EQ(ShapeText(IdentityMatrix(&b_, F32, 3, 4)), "f32[3,4]");
  EXPECT_EQ(ShapeText(GetDiagonalMask(x, 1)), "pred[2,3,5]");
  EXPECT_EQ(ShapeText(GetMatrixDiagonal(x)), "f32[2,3]");
  EXPECT_EQ(ShapeText(GetMatrixDiagonal(x, 3)), "f32[2,2]");
  EXPECT_EQ(ShapeText(GetMatrixDiagonal(x, -1)), "f32[2,2]");
  EXPECT_EQ(ShapeText(GetMatrixDiagonalViaGather(x, 1)), "f32[2,3]");
  EXPECT_EQ(ShapeText(SetMatrixDiagonal(x, Input({2, 2}), -1)), "f32[2,3,5]");
  EXPECT_EQ(ShapeText(UpperTriangle(x)), "f32[2,3,5]");
  EXPECT_EQ(ShapeText(Symmetrize(Input({4, 4}, C64), true)), "c64[4,4]");
  EXPECT_EQ(ShapeText(TransposeInMinorDims(x)), "f32[2,5,3]");
  EXPECT_EQ(ShapeText(BatchDot(x, Input({2, 5, 4}))), "f32[2,3,4]");
  EXPECT_EQ(ShapeText(BatchDot(x, true, Input({1, 3, 4}), false)), "f32[2,5,4]");
  EXPECT_FALSE(TextOf(b_).empty());
}

TEST_F(LibTest, Einsum) {
  const XlaOp x = Input({2, 3});
  const XlaOp y = Input({3, 4});
  EXPECT_EQ(ShapeText(Einsum(x, y, "ab,bc->ca")), "f32[4,2]");
  EXPECT_EQ(ShapeText(Einsum(x, y, "ab,bc")), "f32[2,4]");
  EXPECT_EQ(ShapeText(Einsum(x, "ab->a")), "f32[2]");
  EXPECT_EQ(ShapeText(Einsum(Input({3, 3}), "aa->a")), "f32[3]");
  EXPECT_FALSE(TextOf(b_).empty());
}

// The text can be read, but there is no such product.
TEST_F(LibTest, EinsumOfLabelsThatNoOperandHas) {
  for (const char* labels : {"ab,bc->ad", "ab,bc->aa"}) {
    EXPECT_TRUE(ParseEinsumString(labels, 2, 2).ok()) << labels;
    XlaBuilder builder("bad");
    const Shape shape = ShapeUtil::MakeShape(F32, {2, 2});
    Einsum(Parameter(&builder, 0, shape, "x"), Parameter(&builder, 1, shape, "y"), labels);
    EXPECT_FALSE(builder.first_error().ok()) << labels;
  }
}

TEST_F(LibTest, EinsumStrings) {
  const auto labels = ParseEinsumString("...ab,bc->...ac", 4, 2);
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_THAT((*labels)[0], ElementsAre(-2, -1, 'a', 'b'));
  EXPECT_THAT((*labels)[2], ElementsAre(-2, -1, 'a', 'c'));
  for (const char* bad :
       {"ab,bc", "ab->ba", "a1,bc->ac", "abc,bc->a", "a,b,c->a"}) {
    EXPECT_FALSE(ParseEinsumString(bad, 2, 2).ok()) << bad;
  }
  EXPECT_EQ(NormalizeEinsumString("a,b->ab"), "");
  EXPECT_EQ(NormalizeEinsumString("ba"), "ba->ab");
  EXPECT_EQ(NormalizeEinsumString("ab,dc"), "ab,dc->abcd");
  EXPECT_EQ(NormalizeEinsumString("...ba,ca..."), "...ba,ca...->...bc");
}

TEST(PaddingTest, SameAndValid) {
  EXPECT_THAT(MakePadding({4, 5, 0}, {3, 2, 3}, {2, 1, 1}, Padding::kSame),
              ElementsAre(testing::Pair(0, 1), testing::Pair(0, 1), testing::Pair(1, 1)));
  EXPECT_THAT(MakePadding({4}, {3}, {2}, Padding::kValid), ElementsAre(testing::Pair(0, 0)));
  EXPECT_FALSE(ValidatePaddingValues({4}, {3, 3}, {1}).ok());
  EXPECT_FALSE(ValidatePaddingValues({4}, {0}, {1}).ok());
}

}  // namespace
}  // namespace xla
