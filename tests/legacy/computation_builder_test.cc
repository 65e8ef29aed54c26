// The 2017 interface. Numbers are those of the examples of its documents where they have some.
#include "xla/legacy/computation_builder.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "tests/legacy/legacy_testing.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Adds operations to a builder; the last one is the result.
using Program = std::function<void(ComputationBuilder&)>;

ComputationDataHandle Value(ComputationBuilder& b, const std::string& text) {
  return b.ConstantLiteral(ParsedLiteral(text));
}

Literal ResultOf(const Program& program) {
  ComputationBuilder b(ClientLibrary::LocalClientOrDie(), "main");
  program(b);
  auto computation = b.Build();
  EXPECT_TRUE(computation.ok()) << computation.status();
  return computation.ok() ? ResultOf(computation.ValueOrDie()) : Literal();
}

void ExpectResult(const Program& program, const std::string& expected) {
  ExpectLiteral(ResultOf(program), expected);
}

// The message of the error that Build gives.
std::string Refusal(const Program& program) {
  ComputationBuilder b(nullptr, "main");
  program(b);
  const absl::Status status = b.Build().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

// A computation of two scalars.
Computation Binary(PrimitiveType type,
                   ComputationDataHandle (XlaBuilderMethods::*operation)(
                       ComputationDataHandle, ComputationDataHandle, absl::Span<const int64_t>)) {
  ComputationBuilder b(nullptr, "binary");
  auto x = b.Parameter(0, ShapeUtil::MakeShape(type, {}), "x");
  auto y = b.Parameter(1, ShapeUtil::MakeShape(type, {}), "y");
  (b.*operation)(x, y, {});
  return b.Build().ConsumeValueOrDie();
}

constexpr char kMatrix[] = "s32[2,3] {{1, 2, 3}, {4, 5, 6}}";
constexpr char kBlock[] =
    "f32[4,2,3] {{{10, 11, 12}, {15, 16, 17}}, {{20, 21, 22}, {25, 26, 27}},"
    " {{30, 31, 32}, {35, 36, 37}}, {{40, 41, 42}, {45, 46, 47}}}";
constexpr char kRows[] = "f32[4,3] {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}";

// Operations whose arguments were others than today.

TEST(ComputationBuilder, EX_clamp_2) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Clamp(Value(b, "s32[3] {-1, 5, 9}"), b.ConstantR0<int32_t>(0), b.ConstantR0<int32_t>(6));
      },
      "s32[3] {0, 5, 6}");
}

TEST(ComputationBuilder, DX_map_3) {
  const Computation product = Binary(S32, &XlaBuilderMethods::Mul);
  const auto scaled = [&](ComputationBuilder& b) {
    b.Map({Value(b, "s32[3] {1, 2, 3}")}, product, {b.ConstantR0<int32_t>(10)});
  };
  ExpectResult(scaled, "s32[3] {10, 20, 30}");
}

TEST(ComputationBuilder, MapWithAndWithoutDimensions) {
  const Computation sum = Binary(S32, &XlaBuilderMethods::Add);
  const Program programs[] = {
      [&](ComputationBuilder& b) {
        b.Map({Value(b, kMatrix), Value(b, kMatrix)}, sum);
      },
      [&](ComputationBuilder& b) {
        b.Map({Value(b, kMatrix), Value(b, kMatrix)}, sum, {});
      },
      [&](ComputationBuilder& b) {
        b.Map({Value(b, kMatrix), Value(b, kMatrix)}, sum, {0, 1});
      },
      [&](ComputationBuilder& b) {
        b.Map({Value(b, kMatrix), Value(b, kMatrix)}, sum, {0, 1}, {});
      },
  };
  for (const Program& program : programs) {
    ExpectResult(program, "s32[2,3] {{2, 4, 6}, {8, 10, 12}}");
  }
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.Map({Value(b, kMatrix)}, sum, {0, 1}, {b.ConstantR0<int32_t>(10)});
      },
      "s32[2,3] {{11, 12, 13}, {14, 15, 16}}");
}

TEST(ComputationBuilder, MapRefusesOtherDimensionsAndStaticArrays) {
  const Computation sum = Binary(S32, &XlaBuilderMethods::Add);
  EXPECT_THAT(Refusal([&](ComputationBuilder& b) {
                b.Map({Value(b, kMatrix), Value(b, kMatrix)}, sum, {1, 0});
              }),
              HasSubstr("map_c2"));
  EXPECT_THAT(Refusal([&](ComputationBuilder& b) {
                b.Map({Value(b, kMatrix)}, sum, {Value(b, "s32[3] {1, 2, 3}")});
              }),
              AllOf(HasSubstr("map"), HasSubstr("static operand 0"), HasSubstr("s32[3]")));
}

TEST(ComputationBuilder, DX_sort_4) {
  ExpectResult([](ComputationBuilder& b) { b.Sort(Value(b, "s32[3] {3, 1, 2}")); },
               "s32[3] {1, 2, 3}");
}

TEST(ComputationBuilder, SortAlongTheLastDimension) {
  ExpectResult(
      [](ComputationBuilder& b) { b.Sort(Value(b, "f32[2,3] {{3, 0, -0.0}, {nan, inf, -inf}}")); },
      "f32[2,3] {{-0.0, 0, 3}, {-inf, inf, nan}}");
  EXPECT_THAT(Refusal([](ComputationBuilder& b) { b.Sort(b.ConstantR0<float>(1)); }),
              AllOf(HasSubstr("sort"), HasSubstr("f32[]")));
}

TEST(ComputationBuilder, DX_rngbernoulli_1) {
  const auto draws = [](float mean) {
    return ResultOf([mean](ComputationBuilder& b) {
      b.RngBernoulli(b.ConstantR0<float>(mean), ShapeUtil::MakeShape(U32, {100000}));
    });
  };
  const auto sum = [&](float mean) {
    const Literal result = draws(mean);
    const absl::Span<const uint32_t> values = result.data<uint32_t>();
    EXPECT_EQ(values.size(), 100000u);
    for (uint32_t value : values) EXPECT_LE(value, 1u);
    return std::accumulate(values.begin(), values.end(), int64_t{0});
  };
  EXPECT_EQ(sum(0), 0);
  EXPECT_EQ(sum(1), 100000);
  EXPECT_NEAR(static_cast<double>(sum(0.25)), 25000, 2000);
}

TEST(ComputationBuilder, RngBernoulliRefusesOtherTypes) {
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.RngBernoulli(b.ConstantR0<double>(0.5), ShapeUtil::MakeShape(U32, {2}));
              }),
              AllOf(HasSubstr("rng-bernoulli"), HasSubstr("f64[]")));
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.RngBernoulli(Value(b, "f32[2] {0, 1}"), ShapeUtil::MakeShape(U32, {2}));
              }),
              AllOf(HasSubstr("rng-bernoulli"), HasSubstr("f32[2]")));
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.RngBernoulli(b.ConstantR0<float>(0.5), ShapeUtil::MakeShape(S32, {2}));
              }),
              AllOf(HasSubstr("rng-bernoulli"), HasSubstr("s32[2]")));
}

TEST(ComputationBuilder, StartIndicesInOneArray) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.DynamicSlice(Value(b, kRows), Value(b, "s32[2] {2, 1}"), {2, 2});
      },
      "f32[2,2] {{7, 8}, {10, 11}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.DynamicUpdateSlice(Value(b, kRows), Value(b, "f32[3,2] {{12, 13}, {14, 15}, {16, 17}}"),
                             Value(b, "s32[2] {1, 1}"));
      },
      "f32[4,3] {{0, 1, 2}, {3, 12, 13}, {6, 14, 15}, {9, 16, 17}}");
  // Out of range they are moved inside.
  ExpectResult(
      [](ComputationBuilder& b) {
        b.DynamicSlice(Value(b, kRows), Value(b, "s32[2] {9, -4}"), {2, 2});
      },
      "f32[2,2] {{6, 7}, {9, 10}}");
}

TEST(ComputationBuilder, StartIndicesInAList) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.DynamicSlice(Value(b, kRows), {Value(b, "s32[] 2"), Value(b, "s32[] 1")}, {2, 2});
      },
      "f32[2,2] {{7, 8}, {10, 11}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.DynamicSlice(Value(b, "f32[5] {0, 1, 2, 3, 4}"), {Value(b, "s32[] 2")}, {2});
      },
      "f32[2] {2, 3}");
}

TEST(ComputationBuilder, AsManyStartIndicesAsDimensions) {
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.DynamicSlice(Value(b, kRows), Value(b, "s32[3] {0, 0, 0}"), {1, 1});
              }),
              AllOf(HasSubstr("dynamic-slice"), HasSubstr("s32[3]"), HasSubstr("f32[4,3]")));
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.DynamicUpdateSlice(Value(b, kRows), Value(b, "f32[1,1] {{0}}"),
                                     Value(b, "s32[] 0"));
              }),
              AllOf(HasSubstr("dynamic-update-slice"), HasSubstr("s32[]")));
}

TEST(ComputationBuilder, ReduceWindowInBothOrders) {
  const Computation sum = Binary(F32, &XlaBuilderMethods::Add);
  const auto input = [](ComputationBuilder& b) { return Value(b, "f32[4] {1, 2, 3, 4}"); };
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.ReduceWindow(input(b), b.ConstantR0<float>(0), sum, {2}, {1}, Padding::kValid);
      },
      "f32[3] {3, 5, 7}");
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.ReduceWindow(input(b), sum, b.ConstantR0<float>(0), {2}, {2}, Padding::kValid);
      },
      "f32[2] {3, 7}");
}

TEST(ComputationBuilder, ReshapeWithAnOrderOfDimensions) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Reshape(Value(b, kBlock), {0, 1, 2}, {8, 3});
      },
      "f32[8,3] {{10, 11, 12}, {15, 16, 17}, {20, 21, 22}, {25, 26, 27},"
      " {30, 31, 32}, {35, 36, 37}, {40, 41, 42}, {45, 46, 47}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Reshape(Value(b, kBlock), {1, 2, 0}, {2, 6, 2});
      },
      "f32[2,6,2] {{{10, 20}, {30, 40}, {11, 21}, {31, 41}, {12, 22}, {32, 42}},"
      " {{15, 25}, {35, 45}, {16, 26}, {36, 46}, {17, 27}, {37, 47}}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Reshape(Value(b, "f32[1,1] {{5}}"), {0, 1}, {});
      },
      "f32[] 5");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Reshape(Value(b, "f32[] 5"), {}, {1, 1});
      },
      "f32[1,1] {{5}}");
  ExpectResult([](ComputationBuilder& b) { b.Reshape(Value(b, kMatrix), {6}); },
               "s32[6] {1, 2, 3, 4, 5, 6}");
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.Reshape(Value(b, kMatrix), {0, 0}, {6});
              }),
              HasSubstr("transpose_c"));
}

TEST(ComputationBuilder, SliceWithoutStrides) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Slice(Value(b, kRows), {2, 1}, {4, 3});
      },
      "f32[2,2] {{7, 8}, {10, 11}}");
  ExpectResult([](ComputationBuilder& b) { b.Slice(Value(b, "f32[5] {0, 1, 2, 3, 4}"), {2}, {2}); },
               "f32[0] {}");
  ExpectResult(
      [](ComputationBuilder& b) { b.Slice(Value(b, "f32[5] {0, 1, 2, 3, 4}"), {0}, {5}, {2}); },
      "f32[3] {0, 2, 4}");
}

TEST(ComputationBuilder, Convolutions) {
  constexpr char kInput[] = "f32[1,1,3] {{{1, 2, 3}}}";
  constexpr char kKernel[] = "f32[1,1,2] {{{1, 10}}}";
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.Conv(Value(b, kInput), Value(b, kKernel), {1}, Padding::kValid);
      },
      "f32[1,1,2] {{{21, 32}}}");
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.ConvWithGeneralPadding(Value(b, kInput), Value(b, kKernel), {1}, {{1, 1}}, {2}, {1});
      },
      "f32[1,1,6] {{{10, 1, 20, 2, 30, 3}}}");
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.ConvWithGeneralPadding(Value(b, kInput), Value(b, kKernel), {1}, {{0, 0}}, {}, {2});
      },
      "f32[1,1,1] {{{31}}}");
}

TEST(ComputationBuilder, DotOfVectorsAndMatrices) {
  constexpr char kLeft[] = "f32[2,3] {{1, 2, 3}, {4, 5, 6}}";
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Dot(Value(b, "f32[3] {1, 2, 3}"), Value(b, "f32[3] {4, 5, 6}"));
      },
      "f32[] 32");
  ExpectResult([&](ComputationBuilder& b) { b.Dot(Value(b, kLeft), Value(b, "f32[3] {1, 1, 1}")); },
               "f32[2] {6, 15}");
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.Dot(Value(b, kLeft), Value(b, "f32[3,2] {{1, 2}, {3, 4}, {5, 6}}"));
      },
      "f32[2,2] {{22, 28}, {49, 64}}");
  EXPECT_THAT(
      Refusal([](ComputationBuilder& b) { b.Dot(Value(b, kBlock), Value(b, "f32[3] {1, 1, 1}")); }),
      AllOf(HasSubstr("dot"), HasSubstr("f32[4,2,3]")));
}

// Operations that are as they were.

TEST(ComputationBuilder, ElementwiseOperations) {
  ExpectResult(
      [](ComputationBuilder& b) {
        auto x = Value(b, "s32[3] {-7, 7, 6}");
        auto y = Value(b, "s32[3] {2, -3, 6}");
        b.Tuple({b.Add(x, y), b.Sub(x, y), b.Mul(x, y), b.Div(x, y), b.Rem(x, y), b.Max(x, y),
                 b.Min(x, y)});
      },
      "(s32[3] {-5, 4, 12}, s32[3] {-9, 10, 0}, s32[3] {-14, -21, 36}, s32[3] {-3, -2, 1},"
      " s32[3] {-1, 1, 0}, s32[3] {2, 7, 6}, s32[3] {-7, -3, 6})");
  ExpectResult(
      [](ComputationBuilder& b) {
        auto x = Value(b, "f32[3] {1, 2, nan}");
        auto y = Value(b, "f32[3] {1, 3, nan}");
        auto p = b.Eq(x, y);
        auto q = b.Lt(x, y);
        b.Tuple({p, b.Ne(x, y), b.Ge(x, y), b.Gt(x, y), b.Le(x, y), q, b.LogicalAnd(p, q),
                 b.LogicalOr(p, q), b.LogicalNot(p)});
      },
      "(pred[3] {1, 0, 0}, pred[3] {0, 1, 1}, pred[3] {1, 0, 0}, pred[3] {0, 0, 0},"
      " pred[3] {1, 1, 0}, pred[3] {0, 1, 0}, pred[3] {0, 0, 0}, pred[3] {1, 1, 0},"
      " pred[3] {0, 1, 1})");
  ExpectResult(
      [](ComputationBuilder& b) {
        auto x = Value(b, "f32[3] {-1.5, 0, inf}");
        b.Tuple({b.Abs(x), b.Ceil(x), b.Floor(x), b.Neg(x), b.Sign(x), b.Tanh(x), b.IsFinite(x),
                 b.Exp(Value(b, "f32[] 0")), b.Log(Value(b, "f32[] 1")),
                 b.Cos(Value(b, "f32[] 0"))});
      },
      "(f32[3] {1.5, 0, inf}, f32[3] {-1, 0, inf}, f32[3] {-2, 0, inf},"
      " f32[3] {1.5, -0.0, -inf}, f32[3] {-1, 0, 1}, f32[3] {-0.905148268, 0, 1},"
      " pred[3] {1, 1, 0}, f32[] 1, f32[] 0, f32[] 1)");
  ExpectResult(
      [](ComputationBuilder& b) { b.Add(Value(b, kMatrix), Value(b, "s32[3] {10, 20, 30}"), {1}); },
      "s32[2,3] {{11, 22, 33}, {14, 25, 36}}");
}

TEST(ComputationBuilder, ShapesAndData) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Broadcast(Value(b, "f32[] 2"), {2, 3});
      },
      "f32[2,3] {{2, 2, 2}, {2, 2, 2}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Collapse(Value(b, "s32[1,2,2] {{{1, 2}, {3, 4}}}"), {1, 2});
      },
      "s32[1,4] {{1, 2, 3, 4}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.ConcatInDim(
            {Value(b, "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}"), Value(b, "s32[1,2] {{7, 8}}")}, 0);
      },
      "s32[4,2] {{1, 2}, {3, 4}, {5, 6}, {7, 8}}");
  ExpectResult(
      [](ComputationBuilder& b) { b.ConvertElementType(Value(b, "s32[3] {0, 1, 2}"), F32); },
      "f32[3] {0, 1, 2}");
  ExpectResult(
      [](ComputationBuilder& b) {
        PaddingConfig config;
        PaddingConfig::PaddingConfigDimension* dimension = config.add_dimensions();
        dimension->set_edge_padding_low(1);
        dimension->set_edge_padding_high(1);
        dimension->set_interior_padding(1);
        b.Pad(Value(b, "s32[3] {1, 2, 3}"), Value(b, "s32[] 0"), config);
      },
      "s32[7] {0, 1, 0, 2, 0, 3, 0}");
  ExpectResult([](ComputationBuilder& b) { b.Rev(Value(b, kMatrix), {1}); },
               "s32[2,3] {{3, 2, 1}, {6, 5, 4}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Transpose(Value(b, kMatrix), {1, 0});
      },
      "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Select(Value(b, "pred[4] {1, 0, 0, 1}"), Value(b, "s32[4] {1, 2, 3, 4}"),
                 Value(b, "s32[4] {100, 200, 300, 400}"));
      },
      "s32[4] {1, 200, 300, 4}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.GetTupleElement(b.Tuple({Value(b, "f32[2] {0, 1}"), Value(b, "s32[] 5")}), 1);
      },
      "s32[] 5");
  ExpectResult([](ComputationBuilder& b) { b.ReducePrecision(Value(b, "f32[] 65520"), 10, 5); },
               "f32[] 65536");
}

TEST(ComputationBuilder, ReductionsAndControl) {
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Reduce(Value(b, kMatrix), Value(b, "s32[] 0"), Binary(S32, &XlaBuilderMethods::Add), {0});
      },
      "s32[3] {5, 7, 9}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.SelectAndScatter(Value(b, "f32[2,3] {{7, 9, 2}, {3, 8, 5}}"),
                           Binary(F32, &XlaBuilderMethods::Ge), {2, 2}, {1, 1}, Padding::kValid,
                           Value(b, "f32[1,2] {{2, 6}}"), Value(b, "f32[] 0"),
                           Binary(F32, &XlaBuilderMethods::Add));
      },
      "f32[2,3] {{0, 8, 0}, {0, 0, 0}}");
  ExpectResult(
      [](ComputationBuilder& b) {
        b.Call(Binary(S32, &XlaBuilderMethods::Sub), {Value(b, "s32[] 5"), Value(b, "s32[] 3")});
      },
      "s32[] 2");
}

TEST(ComputationBuilder, WhileOverATuple) {
  const Shape count = ShapeUtil::MakeShape(S32, {});
  const Shape vector = ShapeUtil::MakeShape(F32, {2});
  const Shape state = ShapeUtil::MakeTupleShape({count, vector});
  ComputationBuilder condition(nullptr, "condition");
  auto at = condition.Parameter(0, state, "state");
  condition.Lt(condition.GetTupleElement(at, 0), condition.ConstantR0<int32_t>(1000));
  ComputationBuilder body(nullptr, "body");
  auto old = body.Parameter(0, state, "state");
  body.Tuple({body.Add(body.GetTupleElement(old, 0), body.ConstantR0<int32_t>(1)),
              body.Add(body.GetTupleElement(old, 1), body.ConstantR1<float>({0.5, 2}))});
  const Computation more = condition.Build().ConsumeValueOrDie();
  const Computation step = body.Build().ConsumeValueOrDie();
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.While(more, step, b.Tuple({Value(b, "s32[] 0"), Value(b, "f32[2] {0, 0}")}));
      },
      "(s32[] 1000, f32[2] {500, 2000})");
}

TEST(ComputationBuilder, BatchNormalization) {
  constexpr char kInput[] = "f32[2,2] {{1, 10}, {3, 30}}";
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.BatchNormTraining(Value(b, kInput), Value(b, "f32[2] {2, 3}"), Value(b, "f32[2] {5, 7}"),
                            0, 1);
      },
      "(f32[2,2] {{3, 4}, {7, 10}}, f32[2] {2, 20}, f32[2] {1, 100})");
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.BatchNormInference(Value(b, kInput), Value(b, "f32[2] {2, 3}"), Value(b, "f32[2] {5, 7}"),
                             Value(b, "f32[2] {2, 20}"), Value(b, "f32[2] {1, 100}"), 0, 1);
      },
      "f32[2,2] {{3, 4}, {7, 10}}");
  ExpectResult(
      [&](ComputationBuilder& b) {
        b.BatchNormGrad(Value(b, "f32[4,1] {{1}, {3}, {0}, {4}}"), Value(b, "f32[1] {2}"),
                        Value(b, "f32[1] {2}"), Value(b, "f32[1] {4}"),
                        Value(b, "f32[4,1] {{1}, {2}, {3}, {6}}"), 0, 1);
      },
      "(f32[4,1] {{-1.5625}, {-1.4375}, {0.875}, {2.125}}, f32[1] {3.5}, f32[1] {12})");
}

TEST(ComputationBuilder, RandomNumbers) {
  const Literal uniform = ResultOf([](ComputationBuilder& b) {
    b.RngUniform(Value(b, "s32[] 3"), Value(b, "s32[] 7"), ShapeUtil::MakeShape(S32, {1000}));
  });
  for (int32_t value : uniform.data<int32_t>()) {
    EXPECT_TRUE(3 <= value && value < 7) << value;
  }
  ExpectResult(
      [](ComputationBuilder& b) {
        b.RngNormal(Value(b, "f32[] 2"), Value(b, "f32[] 0"), ShapeUtil::MakeShape(F32, {3}));
      },
      "f32[3] {2, 2, 2}");
}

// One replica has the sum of its own value.
TEST(ComputationBuilder, CrossReplicaSum) {
  ExpectResult([](ComputationBuilder& b) { b.CrossReplicaSum(Value(b, "f32[2] {1, 2.5}")); },
               "f32[2] {1, 2.5}");
}

TEST(ComputationBuilder, OperationsWithoutOperandsOrWithTargets) {
  ComputationBuilder b(nullptr, "main");
  auto in = b.Infeed(ShapeUtil::MakeShape(F32, {2}));
  b.CustomCall("target", {in}, ShapeUtil::MakeShape(F32, {3, 3}));
  const Computation computation = b.Build().ConsumeValueOrDie();
  const std::unique_ptr<HloModule> module = ModuleOf(computation);
  ASSERT_NE(module, nullptr);
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->opcode(), HloOpcode::kCustomCall);
  EXPECT_EQ(root->custom_call_target(), "target");
}

// The builder itself.

// Functions and members, operations of old and of today, in one program.
TEST(ComputationBuilder, MixesWithFunctions) {
  ExpectResult(
      [](ComputationBuilder& b) {
        ComputationDataHandle x = Value(b, "s32[3] {3, 1, 2}");
        const XlaOp doubled = Add(x, x);
        b.Sort(doubled + ConstantR0<int32_t>(&b, 1));
      },
      "s32[3] {3, 5, 7}");
}

TEST(ComputationBuilder, TakesTheTypesOf2017) {
  const std::vector<int64> sizes = {2, 1};
  const ArraySlice<int64> slice = sizes;
  const string name = "main";
  ComputationBuilder b(nullptr, name);
  b.Broadcast(b.ConstantR0<int32>(7), slice);
  ExpectLiteral(ResultOf(b.Build().ConsumeValueOrDie()), "s32[2,1] {{7}, {7}}");
}

TEST(ComputationBuilder, ErrorsAreKept) {
  ComputationBuilder b(nullptr, "main");
  auto bad = b.Sort(b.ConstantR0<float>(1));
  EXPECT_FALSE(bad.valid());
  auto worse = b.Clamp(bad, bad, bad);
  EXPECT_FALSE(b.Dot(worse, bad).valid());
  EXPECT_THAT(std::string(b.Build().status().message()), HasSubstr("sort"));
}

TEST(ComputationBuilder, OperandsAreItsOwn) {
  ComputationBuilder other(nullptr, "other");
  auto foreign = other.ConstantR0<float>(1);
  EXPECT_THAT(Refusal([&](ComputationBuilder& b) { b.Clamp(foreign, foreign, foreign); }),
              HasSubstr("other"));
  EXPECT_THAT(Refusal([&](ComputationBuilder& b) { b.Sort(foreign); }), HasSubstr("other"));
  EXPECT_THAT(Refusal([](ComputationBuilder& b) { b.Neg(ComputationDataHandle()); }),
              HasSubstr("uninitialized"));
  EXPECT_THAT(Refusal([](ComputationBuilder& b) {
                b.RngBernoulli(ComputationDataHandle(), ShapeUtil::MakeShape(U32, {}));
              }),
              HasSubstr("uninitialized"));
  EXPECT_TRUE(other.Build().ok());
}

TEST(ComputationBuilder, ResultOfBuild) {
  ComputationBuilder b(nullptr, "main");
  b.ConstantR0<float>(1);
  auto built = b.Build();
  ASSERT_TRUE(built.ok());
  EXPECT_EQ(built.ValueOrDie().name(), "main");
  const absl::StatusOr<Computation> of_today = std::move(built);
  EXPECT_TRUE(of_today.ok());
  EXPECT_FALSE(b.Build().ok());
}

TEST(ComputationBuilderDeathTest, NoValueToConsume) {
  ComputationBuilder b(nullptr, "main");
  b.Sort(b.ConstantR0<float>(1));
  EXPECT_DEATH(b.Build().ConsumeValueOrDie(), "sort");
}

}  // namespace
}  // namespace xla
