// Approximate top-k: sizes as XLA gives them, values against sorting.
#include <algorithm>
#include <numeric>
#include <random>

#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/approx_topk.h"
#include "xla/hlo/builder/lib/approx_topk_shape.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Expected numbers are those of XLA's function, by way of jaxlib.
TEST(ApproxTopKTest, Sizes) {
  struct Case {
    int64_t size, rank, k;
    float recall;
    int64_t whole, expected_size, expected_log2;
  };
  for (const Case& c :
       {Case{200, 2, 3, 0.9f, -1, 200, 0}, Case{200, 1, 3, 0.9f, -1, 200, 0},
        Case{1000000, 2, 10, 0.95f, -1, 256, 12}, Case{1000000, 1, 10, 0.95f, -1, 2048, 9},
        Case{1000000, 2, 1, 0.95f, -1, 128, 13}, Case{1024, 2, 1, 1, -1, 128, 3},
        Case{256, 2, 4, 0.949218f, -1, 128, 1}, Case{100000, 2, 100, 0.5f, 200000, 128, 10},
        Case{100000, 2, 5, 1, -1, 100000, 0}, Case{129, 2, 1, 0.9f, -1, 128, 1},
        Case{1344, 1, 2, 0.5f, 329060, 2048, 0}, Case{367, 2, 92, 0.95f, 940222, 256, 1},
        Case{2191, 3, 86, 0.202726041593437f, 936305, 128, 5},
        Case{5000, 1, 2, 1e-40f, -1, 2048, 2}, Case{0, 1, 1, 0.9f, -1, 0, 0}}) {
    const auto result =
        ApproxTopKReductionOutputSize(c.size, c.rank, c.k, c.recall, false, c.whole);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(*result, testing::Pair(c.expected_size, c.expected_log2))
        << c.size << " " << c.rank << " " << c.k;
  }
  EXPECT_THAT(ApproxTopKReductionOutputSize(1000, 1, 7, 0.9f, true).value(), testing::Pair(7, -1));
}

TEST(ApproxTopKTest, SizeErrors) {
  const auto message = [](float recall, int64_t whole) {
    return std::string(
        ApproxTopKReductionOutputSize(5000, 1, 20, recall, false, whole).status().message());
  };
  EXPECT_THAT(message(0, -1), HasSubstr("recall_target 0.000000 must be in (0, 1]"));
  EXPECT_THAT(message(1.5, -1), HasSubstr("recall_target 1.500000 must be in (0, 1]"));
  EXPECT_THAT(message(NAN, -1), HasSubstr("must be in (0, 1]"));
  EXPECT_THAT(message(0.5, 50), HasSubstr("reduction_input_size_override 50 must be at least"));
}

struct Operands {
  explicit Operands(XlaBuilder& b, int64_t rows, int64_t columns) : keys(rows * columns) {
    std::iota(keys.begin(), keys.end(), 0.0f);
    std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
    const Shape shape = ShapeUtil::MakeShape(S32, {rows, columns});
    arrays = {Reshape(ConstantR1<float>(&b, keys), {rows, columns}), Iota(&b, shape, 1)};
    initial = {MinValue(&b, F32), ConstantR0<int32_t>(&b, -1)};
  }

  std::vector<float> keys;
  std::vector<XlaOp> arrays, initial;
};

// How many of the best k of each row are in the result, and that keys belong to their places.
double Recall(const Operands& operands, int64_t rows, int64_t k, const Literal& result) {
  const int64_t columns = static_cast<int64_t>(operands.keys.size()) / rows;
  const std::vector<float> keys = ValuesOf<float>(LiteralSlice(result, {0}).Clone());
  const std::vector<int32_t> places = ValuesOf<int32_t>(LiteralSlice(result, {1}).Clone());
  const int64_t found = static_cast<int64_t>(keys.size()) / rows;
  int64_t hits = 0;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<float> all(operands.keys.begin() + row * columns,
                           operands.keys.begin() + (row + 1) * columns);
    for (int64_t i = row * found; i < (row + 1) * found; ++i) {
      EXPECT_EQ(keys[i], all[places[i]]);
    }
    std::sort(all.begin(), all.end(), std::greater<>());
    for (int64_t i = row * found; i < (row + 1) * found; ++i) hits += keys[i] >= all[k - 1];
  }
  return static_cast<double>(hits) / static_cast<double>(k * rows);
}

TEST(ApproxTopKTest, FindsMostOfTheBest) {
  XlaBuilder b("main");
  const Operands operands(b, 3, 5000);
  const XlaComputation greater = CreateScalarGtComputation({F32, S32}, &b);
  const XlaOp top = ApproxTopK(&b, operands.arrays, operands.initial, 20, 1, greater, 0.8f);
  const Literal result = Evaluate(b, top);
  EXPECT_THAT(LiteralSlice(result, {0}).shape().dimensions(), ElementsAre(3, 20));
  const double recall = Recall(operands, 3, 20, result);
  EXPECT_GE(recall, 0.7);
  EXPECT_LE(recall, 1);
}

TEST(ApproxTopKTest, WithoutAggregation) {
  XlaBuilder b("main");
  const Operands operands(b, 2, 1000);
  const XlaComputation greater = CreateScalarGtComputation({F32, S32}, &b);
  const XlaOp top = ApproxTopK(&b, operands.arrays, operands.initial, 4, 1, greater, 0.9f, false);
  const Literal result = Evaluate(b, top);
  EXPECT_THAT(LiteralSlice(result, {0}).shape().dimensions(), ElementsAre(2, 256));
  EXPECT_GE(Recall(operands, 2, 4, result), 0.75);
}

TEST(ApproxTopKTest, FewElementsAreSorted) {
  XlaBuilder b("main");
  const XlaComputation greater = CreateScalarGtComputation({S32}, &b);
  const XlaOp x = ConstantR2<int>(&b, {{5, 1}, {9, 7}, {2, 8}});
  const XlaOp top = ApproxTopK(&b, {x}, {MinValue(&b, S32)}, 2, 0, greater);
  const Literal result = Evaluate(b, top);
  EXPECT_THAT(ValuesOf<int>(LiteralSlice(result, {0}).Clone()), ElementsAre(9, 8, 5, 7));
}

TEST(ApproxTopKTest, FallbackIsExact) {
  XlaBuilder b("main");
  const Operands operands(b, 3, 2000);
  const XlaComputation greater = CreateScalarGtComputation({F32, S32}, &b);
  const Literal result =
      Evaluate(b, ApproxTopKFallback(&b, operands.arrays, operands.initial, 20, 1, greater, 0.5f));
  EXPECT_EQ(Recall(operands, 3, 20, result), 1);
  const Operands again(b, 3, 2000);
  const XlaComputation comparator = CreateScalarGtComputation({F32, S32}, &b);
  const Literal wide = Evaluate(
      b, ApproxTopKFallback(&b, again.arrays, again.initial, 20, 1, comparator, 0.5f, false));
  const int64_t size = ApproxTopKReductionOutputSize(2000, 2, 20, 0.5f, false)->first;
  EXPECT_THAT(LiteralSlice(wide, {0}).shape().dimensions(), ElementsAre(3, size));
  EXPECT_EQ(Recall(again, 3, size, wide), 1);
}

TEST(ApproxTopKTest, Text) {
  XlaBuilder b("main");
  const XlaComputation greater = CreateScalarGtComputation({BF16, S32}, &b);
  const XlaOp keys = Parameter(&b, 0, ShapeUtil::MakeShape(BF16, {16, 256}), "keys");
  const XlaOp places = Parameter(&b, 1, ShapeUtil::MakeShape(S32, {16, 256}), "places");
  ApproxTopK(&b, {keys, places}, {MinValue(&b, BF16), Zero(&b, S32)}, 4, 1, greater, 0.949218f,
             false);
  const std::string text = TextOf(b);
  EXPECT_THAT(text, HasSubstr("(bf16[16,128], s32[16,128]) custom-call("));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"PartialReduce\""));
  EXPECT_THAT(
      text, HasSubstr(R"({"log2_reduction": 1, "reduction_dim": 1, "to_apply_type": "comparator", )"
                      R"("top_k": 4, "recall_target": 0.949218})"));
}

TEST(ApproxTopKTest, Errors) {
  const auto error = [](int64_t columns, PrimitiveType initial, int64_t dimension, int64_t k) {
    XlaBuilder b("main");
    const XlaComputation greater = CreateScalarGtComputation({F32, S32}, &b);
    const XlaOp x = Zeros(&b, ShapeUtil::MakeShape(F32, {2, 10}));
    const XlaOp y = Zeros(&b, ShapeUtil::MakeShape(S32, {2, columns}));
    ApproxTopK(&b, {x, y}, {MinValue(&b, initial), Zero(&b, S32)}, k, dimension, greater);
    return ErrorOf(b);
  };
  EXPECT_THAT(error(11, F32, 1, 2), HasSubstr("f32[2,10] and s32[2,11] have different dimensions"));
  EXPECT_THAT(error(10, F16, 1, 2), HasSubstr("initial value f16[] is no element of operand"));
  EXPECT_THAT(error(10, F32, 2, 2), HasSubstr("reduction_dim 2 must be in [0, 2)"));
  EXPECT_THAT(error(10, F32, 1, 11), HasSubstr("slice"));
  XlaBuilder b("main");
  const XlaComputation greater = CreateScalarGtComputation({F32}, &b);
  ApproxTopK(&b, {Zeros(&b, ShapeUtil::MakeShape(F32, {5}))}, {}, 1, 0, greater);
  EXPECT_THAT(ErrorOf(b), HasSubstr("1 operands and 0 initial values"));
}

}  // namespace
}  // namespace xla
