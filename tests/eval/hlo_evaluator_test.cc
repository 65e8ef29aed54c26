// The interface of the evaluator: arguments, layouts, limits, single operations.
#include "xla/hlo/evaluator/hlo_evaluator.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/eval/evaluate.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kAddOne[] = R"(
HloModule add_one
ENTRY e {
  x = s32[2,2] parameter(0)
  one = s32[] constant(1)
  ones = s32[2,2] broadcast(one), dimensions={}
  ROOT sum = s32[2,2] add(x, ones)
})";

TEST(HloEvaluatorTest, EvaluatesModule) {
  EXPECT_EQ(EvaluateText(kAddOne, {"s32[2,2] {{1, 2}, {3, 4}}"}),
            "s32[2,2] { { 2, 3 }, { 4, 5 } }");
}

TEST(HloEvaluatorTest, ChecksArguments) {
  EXPECT_THAT(EvaluateText(kAddOne, {}), HasSubstr("takes 1 arguments, not 0"));
  EXPECT_THAT(EvaluateText(kAddOne, {"s32[2] {1, 2}"}),
              HasSubstr("must have shape s32[2,2], not s32[2]"));
  EXPECT_THAT(EvaluateText(kAddOne, {"f32[2,2] {{1, 2}, {3, 4}}"}), HasSubstr("not f32[2,2]"));
}

TEST(HloEvaluatorTest, ArgumentsMayHaveAnyLayout) {
  const std::unique_ptr<HloModule> module = Parse(kAddOne);
  const Literal argument =
      Value("s32[2,2] {{1, 2}, {3, 4}}").Relayout(LayoutUtil::MakeLayout({0, 1}));
  const absl::StatusOr<Literal> result = HloEvaluator().Evaluate(*module, {&argument});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, Value("s32[2,2] {{2, 3}, {4, 5}}"));
}

TEST(HloEvaluatorTest, ResultHasDeclaredLayout) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m, entry_computation_layout={(s32[2,3]{1,0})->s32[2,3]{0,1}}
ENTRY e { x = s32[2,3] parameter(0)  ROOT y = s32[2,3]{0,1} negate(x) })");
  const Literal argument = Value("s32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  const absl::StatusOr<Literal> result = HloEvaluator().Evaluate(*module, {&argument});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->shape().layout(), LayoutUtil::MakeLayout({0, 1}));
  EXPECT_EQ(*result, Value("s32[2,3] {{-1, -2, -3}, {-4, -5, -6}}"));
}

TEST(HloEvaluatorTest, TupleArgumentsAndResults) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  p = (s32[], (f32[2], pred[])) parameter(0)
  inner = (f32[2], pred[]) get-tuple-element(p), index=1
  x = f32[2] get-tuple-element(inner), index=0
  n = s32[] get-tuple-element(p), index=0
  pair = (s32[], f32[2]) tuple(n, x)
  ROOT t = (f32[2], (s32[], f32[2])) tuple(x, pair)
})",
                         {"(s32[] 7, (f32[2] {1, 2}, pred[] true))"}),
            "( f32[2] {1, 2}, ( s32[] 7, f32[2] {1, 2} ) )");
}

TEST(HloEvaluatorTest, LoopLimit) {
  constexpr char kCountToTen[] = R"(
HloModule m
condition { i = s32[] parameter(0)  ten = s32[] constant(10)  ROOT less = pred[] compare(i, ten), direction=LT }
body { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT next = s32[] add(i, one) }
ENTRY e { x = s32[] parameter(0)  ROOT w = s32[] while(x), condition=condition, body=body })";
  EXPECT_EQ(EvaluateText(kCountToTen, {"s32[] 0"}), "s32[] 10");
  EXPECT_TRUE(TryEvaluateText(kCountToTen, {"s32[] 0"}, 10).ok());
  const absl::Status status = TryEvaluateText(kCountToTen, {"s32[] 0"}, 9).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 9 iterations"));
}

TEST(HloEvaluatorTest, LoopThatChangesNothingEnds) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
condition { p = (s32[], s32[2]) parameter(0)  ROOT yes = pred[] constant(true) }
body {
  p = (s32[], s32[2]) parameter(0)
  x = s32[2] get-tuple-element(p), index=1
  zero = s32[] constant(0)
  zeros = s32[2] broadcast(zero), dimensions={}
  n = s32[] get-tuple-element(p), index=0
  cleared = s32[2] multiply(x, zeros)
  ROOT t = (s32[], s32[2]) tuple(n, cleared)
}
ENTRY e { p = (s32[], s32[2]) parameter(0)  ROOT w = (s32[], s32[2]) while(p), condition=condition, body=body })",
                         {"(s32[] 3, s32[2] {1, 2})"}),
            "( s32[] 3, s32[2] {0, 0} )");
}

TEST(HloEvaluatorTest, DeepCallsAreAnError) {
  std::string text = "HloModule m\ncall0 { ROOT x = s32[] parameter(0) }\n";
  for (int i = 1; i <= 1000; ++i) {
    absl::StrAppend(&text, "call", i,
                    " { x = s32[] parameter(0)  ROOT y = s32[] call(x), to_apply=call", i - 1,
                    " }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e { x = s32[] parameter(0)  ROOT y = s32[] call(x), to_apply=call1000 }");
  const absl::Status status = TryEvaluateText(text, {"s32[] 1"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nest more than"));
}

TEST(HloEvaluatorTest, HugeArraysAreAnError) {
  const absl::Status status = TryEvaluateText(R"(
HloModule m
ENTRY e {
  x = s8[] parameter(0)
  big = s8[4000000000,4000,4000] broadcast(x), dimensions={}
  ROOT y = s8[4000000000,4000,4000] add(big, big)
})",
                                              {"s8[] 1"})
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST(HloEvaluatorTest, UnneededInstructionsAreSkipped) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  unused = s32[] custom-call(x), custom_call_target="nobody knows"
  ROOT y = s32[] negate(x)
})",
                         {"s32[] 1"}),
            "s32[] -1");
}

constexpr char kCustomCall[] = R"(
HloModule m
ENTRY e {
  x = s32[2] parameter(0)
  ROOT y = s32[2] custom-call(x, x), custom_call_target="twice"
})";

TEST(HloEvaluatorTest, CustomCallHandler) {
  const std::unique_ptr<HloModule> module = Parse(kCustomCall);
  const Literal argument = Value("s32[2] {1, 2}");
  HloEvaluator evaluator;
  EXPECT_EQ(evaluator.Evaluate(*module, {&argument}).status().code(),
            absl::StatusCode::kUnimplemented);
  evaluator.set_custom_call_handler(
      [](const HloInstruction* call,
         absl::Span<const Literal*> operands) -> absl::StatusOr<Literal> {
        EXPECT_EQ(call->custom_call_target(), "twice");
        EXPECT_EQ(operands.size(), 2);
        return LiteralUtil::CreateR1<int32_t>(
            {2 * operands[0]->Get<int32_t>({0}), 2 * operands[1]->Get<int32_t>({1})});
      });
  const absl::StatusOr<Literal> result = evaluator.Evaluate(*module, {&argument});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, Value("s32[2] {2, 4}"));
}

TEST(HloEvaluatorTest, CustomCallHandlerMustGiveTheDeclaredShape) {
  const std::unique_ptr<HloModule> module = Parse(kCustomCall);
  const Literal argument = Value("s32[2] {1, 2}");
  HloEvaluator evaluator;
  evaluator.set_custom_call_handler(
      [](const HloInstruction*, absl::Span<const Literal*>) -> absl::StatusOr<Literal> {
        return LiteralUtil::CreateR0<int32_t>(1);
      });
  EXPECT_THAT(std::string(evaluator.Evaluate(*module, {&argument}).status().message()),
              HasSubstr("gave s32[] instead of s32[2]"));
}

TEST(HloEvaluatorTest, SingleInstructions) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m
ENTRY e {
  two = s32[] constant(2)
  three = s32[] constant(3)
  x = s32[] parameter(0)
  sum = s32[] add(two, three)
  square = s32[] multiply(sum, sum)
  ROOT total = s32[] add(square, x)
})");
  const HloInstruction* total = module->entry_computation()->root_instruction();
  const HloInstruction* square = total->operand(0);
  const HloInstruction* sum = square->operand(0);
  HloEvaluator evaluator;
  EXPECT_EQ(evaluator.Evaluate(sum).value(), Value("s32[] 5"));
  EXPECT_FALSE(evaluator.Evaluate(square).ok());
  EXPECT_EQ(
      evaluator.Evaluate(square, {}, /*recursively_evaluate_nonconstant_operands=*/true).value(),
      Value("s32[] 25"));
  Literal result;
  EXPECT_FALSE(evaluator.TryEvaluate(total, &result, true));
  EXPECT_TRUE(evaluator.TryEvaluate(sum, &result));
  EXPECT_EQ(result, Value("s32[] 5"));
  const Literal seven = Value("s32[] 7");
  EXPECT_EQ(evaluator.Evaluate(total, {}, true, {{total->operand(1), &seven}}).value(),
            Value("s32[] 32"));
}

TEST(HloEvaluatorTest, SingleOperations) {
  HloEvaluator evaluator;
  const Literal a = Value("f32[2] {1, -4}"), b = Value("f32[2] {2, 3}");
  EXPECT_EQ(evaluator.EvaluateElementwiseUnaryOp(HloOpcode::kAbs, a).value(),
            Value("f32[2] {1, 4}"));
  EXPECT_EQ(evaluator.EvaluateElementwiseBinaryOp(HloOpcode::kMultiply, a, b).value(),
            Value("f32[2] {2, -12}"));
  EXPECT_EQ(
      evaluator.EvaluateElementwiseTernaryOp(HloOpcode::kSelect, Value("pred[2] {1, 0}"), a, b)
          .value(),
      Value("f32[2] {1, 3}"));
  EXPECT_EQ(evaluator.EvaluateElementwiseCompareOp(ComparisonDirection::kLt, a, b).value(),
            Value("pred[2] {1, 1}"));
  EXPECT_FALSE(
      evaluator.EvaluateElementwiseBinaryOp(HloOpcode::kAdd, a, Value("f32[3] {1, 2, 3}")).ok());
  DotDimensionNumbers numbers;
  numbers.add_lhs_contracting_dimensions(0);
  numbers.add_rhs_contracting_dimensions(0);
  EXPECT_EQ(evaluator.EvaluateDotOp(numbers, PrecisionConfig(), a, b).value(), Value("f32[] -10"));
}

TEST(HloEvaluatorTest, ElementsOfTuplesThatAreKnownInPart) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m
f { x = s32[] parameter(0)  ROOT y = s32[] negate(x) }
ENTRY e {
  p = s32[] parameter(0)
  c = s32[] constant(4)
  pair = (s32[], s32[]) tuple(c, p)
  known = s32[] get-tuple-element(pair), index=0
  other = s32[] get-tuple-element(pair), index=1
  called = s32[] call(known), to_apply=f
  ROOT r = (s32[], s32[]) tuple(called, other)
})");
  const HloInstruction* called = module->entry_computation()->root_instruction()->operand(0);
  const HloInstruction* unknown = module->entry_computation()->root_instruction()->operand(1);
  HloEvaluator evaluator;
  EXPECT_EQ(evaluator.Evaluate(called->operand(0), {}, true).value(), Value("s32[] 4"));
  EXPECT_FALSE(evaluator.Evaluate(called->operand(0)).ok());
  EXPECT_FALSE(evaluator.Evaluate(unknown, {}, true).ok());
  // What the only call of a computation hands to it.
  const HloInstruction* inside = called->called_computations()[0]->root_instruction();
  EXPECT_EQ(evaluator.Evaluate(inside, {}, true).value(), Value("s32[] -4"));
}

TEST(HloEvaluatorTest, BitcastsNeedLayouts) {
  const std::string text = R"(
HloModule m
ENTRY e { x = f32[2,3] parameter(0)  ROOT r = f32[3,2] bitcast(x) })";
  const Literal x = Value("f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  EXPECT_EQ(HloEvaluator().Evaluate(*Parse(text), {&x}).value(),
            Value("f32[3,2] {{1, 2}, {3, 4}, {5, 6}}"));
  const auto module =
      ParseAndReturnUnverifiedModule(text, {}, HloParserOptions().set_fill_missing_layouts(false))
          .value();
  EXPECT_THAT(std::string(HloEvaluator().Evaluate(*module, {&x}).status().message()),
              HasSubstr("has no layout"));
}

TEST(HloEvaluatorTest, ReducePrecisionKeepsTheBitsOfNan) {
  for (const uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu}) {
    const std::string text = absl::StrCat("u32[] ", bits);
    EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  bits = u32[] parameter(0)
  x = f32[] bitcast-convert(bits)
  y = f32[] reduce-precision(x), exponent_bits=5, mantissa_bits=10
  ROOT r = u32[] bitcast-convert(y)
})",
                           {text}),
              text);
  }
}

std::vector<std::vector<int64_t>> TracedProducts(absl::string_view text,
                                                 const std::vector<std::string>& arguments) {
  std::vector<std::vector<int64_t>> products;
  HloEvaluator evaluator;
  evaluator.set_trace_mac_handler([&](int64_t result, int64_t lhs, int64_t rhs) {
    products.push_back({result, lhs, rhs});
  });
  std::vector<Literal> literals;
  for (const std::string& argument : arguments) literals.push_back(Value(argument));
  EXPECT_TRUE(evaluator.Evaluate(*Parse(text), absl::MakeConstSpan(literals)).ok());
  absl::c_sort(products);
  return products;
}

TEST(HloEvaluatorTest, ProductsAreTraced) {
  using ::testing::ElementsAre;
  EXPECT_THAT(TracedProducts(R"(
HloModule m
ENTRY e {
  x = f32[2,1,2] parameter(0)
  y = f32[2,2] parameter(1)
  ROOT r = f32[2,1] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}
})",
                             {"f32[2,1,2] {{{1, 2}}, {{3, 4}}}", "f32[2,2] {{1, 2}, {3, 4}}"}),
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(0, 1, 2), ElementsAre(1, 2, 1),
                          ElementsAre(1, 3, 3)));
  // The window's first place is half outside.
  EXPECT_THAT(TracedProducts(R"(
HloModule m
ENTRY e {
  x = f32[1,2,1] parameter(0)
  y = f32[2,1,1] parameter(1)
  ROOT r = f32[1,2,1] convolution(x, y), window={size=2 pad=1_0}, dim_labels=b0f_0io->b0f
})",
                             {"f32[1,2,1] {{{1}, {2}}}", "f32[2,1,1] {{{1}}, {{2}}}"}),
              ElementsAre(ElementsAre(0, 0, 1), ElementsAre(1, 0, 0), ElementsAre(1, 1, 1)));
}

}  // namespace
}  // namespace xla
