// The forms in which operations are written: each pretty one means the same as the generic one.
#include "front/stablehlo/text/text.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "front/stablehlo/print.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla::stablehlo {
namespace {

// The program that `text` stands for, printed in one form; an error where it cannot be read.
std::string Printed(const std::string& text) {
  const absl::StatusOr<std::unique_ptr<Program>> program = ReadText(text);
  return program.ok() ? ToText(**program) : program.status().ToString();
}

struct Form {
  std::string name;
  std::string pretty;
  std::string generic;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

class FormTest : public testing::TestWithParam<Form> {};

// Values that operations can take.
constexpr char kArguments[] =
    "%a: tensor<4xf32>, %b: tensor<4xf32>, %s: tensor<f32>, %i: tensor<i32>, %p: tensor<4xi1>, "
    "%m: tensor<4x6xf32>, %c: tensor<4xcomplex<f32>>, %n: tensor<1xi64>, %k: tensor<2xui64>, "
    "%t: !stablehlo.token, %q: tensor<i1>";

std::string InFunction(const std::string& operations) {
  return absl::StrCat(
      "func.func private @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n",
      "func.func @f(", kArguments, ") {\n", operations, "\nfunc.return\n}\n");
}

TEST_P(FormTest, MeansTheGenericForm) {
  const std::string generic = Printed(InFunction(GetParam().generic));
  EXPECT_THAT(generic, testing::HasSubstr("@f")) << GetParam().generic;
  EXPECT_EQ(Printed(InFunction(GetParam().pretty)), generic);
  // What is printed reads back to the same.
  EXPECT_EQ(Printed(generic), generic);
}

TEST(TextTest, NamesGoOnBehindAFunctionAmongOperations) {
  const std::string printed = Printed(R"(
%0 = stablehlo.constant dense<1.0> : tensor<f32>
func.func @f() {
  %0 = stablehlo.constant dense<2.0> : tensor<f32>
  func.return
}
%1 = stablehlo.add %0, %0 : tensor<f32>
)");
  EXPECT_THAT(printed, testing::HasSubstr("%1 = stablehlo.add %0, %0"));
  EXPECT_EQ(Printed(printed), printed);
}

const Form kForms[] = {
    {"SameTypes", "%0 = stablehlo.add %a, %b : tensor<4xf32>",
     R"(%0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"FunctionalType",
     "%0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
     R"(%0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"DiscardableAttributes",
     "%0 = stablehlo.add %a, %b {z = 1 : i32, mhlo.sharding = \"{replicated}\"} : tensor<4xf32>",
     R"(%0 = "stablehlo.add"(%a, %b) {mhlo.sharding = "{replicated}", z = 1 : i32}
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"PropertiesAmongAttributes", "%0 = stablehlo.iota dim = 0 : tensor<4xi32>",
     R"(%0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>)"},
    {"Accuracy",
     "%0 = stablehlo.tan %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 2, "
     "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>",
     R"(%0 = "stablehlo.tan"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5,
        rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}>
        : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"DefaultAccuracy", "%0 = stablehlo.tan %a : tensor<4xf32>",
     R"(%0 = "stablehlo.tan"(%a) <{result_accuracy = #stablehlo.result_accuracy<mode =
        #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"Compare",
     "%0 = stablehlo.compare LT, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
     R"(%0 = "stablehlo.compare"(%a, %b) <{comparison_direction =
        #stablehlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>)"},
    {"CompareType",
     "%0 = stablehlo.compare GE, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> "
     "tensor<4xi1>",
     R"(%0 = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type TOTALORDER>,
        comparison_direction = #stablehlo<comparison_direction GE>}>
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>)"},
    {"Select", "%0 = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>",
     R"(%0 = "stablehlo.select"(%p, %a, %b)
        : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"Clamp", "%0 = stablehlo.clamp %a, %b, %a : tensor<4xf32>",
     R"(%0 = "stablehlo.clamp"(%a, %b, %a)
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"Complex", "%0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>",
     R"(%0 = "stablehlo.complex"(%a, %b)
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>)"},
    {"ReducePrecision", "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>",
     R"(%0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}>
        : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"Concatenate",
     "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>",
     R"(%0 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}>
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>)"},
    {"Broadcast",
     "%0 = stablehlo.broadcast %a, sizes = [2, 3] : (tensor<4xf32>) -> tensor<2x3x4xf32>",
     R"(%0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 2, 3>}>
        : (tensor<4xf32>) -> tensor<2x3x4xf32>)"},
    {"BroadcastInDim",
     "%0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>",
     R"(%0 = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64>}>
        : (tensor<f32>) -> tensor<4xf32>)"},
    {"ListsOfEitherKind",
     "%0 = stablehlo.transpose %m, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>",
     R"(%0 = "stablehlo.transpose"(%m) {permutation = dense<[1, 0]> : tensor<2xi64>}
        : (tensor<4x6xf32>) -> tensor<6x4xf32>)"},
    {"Reverse", "%0 = stablehlo.reverse %m, dims = [0, 1] : tensor<4x6xf32>",
     R"(%0 = "stablehlo.reverse"(%m) <{dimensions = array<i64: 0, 1>}>
        : (tensor<4x6xf32>) -> tensor<4x6xf32>)"},
    {"Slice", "%0 = stablehlo.slice %m [0:2, 1:6:3] : (tensor<4x6xf32>) -> tensor<2x2xf32>",
     R"(%0 = "stablehlo.slice"(%m) <{start_indices = array<i64: 0, 1>, limit_indices =
        array<i64: 2, 6>, strides = array<i64: 1, 3>}> : (tensor<4x6xf32>) -> tensor<2x2xf32>)"},
    {"DynamicSlice",
     "%0 = stablehlo.dynamic_slice %m, %i, %i, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, "
     "tensor<i32>) -> tensor<1x2xf32>",
     R"(%0 = "stablehlo.dynamic_slice"(%m, %i, %i) <{slice_sizes = array<i64: 1, 2>}>
        : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>)"},
    {"Pad",
     "%0 = stablehlo.pad %a, %s, low = [-1], high = [2], interior = [1] : (tensor<4xf32>, "
     "tensor<f32>) -> tensor<8xf32>",
     R"(%0 = "stablehlo.pad"(%a, %s) <{edge_padding_low = array<i64: -1>, edge_padding_high =
        array<i64: 2>, interior_padding = array<i64: 1>}>
        : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>)"},
    {"DimensionSizes",
     "%0 = stablehlo.get_dimension_size %m, dim = 1 : (tensor<4x6xf32>) -> tensor<i32>\n"
     "%1 = stablehlo.set_dimension_size %m, %0, dim = 1 : (tensor<4x6xf32>, tensor<i32>) -> "
     "tensor<4x?xf32, #stablehlo.bounds<?, 6>>",
     R"(%0 = "stablehlo.get_dimension_size"(%m) <{dimension = 1 : i64}>
          : (tensor<4x6xf32>) -> tensor<i32>
        %1 = "stablehlo.set_dimension_size"(%m, %0) <{dimension = 1 : i64}>
          : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 6>>)"},
    {"DynamicShapes",
     "%0 = stablehlo.dynamic_broadcast_in_dim %s, %n, dims = [] : (tensor<f32>, tensor<1xi64>) -> "
     "tensor<?xf32>\n"
     "%1 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>\n"
     "%2 = stablehlo.dynamic_reshape %a, %n : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>",
     R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%s, %n) <{broadcast_dimensions = array<i64>}>
          : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
        %1 = "stablehlo.dynamic_iota"(%n) <{iota_dimension = 0 : i64}>
          : (tensor<1xi64>) -> tensor<?xi32>
        %2 = "stablehlo.dynamic_reshape"(%a, %n)
          : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>)"},
    {"Fft",
     "%0 = stablehlo.fft %c, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> "
     "tensor<4xcomplex<f32>>",
     R"(%0 = "stablehlo.fft"(%c) <{fft_length = array<i64: 4>, fft_type =
        #stablehlo<fft_type IFFT>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>)"},
    {"Cholesky",
     "%0 = stablehlo.slice %m [0:4, 0:4] : (tensor<4x6xf32>) -> tensor<4x4xf32>\n"
     "%1 = stablehlo.cholesky %0, lower = true : tensor<4x4xf32>",
     R"(%0 = stablehlo.slice %m [0:4:1, 0:4:1] : (tensor<4x6xf32>) -> tensor<4x4xf32>
        %1 = "stablehlo.cholesky"(%0) <{lower = true}> : (tensor<4x4xf32>) -> tensor<4x4xf32>)"},
    {"Einsum",
     "%0 = stablehlo.einsum %m, %m, config = \"ij,ij->ij\" : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
     "tensor<4x6xf32>\n"
     "%1 = stablehlo.unary_einsum %m, config = \"ij->ji\" : (tensor<4x6xf32>) -> tensor<6x4xf32>",
     R"(%0 = "stablehlo.einsum"(%m, %m) <{einsum_config = "ij,ij->ij"}>
          : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
        %1 = "stablehlo.unary_einsum"(%m) <{einsum_config = "ij->ji"}>
          : (tensor<4x6xf32>) -> tensor<6x4xf32>)"},
    {"Rng",
     "%0 = stablehlo.rng %s, %s, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, "
     "tensor<1xi64>) -> tensor<4xf32>\n"
     "%1, %2 = stablehlo.rng_bit_generator %k, algorithm = PHILOX : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<4xui32>)",
     R"(%0 = "stablehlo.rng"(%s, %s, %n) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}>
          : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
        %1:2 = "stablehlo.rng_bit_generator"(%k) <{rng_algorithm =
          #stablehlo<rng_algorithm PHILOX>}>
          : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>))"},
    {"Dot",
     "%0 = stablehlo.dot %a, %b, precision = [HIGHEST, DEFAULT] : (tensor<4xf32>, tensor<4xf32>) "
     "-> tensor<f32>",
     R"(%0 = "stablehlo.dot"(%a, %b) <{precision_config = [#stablehlo<precision HIGHEST>,
        #stablehlo<precision DEFAULT>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>)"},
    {"DotGeneral",
     "%0 = stablehlo.dot_general %m, %m, batching_dims = [0] x [0], contracting_dims = [1] x [1], "
     "precision = [HIGH, HIGHEST] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4xf32>",
     R"(%0 = "stablehlo.dot_general"(%m, %m) <{dot_dimension_numbers = #stablehlo.dot<
        lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config =
        [#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]}>
        : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4xf32>)"},
    {"DotAlgorithm",
     "%0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], precision = [DEFAULT, "
     "DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, "
     "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
     "num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4xf32>, "
     "tensor<4xf32>) -> tensor<f32>",
     R"(%0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<
        lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, algorithm =
        #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32,
        accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
        num_primitive_operations = 3, allow_imprecise_accumulation = false>}>
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>)"},
    {"Convolution",
     "%0 = stablehlo.reshape %m : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>\n"
     "%1 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2x1x1xf32>\n"
     "%2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
     "window = {stride = [2, 1], pad = [[1, 1], [0, -1]], lhs_dilate = [1, 2], rhs_dilate = [2, "
     "1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<1x4x6x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x9x1xf32>",
     R"(%0 = stablehlo.reshape %m : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>
        %1 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2x1x1xf32>
        %2 = "stablehlo.convolution"(%0, %1) <{batch_group_count = 1 : i64, dimension_numbers =
          #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64,
          lhs_dilation = array<i64: 1, 2>, padding = dense<[[1, 1], [0, -1]]> : tensor<2x2xi64>,
          rhs_dilation = array<i64: 2, 1>, window_reversal = array<i1: true, false>,
          window_strides = array<i64: 2, 1>}>
          : (tensor<1x4x6x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x9x1xf32>)"},
    {"ConvolutionByDefault",
     "%0 = stablehlo.reshape %m : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>\n"
     "%1 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2x1x1xf32>\n"
     "%2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
     "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<1x4x6x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x5x1xf32>",
     R"(%0 = stablehlo.reshape %m : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>
        %1 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2x1x1xf32>
        %2 = "stablehlo.convolution"(%0, %1) <{batch_group_count = 1 : i64, dimension_numbers =
          #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64,
          lhs_dilation = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>,
          precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
          rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>,
          window_strides = array<i64: 1, 1>}>
          : (tensor<1x4x6x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x5x1xf32>)"},
    {"ReduceApplies",
     "%0 = stablehlo.reduce(%m init: %s) applies stablehlo.maximum across dimensions = [0, 1] "
     "{x = 1 : i64} : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>",
     R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %z = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%z) : (tensor<f32>) -> ()
        }) {x = 1 : i64} : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>)"},
    {"ReduceSeveral",
     R"(%0:2 = stablehlo.reduce(%m init: %s), (%m init: %s) across dimensions = [0, 1]
          : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<f32>, tensor<f32>)
          reducer(%u: tensor<f32>, %v: tensor<f32>) (%x: tensor<f32>, %y: tensor<f32>) {
            %z = stablehlo.subtract %u, %v : tensor<f32>
            stablehlo.return %z, %y : tensor<f32>, tensor<f32>
          })",
     R"(%0:2 = "stablehlo.reduce"(%m, %m, %s, %s) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%u: tensor<f32>, %x: tensor<f32>, %v: tensor<f32>, %y: tensor<f32>):
          %z = stablehlo.subtract %u, %v : tensor<f32>
          stablehlo.return %z, %y : tensor<f32>, tensor<f32>
        }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<f32>, tensor<f32>))"},
    {"While",
     R"(%0:2 = stablehlo.while(%x = %i, %y = %a) : tensor<i32>, tensor<4xf32>
          attributes {unrolled} cond {
            %1 = stablehlo.compare LT, %x, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %1 : tensor<i1>
          } do {
            stablehlo.return %x, %y : tensor<i32>, tensor<4xf32>
          }
        %2 = stablehlo.add %0#1, %a : tensor<4xf32>)",
     R"(%0:2 = "stablehlo.while"(%i, %a) ({
        ^bb0(%x: tensor<i32>, %y: tensor<4xf32>):
          %1 = stablehlo.compare LT, %x, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        }, {
        ^bb0(%x: tensor<i32>, %y: tensor<4xf32>):
          stablehlo.return %x, %y : tensor<i32>, tensor<4xf32>
        }) {unrolled} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
        %2 = stablehlo.add %0#1, %a : tensor<4xf32>)"},
    {"WhileWithoutState",
     "stablehlo.while() cond { stablehlo.return %q : tensor<i1> } do { stablehlo.return }",
     R"("stablehlo.while"() ({ stablehlo.return %q : tensor<i1> }, { stablehlo.return })
        : () -> ())"},
    {"CustomCall",
     R"(%0 = stablehlo.custom_call @"my.function"(%a, %b) {api_version = 2 : i32, backend_config =
        "text", has_side_effect = true, called_computations = [@g], operand_layouts = [dense<0> :
        tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<0> :
        tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]}
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)",
     R"(%0 = "stablehlo.custom_call"(%a, %b) <{api_version = 2 : i32, backend_config = "text",
        call_target_name = "my.function", called_computations = [@g], has_side_effect = true,
        operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>],
        output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<0> :
        tensor<1xindex>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"CustomCallOfNothing", "stablehlo.custom_call @nothing() : () -> ()",
     R"("stablehlo.custom_call"() <{call_target_name = "nothing", api_version = 1 : i32,
        has_side_effect = false, called_computations = [], backend_config = ""}> : () -> ())"},
    {"Composite",
     "%0 = stablehlo.composite \"a.b\" %s {composite_attributes = {n = 2 : i64}, decomposition = "
     "@g, version = 3 : i32} : (tensor<f32>) -> tensor<f32>",
     R"(%0 = "stablehlo.composite"(%s) <{composite_attributes = {n = 2 : i64}, decomposition = @g,
        name = "a.b", version = 3 : i32}> : (tensor<f32>) -> tensor<f32>)"},
    {"CompositeByDefault",
     "%0 = stablehlo.composite \"a.b\" %s {decomposition = @g} : (tensor<f32>) -> tensor<f32>",
     R"(%0 = "stablehlo.composite"(%s) <{composite_attributes = {}, decomposition = @g,
        name = "a.b", version = 0 : i32}> : (tensor<f32>) -> tensor<f32>)"},
    {"Call", "%0 = call @g(%s) : (tensor<f32>) -> tensor<f32>",
     R"(%0 = "func.call"(%s) <{callee = @g}> : (tensor<f32>) -> tensor<f32>)"},
    {"CallWithDialect", "%0 = func.call @g(%s) : (tensor<f32>) -> tensor<f32>",
     R"(%0 = "func.call"(%s) <{callee = @g}> : (tensor<f32>) -> tensor<f32>)"},
    {"Tuples",
     "%0 = stablehlo.tuple %a, %t : tuple<tensor<4xf32>, !stablehlo.token>\n"
     "%1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, !stablehlo.token>) -> "
     "!stablehlo.token",
     R"(%0 = "stablehlo.tuple"(%a, %t)
          : (tensor<4xf32>, !stablehlo.token) -> tuple<tensor<4xf32>, !stablehlo.token>
        %1 = "stablehlo.get_tuple_element"(%0) <{index = 1 : i32}>
          : (tuple<tensor<4xf32>, !stablehlo.token>) -> !stablehlo.token)"},
    {"Barrier",
     "%0:2 = stablehlo.optimization_barrier %a, %t : tensor<4xf32>, !stablehlo.token\n"
     "stablehlo.optimization_barrier()",
     R"(%0:2 = "stablehlo.optimization_barrier"(%a, %t)
          : (tensor<4xf32>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
        "stablehlo.optimization_barrier"() : () -> ())"},
    {"Tokens",
     "%0 = stablehlo.create_token : !stablehlo.token\n"
     "%1 = stablehlo.after_all %0, %t : !stablehlo.token\n"
     "%2 = stablehlo.after_all : !stablehlo.token",
     R"(%0 = "stablehlo.create_token"() : () -> !stablehlo.token
        %1 = "stablehlo.after_all"(%0, %t)
          : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
        %2 = "stablehlo.after_all"() : () -> !stablehlo.token)"},
    {"Ids", "%0 = stablehlo.partition_id : tensor<ui32>\n%1 = stablehlo.replica_id : tensor<ui32>",
     R"(%0 = "stablehlo.partition_id"() : () -> tensor<ui32>
        %1 = "stablehlo.replica_id"() : () -> tensor<ui32>)"},
    {"Constant", "%0 = stablehlo.constant {x} dense<[1.0, 2.5]> : tensor<2xf32>",
     R"(%0 = "stablehlo.constant"() <{value = dense<[1.0, 2.5]> : tensor<2xf32>}> {x}
        : () -> tensor<2xf32>)"},
    {"Chlo",
     "%0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>\n"
     "%1 = chlo.next_after %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n"
     "%2 = chlo.broadcast_add %a, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"
     "%3, %4 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)\n"
     "%5 = chlo.constant dense<1> : tensor<2xi32>",
     R"(%0 = "chlo.erf"(%a) : (tensor<4xf32>) -> tensor<4xf32>
        %1 = "chlo.next_after"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %2 = "chlo.broadcast_add"(%a, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %3:2 = "chlo.top_k"(%a) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
        %5 = "chlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>)"},
    {"Scan",
     R"(%0:2 = chlo.scan(%a) inits(%s) dimension=0 attributes {is_reverse = true} {
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          stablehlo.return %x, %y : tensor<f32>, tensor<f32>
        } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>))",
     R"(%0:2 = "chlo.scan"(%a, %s) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes =
        array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          stablehlo.return %x, %y : tensor<f32>, tensor<f32>
        }) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>))"},
    {"Casts",
     "%0 = builtin.unrealized_conversion_cast %a : tensor<4xf32> to tensor<4xf32>\n"
     "%1:2 = builtin.unrealized_conversion_cast %a, %b : tensor<4xf32>, tensor<4xf32> to "
     "tensor<4xf32>, tensor<4xf32> {x}",
     R"(%0 = "builtin.unrealized_conversion_cast"(%a) : (tensor<4xf32>) -> tensor<4xf32>
        %1:2 = "builtin.unrealized_conversion_cast"(%a, %b) {x}
          : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>))"},
    {"Shardings",
     R"(%0 = sdy.sharding_constraint %m <@mesh, [{"x", "y"}, {?}]> : tensor<4x6xf32>
        %1 = sdy.reshard %0 <@mesh, [{}, {"y":(1)2}]> : tensor<4x6xf32>
        sdy.sharding_group %1 group_id=3 : tensor<4x6xf32>
        %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<4x6xf32>)",
     R"(%0 = "sdy.sharding_constraint"(%m) <{sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}>
          : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %1 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@mesh, [{}, {"y":(1)2}]>}>
          : (tensor<4x6xf32>) -> tensor<4x6xf32>
        "sdy.sharding_group"(%1) <{group_id = 3 : i64}> : (tensor<4x6xf32>) -> ()
        %2 = "sdy.propagation_barrier"(%1) <{allowed_direction = 1 : i32}>
          : (tensor<4x6xf32>) -> tensor<4x6xf32>)"},
    {"ManualComputation",
     R"(%0 = sdy.manual_computation(%m, %a) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>]
          out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"}
          (%x: tensor<2x6xf32>, %y: tensor<4xf32>) {
            sdy.return %x : tensor<2x6xf32>
          } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>)",
     R"(%0 = "sdy.manual_computation"(%m, %a) <{in_shardings = #sdy.sharding_per_value<[
          <@mesh, [{"x"}, {}]>, <@mesh, [{}]>]>, manual_axes = #sdy<manual_axes{"x"}>,
          out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
          ^bb0(%x: tensor<2x6xf32>, %y: tensor<4xf32>):
            "sdy.return"(%x) : (tensor<2x6xf32>) -> ()
          }) : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>)"},
    {"NamedComputation",
     R"(%0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"x"}]>] (%x: tensor<4xf32>) {
          sdy.return %x : tensor<4xf32>
        } : (tensor<4xf32>) -> tensor<4xf32>)",
     R"(%0 = "sdy.named_computation"(%a) <{in_shardings = #sdy.sharding_per_value<[
          <@mesh, [{"x"}]>]>, name = "f"}> ({
          ^bb0(%x: tensor<4xf32>):
            sdy.return %x : tensor<4xf32>
          }) : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"CollectivesOfShardings",
     R"(%0 = sdy.all_gather [{}, {"y"}] %m out_sharding=<@mesh, [{}, {}]> : tensor<4x6xf32>
        %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x6xf32>
        %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x6xf32>
        %3 = sdy.all_to_all [{"x"}: 0->1] %2 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x6xf32>)",
     R"(%0 = "sdy.all_gather"(%m) <{gathering_axes = #sdy<list_of_axis_ref_lists[{}, {"y"}]>,
          out_sharding = #sdy.sharding<@mesh, [{}, {}]>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %1 = "sdy.all_reduce"(%0) <{reduction_axes = #sdy<axis_ref_list{"x"}>,
          out_sharding = #sdy.sharding<@mesh, [{}, {}]>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %2 = "sdy.collective_permute"(%1) <{out_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}>
          : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %3 = "sdy.all_to_all"(%2) <{out_sharding = #sdy.sharding<@mesh, [{}, {"x"}]>, params =
          #sdy<all_to_all_param_list[{"x"}: 0->1]>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>)"},
    {"Channel",
     R"(%0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<
        handle = 0, type = 0>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
        : (tensor<4xf32>) -> tensor<4xf32>)",
     R"(%0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> :
        tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)"},
};

INSTANTIATE_TEST_SUITE_P(Forms, FormTest, testing::ValuesIn(kForms),
                         [](const testing::TestParamInfo<Form>& info) { return info.param.name; });

// Tests of StableHLO itself say what values must be.
TEST(TextTest, ReadsChecks) {
  const char kText[] =
      "func.func @f(%a: tensor<2xf32>) {\n"
      "  check.expect_eq %a, %a : tensor<2xf32>\n"
      "  check.expect_close %a, %a, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>\n"
      "  check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>\n"
      "  return\n"
      "}\n";
  const auto program = ReadText(kText);
  ASSERT_TRUE(program.ok()) << program.status();
  const Region& body = (*program)->module->regions[0].operations[0]->regions[0];
  ASSERT_EQ(body.operations.size(), 4);
  EXPECT_EQ(body.operations[0]->operands.size(), 2);
  EXPECT_NE(body.operations[1]->attribute("max_ulp_difference"), nullptr);
  EXPECT_NE(body.operations[2]->attribute("value"), nullptr);
}

TEST(TextTest, ModulesInEachForm) {
  const std::string printed = Printed(
      "module @m attributes {mhlo.num_partitions = 2 : i32} {\n"
      "  sdy.mesh @mesh = <[\"x\"=2]>\n"
      "  func.func public @main(%a: tensor<f32> {tf.aliasing_output = 0 : i32}, %b: tensor<f32>)\n"
      "      -> (tensor<f32> {jax.result_info = \"r\"}) attributes {x} {\n"
      "    return %a : tensor<f32>\n"
      "  }\n"
      "  func.func private @g(tensor<f32>) -> (tensor<f32>, tensor<f32>)\n"
      "}\n");
  EXPECT_EQ(printed, Printed(R"("builtin.module"() <{sym_name = "m"}> ({
    "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
    "func.func"() <{arg_attrs = [{tf.aliasing_output = 0 : i32}, {}],
        function_type = (tensor<f32>, tensor<f32>) -> tensor<f32>,
        res_attrs = [{jax.result_info = "r"}], sym_name = "main", sym_visibility = "public"}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      "func.return"(%a) : (tensor<f32>) -> ()
    }) {x} : () -> ()
    "func.func"() <{function_type = (tensor<f32>) -> (tensor<f32>, tensor<f32>), sym_name = "g",
        sym_visibility = "private"}> ({
    }) : () -> ()
  }) {mhlo.num_partitions = 2 : i32} : () -> ())"));
  EXPECT_EQ(Printed(printed), printed);
}

// A module need not be written.
TEST(TextTest, FunctionsAlone) {
  const auto program = ReadText("func.func @a() { return } func.func @b() { return }");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->module->name, "builtin.module");
  EXPECT_EQ((*program)->module->regions[0].operations.size(), 2);
  EXPECT_TRUE(ReadText("").ok());
}

// Regions see what is outside, functions do not, and names may be used again beside each other.
TEST(TextTest, ScopesOfNames) {
  EXPECT_TRUE(ReadText("func.func @a(%x: tensor<f32>) { return } "
                       "func.func @b(%x: tensor<f32>) { return }")
                  .ok());
  EXPECT_TRUE(ReadText("func.func @a(%p: tensor<i1>, %x: tensor<f32>) {\n"
                       "  %0 = \"stablehlo.if\"(%p) ({\n"
                       "    %1 = stablehlo.negate %x : tensor<f32>\n"
                       "    stablehlo.return %1 : tensor<f32>\n"
                       "  }, {\n"
                       "    %1 = stablehlo.abs %x : tensor<f32>\n"
                       "    stablehlo.return %1 : tensor<f32>\n"
                       "  }) : (tensor<i1>) -> tensor<f32>\n"
                       "  %1 = stablehlo.abs %0 : tensor<f32>\n"
                       "  return\n"
                       "}\n")
                  .ok());
}

TEST(TextTest, PlacesInTheText) {
  const auto program = ReadText(
      "func.func @a() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n"
      "  return\n}\n");
  ASSERT_TRUE(program.ok()) << program.status();
  const Operation& function = *(*program)->module->regions[0].operations[0];
  EXPECT_EQ(function.source_line, 1);
  EXPECT_EQ(function.source_column, 1);
  EXPECT_EQ(function.regions[0].operations[0]->source_line, 2);
  EXPECT_EQ(function.regions[0].operations[0]->source_column, 8);
  EXPECT_EQ(function.regions[0].operations[1]->source_line, 3);
}

}  // namespace
}  // namespace xla::stablehlo
