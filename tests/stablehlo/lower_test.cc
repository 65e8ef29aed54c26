// What StableHLO programs become, and what they compute.
#include "front/stablehlo/lower/lower.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "front/stablehlo/text/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/literal.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The function @main with this body, without arguments.
std::string Main(absl::string_view body, absl::string_view results) {
  return absl::StrCat("module @m {\n  func.func public @main() -> (", results, ") {\n", body,
                      "\n  }\n}\n");
}

absl::StatusOr<std::unique_ptr<HloModule>> Convert(absl::string_view program) {
  return ConvertStablehloToHlo(program);
}

// The converted program as HLO text, or the error.
std::string Text(absl::string_view program) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = Convert(program);
  if (!module.ok()) return module.status().ToString();
  if (absl::Status valid = VerifyModule(**module); !valid.ok()) return valid.ToString();
  return (*module)->ToString(HloPrintOptions::ShortParsable().set_print_metadata(true));
}

std::string ErrorOf(absl::string_view program) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = Convert(program);
  return module.ok() ? "converted: " + (*module)->ToString()
                     : std::string(module.status().message());
}

Literal Value(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteral(text);
  CHECK(literal.ok()) << literal.status() << " " << text;
  return *std::move(literal);
}

absl::StatusOr<Literal> Evaluate(absl::string_view program,
                                 const std::vector<std::string>& arguments = {}) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = Convert(program);
  if (!module.ok()) return module.status();
  if (absl::Status valid = VerifyModule(**module); !valid.ok()) return valid;
  std::vector<Literal> literals;
  std::vector<const Literal*> pointers;
  for (const std::string& argument : arguments) literals.push_back(Value(argument));
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return HloEvaluator().Evaluate(**module, pointers);
}

void ExpectValue(absl::string_view program, const std::vector<std::string>& arguments,
                 absl::string_view expected) {
  const absl::StatusOr<Literal> result = Evaluate(program, arguments);
  ASSERT_TRUE(result.ok()) << result.status() << "\n" << program;
  EXPECT_EQ(*result, Value(expected)) << result->ToString() << "\n" << program;
}

// ---- Values
// ------------------------------------------------------------------------------------

struct OperationCase {
  const char* name;
  const char* body;  // returns one value
  const char* type;
  const char* expected;
};

class OperationTest : public ::testing::TestWithParam<OperationCase> {};

TEST_P(OperationTest, Computes) {
  const OperationCase& test = GetParam();
  ExpectValue(Main(test.body, test.type), {}, test.expected);
}

constexpr OperationCase kOperations[] = {
    {"Broadcast", R"(
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.broadcast"(%x) <{broadcast_sizes = array<i64: 2>}> : (tensor<2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>)",
     "tensor<2x2xi32>", "s32[2,2] {{1, 2}, {1, 2}}"},
    {"BroadcastOfSizeOne", R"(
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x1xi32>) -> tensor<2x1x3xi32>
  return %0 : tensor<2x1x3xi32>)",
     "tensor<2x1x3xi32>", "s32[2,1,3] {{{1, 1, 1}}, {{2, 2, 2}}}"},
    {"SplatOfFourBits", R"(
  %0 = stablehlo.constant dense<-3> : tensor<3xi4>
  return %0 : tensor<3xi4>)",
     "tensor<3xi4>", "s4[3] {-3, -3, -3}"},
    {"ConstantOfFourBits", R"(
  %0 = stablehlo.constant dense<[-8, 7, -1]> : tensor<3xi4>
  return %0 : tensor<3xi4>)",
     "tensor<3xi4>", "s4[3] {-8, 7, -1}"},
    {"ConvertComplex", R"(
  %x = stablehlo.constant dense<[(1.5, 2.0), (-2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>)",
     "tensor<2xf32>", "f32[2] {1.5, -2}"},
    {"ConvertToPredicate", R"(
  %x = stablehlo.constant dense<[0.0, 0.5, -0.0]> : tensor<3xf32>
  %0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>)",
     "tensor<3xi1>", "pred[3] {0, 1, 0}"},
    {"SelectByScalar", R"(
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<2xi32>
  return %0 : tensor<2xi32>)",
     "tensor<2xi32>", "s32[2] {3, 4}"},
    {"ClampByScalars", R"(
  %low = stablehlo.constant dense<2> : tensor<i32>
  %x = stablehlo.constant dense<[1, 3, 9]> : tensor<3xi32>
  %high = stablehlo.constant dense<[5, 5, 6]> : tensor<3xi32>
  %0 = "stablehlo.clamp"(%low, %x, %high) : (tensor<i32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>)",
     "tensor<3xi32>", "s32[3] {2, 3, 6}"},
    {"CompareInTotalOrder", R"(
  %x = stablehlo.constant dense<[-0.0, 1.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[0.0, 0.5]> : tensor<2xf32>
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>)",
     "tensor<2xi1>", "pred[2] {1, 0}"},
    {"Dot", R"(
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[1, 10]> : tensor<2xi32>
  %0 = stablehlo.dot %x, %y : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>)",
     "tensor<2xi32>", "s32[2] {21, 43}"},
    {"Einsum", R"(
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = "stablehlo.einsum"(%x, %x) <{einsum_config = "ij,jk->ki"}> : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>)",
     "tensor<2x2xi32>", "s32[2,2] {{7, 15}, {10, 22}}"},
    {"UnaryEinsum", R"(
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "ij->i"}> : (tensor<2x2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>)",
     "tensor<2xi32>", "s32[2] {3, 7}"},
    {"TorchIndexSelect", R"(
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>)",
     "tensor<2x2xi32>", "s32[2,2] {{3, 1}, {6, 4}}"},
    {"TorchIndexSelectInBatches", R"(
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>)",
     "tensor<2x2xi32>", "s32[2,2] {{3, 1}, {5, 5}}"},
    {"Map", R"(
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>)",
     "tensor<2xi32>", "s32[2] {1, 4}"},
    {"RegionsOnElementsUseConstants", R"(
  %two = stablehlo.constant dense<2> : tensor<i64>
  %narrow = stablehlo.convert %two : (tensor<i64>) -> tensor<i32>
  %four = stablehlo.multiply %narrow, %narrow : tensor<i32>
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = stablehlo.reduce(%x init: %narrow) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      %s = stablehlo.add %a, %b : tensor<i32>
      %t = stablehlo.maximum %s, %four : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }
  return %0 : tensor<i32>)",
     "tensor<i32>", "s32[] 9"},
    {"WhileWithValuesFromOutside", R"(
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %step = stablehlo.add %x, %x : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<2xi32>
   cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %step : tensor<2xi32>
    %u = stablehlo.add %w, %x : tensor<2xi32>
    stablehlo.return %j, %u : tensor<i32>, tensor<2xi32>
  }
  return %0#1 : tensor<2xi32>)",
     "tensor<2xi32>", "s32[2] {10, 20}"},
    {"WhileWithOneValue", R"(
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
   cond {
    %p = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %three : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %0 : tensor<i32>)",
     "tensor<i32>", "s32[] 12"},
    {"CaseInCase", R"(
  %x = stablehlo.constant dense<5> : tensor<i32>
  %y = stablehlo.negate %x : tensor<i32>
  %p = stablehlo.compare LT, %y, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %q = stablehlo.add %y, %y : tensor<i32>
    %1 = "stablehlo.if"(%p) ({
      %r = stablehlo.subtract %q, %x : tensor<i32>
      stablehlo.return %r : tensor<i32>
    }, {
      stablehlo.return %y : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>)",
     "tensor<i32>", "s32[] -15"},
    {"SortOfTwo", R"(
  %k = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %v = stablehlo.constant dense<[30.0, 10.0, 20.0]> : tensor<3xf32>
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>)",
     "tensor<3xf32>", "f32[3] {30, 20, 10}"},
    {"DynamicSizesThatAreConstant", R"(
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %starts = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %limits = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %ones = stablehlo.constant dense<1> : tensor<2xi64>
  %c = stablehlo.real_dynamic_slice %r, %starts, %limits, %ones : (tensor<?x?xi32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<2xi64>
  %p = stablehlo.dynamic_pad %c, %zero, %starts, %none, %none : (tensor<?x?xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  %i = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x2xi32>
  %t = stablehlo.add %p, %i : tensor<2x2xi32>
  return %t : tensor<2x2xi32>)",
     "tensor<2x2xi32>", "s32[2,2] {{0, 3}, {0, 5}}"},
    {"DimensionSizes", R"(
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %d = stablehlo.set_dimension_size %x, %two, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  %n = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<i32>
  return %n : tensor<i32>)",
     "tensor<i32>", "s32[] 2"},
    {"TuplesAndBarriers", R"(
  %x = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.constant dense<2> : tensor<i32>
  %b:2 = stablehlo.optimization_barrier %x, %y : tensor<i32>, tensor<i32>
  %t = stablehlo.tuple %b#0, %b#1 : tuple<tensor<i32>, tensor<i32>>
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  return %0 : tensor<i32>)",
     "tensor<i32>", "s32[] 2"},
    {"TopK", R"(
  %x = stablehlo.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
  %v, %i = chlo.top_k(%x, k = 2) : tensor<4xi32> -> (tensor<2xi32>, tensor<2xi32>)
  %0 = stablehlo.add %v, %i : tensor<2xi32>
  return %0 : tensor<2xi32>)",
     "tensor<2xi32>", "s32[2] {6, 3}"},
    {"Scan", R"(
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = chlo.scan(%x) inits (%z) dimension=0 {
  ^bb0(%a: tensor<i32>, %c: tensor<i32>):
    %s = stablehlo.add %a, %c : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  return %0#0 : tensor<3xi32>)",
     "tensor<3xi32>", "s32[3] {1, 3, 6}"},
    {"FunctionsOfTheLibrary", R"(
  %x = stablehlo.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %0 = "chlo.square"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "chlo.is_inf"(%0) : (tensor<2xf32>) -> tensor<2xi1>
  %2 = "chlo.next_after"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.select %1, %x, %2 : tensor<2xi1>, tensor<2xf32>
  return %3 : tensor<2xf32>)",
     "tensor<2xf32>", "f32[2] {4, 1}"},
    {"ImplicitBroadcasts", R"(
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %0 = chlo.broadcast_add %x, %y : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>)",
     "tensor<2x2xi32>", "s32[2,2] {{11, 22}, {13, 24}}"},
    {"ReduceWindow", R"(
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>)",
     "tensor<3xi32>", "s32[3] {1, 5, 4}"},
};

INSTANTIATE_TEST_SUITE_P(All, OperationTest, ::testing::ValuesIn(kOperations),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Functions, composites, custom calls
// -------------------------------------------------------

TEST(LowerTest, FunctionsBecomeOneComputationEach) {
  const std::string program = R"(
module {
  func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %0 = func.call @double(%x) : (tensor<i32>) -> tensor<i32>
    %1:2 = func.call @both(%0, %x) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    return %1#1, %1#0 : tensor<i32>, tensor<i32>
  }
  func.func private @both(%x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %0 = func.call @double(%x) : (tensor<i32>) -> tensor<i32>
    return %0, %y : tensor<i32>, tensor<i32>
  }
  func.func private @double(%x: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %x, %x : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @unused() -> tensor<i32> {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    return %0 : tensor<i32>
  }
})";
  const auto module = Convert(program);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->computation_count(), 3);
  ExpectValue(program, {"s32[] 3"}, "(s32[] 3, s32[] 12)");
}

TEST(LowerTest, FunctionsMustEndInACircleNowhere) {
  EXPECT_THAT(ErrorOf(R"(
module {
  func.func @main() -> tensor<i32> {
    %0 = func.call @main() : () -> tensor<i32>
    return %0 : tensor<i32>
  }
})"),
              HasSubstr("@main calls itself"));
}

TEST(LowerTest, CompositesAreOperationsOrCallsOfTheirDefinition) {
  const std::string text = Text(R"(
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "chlo.erf" %x {decomposition = @f, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.composite "own.f" %0 {composite_attributes = {n = 3 : i64}, decomposition = @f, version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
})");
  EXPECT_THAT(text, AllOf(HasSubstr(" erf("), HasSubstr("is_composite=true"),
                          HasSubstr("composite.name=\"own.f\""),
                          HasSubstr("composite.attributes={n = 3 : i64}"),
                          HasSubstr("composite.version=\"2\"")));
}

TEST(LowerTest, ADictionaryMakesACustomCallTyped) {
  const std::string text = Text(R"(
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
    %0:2 = stablehlo.custom_call @solve(%x) {
        mhlo.backend_config = {upper = 85 : ui8, "a name" = "x\22", f = 1.5 : f32, b = true,
                               list = array<i64: 1, 2>, inf = 0x7F800000 : f32},
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>],
        output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]
      } : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
    %1 = stablehlo.custom_call @old(%0#1) {api_version = 2 : i32, backend_config = "opaque", has_side_effect = true} : (tensor<i32>) -> tensor<i32>
    return %0#0, %1 : tensor<2x3xf32>, tensor<i32>
  }
})");
  EXPECT_THAT(text,
              AllOf(HasSubstr("(f32[2,3]{0,1}, s32[]) custom-call("),
                    HasSubstr("operand_layout_constraints={f32[2,3]{0,1}}"),
                    HasSubstr("output_to_operand_aliasing={{0}: (0, {})}"),
                    HasSubstr("api_version=API_VERSION_TYPED_FFI"),
                    HasSubstr(R"({"a name" = "x\22", b = true, f = 1.5 : f32, )"
                              R"(inf = 0x7F800000 : f32, list = dense<[1, 2]> : tensor<2xi64>, )"
                              R"(upper = 85 : ui8})"),
                    HasSubstr("custom_call_has_side_effect=true"),
                    HasSubstr("api_version=API_VERSION_STATUS_RETURNING"), HasSubstr("opaque")));
}

TEST(LowerTest, ApproximateMaximaAreExact) {
  ExpectValue(R"(
module {
  func.func @main(%x: tensor<1x5xf32>, %i: tensor<1x5xi32>) -> (tensor<1x2xf32>, tensor<1x2xi32>) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %low, %none) {
        called_computations = [@greater],
        mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32,
                               reduction_dim = 1 : i64, top_k = 2 : i64}
      } : (tensor<1x5xf32>, tensor<1x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
    return %0#0, %0#1 : tensor<1x2xf32>, tensor<1x2xi32>
  }
  func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
})",
              {"f32[1,5] {{3, 9, 1, 7, 5}}", "s32[1,5] {{0, 1, 2, 3, 4}}"},
              "(f32[1,2] {{9, 7}}, s32[1,2] {{1, 3}})");
}

// ---- The entry
// ---------------------------------------------------------------------------------

TEST(LowerTest, EntryKeepsWhatItIsToldOfArgumentsAndResults) {
  const auto converted = Convert(R"(
module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<2x3xf32> {tf.aliasing_output = 1 : i32},
                         %b: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}", jax.buffer_donor = true},
                         %unused: tensor<i32>)
      -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}", jax.result_info = "x"}, tensor<2x3xf32>) {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32>
    return %0, %a : tensor<2x3xf32>, tensor<2x3xf32>
  }
})");
  ASSERT_TRUE(converted.ok()) << converted.status();
  const HloModule& module = **converted;
  EXPECT_EQ(module.name(), "jit_step");
  EXPECT_EQ(module.entry_computation()->num_parameters(), 3);
  EXPECT_EQ(module.entry_computation_layout().ToString(),
            "(f32[2,3]{1,0}, f32[2,3]{0,1}, s32[])->(f32[2,3]{0,1}, f32[2,3]{1,0})");
  EXPECT_EQ(module.input_output_alias_config().ToString(), "{ {1}: (0, {}, may-alias) }");
  EXPECT_EQ(module.buffer_donor_config().ToString(), "{ (1, {}) }");
}

TEST(LowerTest, NoResultsAreAnEmptyTuple) {
  ExpectValue("module { func.func @main() { return } }", {}, "()");
}

TEST(LowerTest, LocationsBecomeMetadata) {
  const std::string text = Text(R"(
module {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32> loc("jit(f)/sin"(callsite("g"("a.py":3:4) at "f"("b.py":7:8))))
    %1 = stablehlo.cosine %0 : tensor<f32> loc("kind:"("jit(f)/cos"))
    %2 = stablehlo.negate %1 : tensor<f32> loc("c.py":9:2)
    return %2 : tensor<f32>
  }
})");
  EXPECT_THAT(text, AllOf(HasSubstr("sin = f32[] sine("),
                          HasSubstr("metadata={op_name=\"jit(f)/sin\" stack_frame_id="),
                          HasSubstr("op_type=\"kind\" op_name=\"jit(f)/cos\""),
                          HasSubstr("source_file=\"c.py\" source_line=9")));
  EXPECT_THAT(text, AllOf(HasSubstr("\"a.py\""), HasSubstr("\"b.py\"")));
}

// ---- Devices
// -----------------------------------------------------------------------------------

constexpr absl::string_view kMesh = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
)";

TEST(LowerTest, ShardingsAreTilesOfTheMesh) {
  const std::string text = Text(absl::StrCat(kMesh, R"(
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"y", "x"}, {}]> : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x4xf32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
})"));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr(
                "parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"),
            HasSubstr("custom_call_target=\"Sharding\", sharding={devices=[4,1]<=[2,2]T(1,0)}"),
            HasSubstr("sharding={replicated}"),
            HasSubstr("sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate}"),
            HasSubstr("sharding={devices=[2,2]<=[4]}")));
}

TEST(LowerTest, PartsOfAxesAndListsOfDevices) {
  const std::string text = Text(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @line = <["x"=8]>
  sdy.mesh @other = <["x"=2], device_ids=[1, 0]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %x <@line, [{"x":(2)2}]> : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@other, [{"x"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
})");
  EXPECT_THAT(text, AllOf(HasSubstr("{devices=[2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"),
                          HasSubstr("{devices=[2]1,0}")));
}

TEST(LowerTest, ManualComputationsStandBetweenWholeAndParts) {
  const std::string text = Text(absl::StrCat(kMesh, R"(
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%p: tensor<2xf32>) {
      %s = stablehlo.sine %p : tensor<2xf32>
      sdy.return %s : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
})"));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("custom_call_target=\"Sharding\", sharding={devices=[4]<=[4]}"),
            HasSubstr("f32[2]{0} custom-call("),
            HasSubstr("custom_call_target=\"SPMDFullToShardShape\", sharding={manual}"),
            HasSubstr("f32[2]{0} sine("),
            HasSubstr("custom_call_target=\"SPMDShardToFullShape\", sharding={devices=[4]<=[4]}")));
}

TEST(LowerTest, DevicesThatHoldSummandsAndCallsOfOneDevice) {
  const std::string text = Text(absl::StrCat(kMesh, R"(
  sdy.mesh @maximal = <[], device_ids=[3]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) -> tensor<8xf32> {
    stablehlo.custom_call @log(%x) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} : (tensor<8xf32>) -> ()
    return %x : tensor<8xf32>
  }
})"));
  EXPECT_THAT(text, AllOf(HasSubstr("sharding={devices=[2,2]<=[4] last_tile_dims={unreduced}}"),
                          HasSubstr("sharding={maximal device=3}")));
}

TEST(LowerTest, OneDeviceNeedsNoShardings) {
  const std::string text = Text(R"(
module {
  sdy.mesh @mesh = <["x"=1]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<8xf32>) {
      sdy.return %p : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
})");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("sharding")), Not(HasSubstr("custom-call"))));
}

TEST(LowerTest, Collectives) {
  const std::string text = Text(absl::StrCat(kMesh, R"(
  func.func @main(%x: tensor<8x4xf32>) -> (tensor<16x2xf32>, tensor<8x4xf32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.all_to_all"(%0) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<8x4xf32>) -> tensor<16x2xf32>
    %2 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1, %2 : tensor<16x2xf32>, tensor<8x4xf32>
  }
})"));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("all-reduce(Arg_0), channel_id=1, replica_groups={{0,1},{2,3}}, "
                      "use_global_device_ids=true"),
            HasSubstr("f32[16,2]{1,0} reshape("), HasSubstr("source_target_pairs={{0,1},{1,0}}")))
      << text;
}

TEST(LowerTest, TalkWithTheHost) {
  const std::string text = Text(R"(
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "c", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %1 = "stablehlo.outfeed"(%0#0, %0#1) <{outfeed_config = "d"}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %2 = "stablehlo.send"(%x, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %3#0 : tensor<2xf32>
  }
})");
  EXPECT_THAT(text, AllOf(HasSubstr("((f32[2]{0}), token[]) infeed("),
                          HasSubstr("outfeed_shape=(f32[2]{0})"), HasSubstr("send-done("),
                          HasSubstr("(f32[2]{0}, token[]) recv-done(")));
}

// ---- Errors
// ------------------------------------------------------------------------------------

TEST(LowerErrorTest, NamesOperationPlaceAndRule) {
  const std::string error = ErrorOf(R"(module {
  func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32> loc("model.py":12:3)
    return %0 : tensor<3xf32>
  }
})");
  EXPECT_THAT(error, AllOf(HasSubstr("stablehlo.add at model.py:12:3"), HasSubstr("line 3"),
                           HasSubstr("f32[3]"), HasSubstr("f32[2]")));
}

TEST(LowerErrorTest, ApplyingWhatDependsOnArguments) {
  EXPECT_THAT(ErrorOf(R"(module {
  func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%x init: %y) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %s = stablehlo.add %a, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }
    return %0 : tensor<f32>
  }
})"),
              AllOf(HasSubstr("stablehlo.reduce in line 3"), HasSubstr("from outside")));
}

TEST(LowerErrorTest, OtherPrograms) {
  EXPECT_THAT(ErrorOf("module { func.func @f() { return } }"), HasSubstr("@main"));
  EXPECT_THAT(ErrorOf(R"(module {
  func.func @main() -> tensor<i32> {
    %0 = func.call @nowhere() : () -> tensor<i32>
    return %0 : tensor<i32>
  }
})"),
              HasSubstr("nowhere"));
  EXPECT_THAT(ErrorOf(R"(module {
  func.func @main(%x: tensor<4xi32>, %n: tensor<1xi64>) -> tensor<?xi32> {
    %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  }
})"),
              AllOf(HasSubstr("stablehlo.dynamic_iota in line 3"), HasSubstr("run time")));
  EXPECT_THAT(ErrorOf(R"(module {
  func.func @main(%x: tensor<4xi32> {tf.aliasing_output = 3 : i32}) -> tensor<4xi32> {
    return %x : tensor<4xi32>
  }
})"),
              AllOf(HasSubstr("func.func in line 2"), HasSubstr("result 3")));
}

// Deep regions must not exhaust the stack.
TEST(LowerErrorTest, NestsTooDeeply) {
  std::string body = "%x";
  std::string before, after;
  for (int i = 0; i < 600; ++i) {
    absl::StrAppend(&before, "%v", i, " = \"stablehlo.case\"(%x) ({\n");
    after = absl::StrCat("stablehlo.return %x : tensor<i32>\n}) : (tensor<i32>) -> tensor<i32>\n",
                         after);
  }
  const std::string program =
      absl::StrCat("module { func.func @main(%x: tensor<i32>) -> tensor<i32> {\n", before, after,
                   "return %x : tensor<i32> } }");
  EXPECT_FALSE(Convert(program).ok());
}

// Whatever is left out, exchanged or said twice: an error, or a program that is sound.
TEST(LowerErrorTest, NoProgramCrashes) {
  std::vector<std::string> programs;
  for (const OperationCase& test : kOperations) programs.push_back(Main(test.body, test.type));
  uint32_t state = 1;
  const auto random = [&](size_t below) {
    state = state * 1664525u + 1013904223u;
    return static_cast<size_t>(state >> 8) % below;
  };
  const std::vector<std::string> pieces = {
      "0", "-1", "9223372036854775807", "i1", "f32", "?x", "%x", "[]", "dense<1>", "2x", "", "%0"};
  int converted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string program = programs[random(programs.size())];
    const size_t at = random(program.size());
    if (const size_t digit = program.find_first_of("0123456789", at);
        round % 2 == 0 && digit != std::string::npos) {
      program[digit] = static_cast<char>('0' + random(10));
    } else {
      // A token from somewhere goes in the place of another one.
      const size_t end = program.find_first_of(" ,()<>[]{}:", at);
      const std::string piece = random(2) == 0 ? pieces[random(pieces.size())]
                                               : program.substr(random(program.size()), random(12));
      program.replace(at, end == std::string::npos ? 1 : end - at, piece);
    }
    const auto module = Convert(program);
    if (module.ok()) {
      ++converted;
      (void)(*module)->ToString();
      (void)VerifyModule(**module);
    } else {
      EXPECT_FALSE(module.status().message().empty());
    }
  }
  EXPECT_GT(converted, 100);
}

// The same for programs that no reader would give: with attributes, operands, results and regions
// of other operations.
TEST(LowerErrorTest, NoMixtureOfOperationsCrashes) {
  uint32_t state = 7;
  const auto random = [&](size_t below) {
    state = state * 1664525u + 1013904223u;
    return static_cast<size_t>(state >> 8) % below;
  };
  int converted = 0;
  for (int round = 0; round < 4000; ++round) {
    const OperationCase& test = kOperations[random(std::size(kOperations))];
    const std::string text = Main(test.body, test.type);
    auto program = stablehlo::ReadText(text);
    ASSERT_TRUE(program.ok()) << program.status();
    std::vector<stablehlo::Operation*> operations;
    std::vector<stablehlo::NamedAttribute> attributes;
    for (std::vector<stablehlo::Operation*> pending = {(*program)->module}; !pending.empty();) {
      stablehlo::Operation* op = pending.back();
      pending.pop_back();
      operations.push_back(op);
      attributes.insert(attributes.end(), op->attributes.begin(), op->attributes.end());
      for (stablehlo::Region& region : op->regions) {
        pending.insert(pending.end(), region.operations.begin(), region.operations.end());
      }
    }
    for (size_t changes = 1 + random(3); changes > 0; --changes) {
      stablehlo::Operation& op = *operations[random(operations.size())];
      const stablehlo::Operation& other = *operations[random(operations.size())];
      const auto value = static_cast<stablehlo::ValueId>(random((*program)->value_count() + 1)) -
                         static_cast<stablehlo::ValueId>(random(20) == 0);
      switch (random(7)) {
        case 0:
          if (!op.attributes.empty()) op.attributes.pop_back();
          break;
        case 1:
          if (!op.attributes.empty()) {
            op.attributes[random(op.attributes.size())].value =
                attributes[random(attributes.size())].value;
          }
          break;
        case 2:
          if (!op.operands.empty()) op.operands[random(op.operands.size())] = value;
          break;
        case 3:
          op.operands.push_back(value);
          break;
        case 4:
          if (!op.operands.empty()) op.operands.pop_back();
          break;
        case 5:
          if (op.name != "builtin.module") op.name = other.name;
          break;
        case 6:
          if (!op.results.empty()) op.results.pop_back();
          break;
      }
    }
    const auto module = stablehlo::ToHloModule(**program);
    if (module.ok()) {
      ++converted;
      (void)(*module)->ToString();
      (void)VerifyModule(**module);
    } else {
      EXPECT_FALSE(module.status().message().empty());
    }
  }
  EXPECT_GT(converted, 100);
}

}  // namespace
}  // namespace xla
