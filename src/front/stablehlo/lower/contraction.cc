// Products, transforms, linear algebra and normalisation.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "front/builder/window.h"
#include "front/stablehlo/dot_algorithms.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// An element type as the name that StableHLO has for it; empty where there is none.
absl::StatusOr<std::string> GetTypeName(const Operation& op, absl::string_view name) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return std::string();
  const auto* type = As<TypeAttribute>(attribute);
  if (type == nullptr) return InvalidArgument("the attribute %s must be a type", name);
  if (std::holds_alternative<NoType>(type->type->value)) return std::string();
  if (std::holds_alternative<TensorFloat32>(type->type->value)) return std::string("tf32");
  const auto* element = std::get_if<PrimitiveType>(&type->type->value);
  if (element == nullptr) return InvalidArgument("the attribute %s must be an element type", name);
  return std::string(primitive_util::LowercasePrimitiveTypeName(*element));
}

absl::StatusOr<PrecisionConfig::Algorithm> GetAlgorithm(const Operation& op) {
  HILO_ASSIGN_OR_RETURN(const std::string lhs, GetTypeName(op, "lhs_precision_type"));
  HILO_ASSIGN_OR_RETURN(const std::string rhs, GetTypeName(op, "rhs_precision_type"));
  HILO_ASSIGN_OR_RETURN(const std::string accumulation, GetTypeName(op, "accumulation_type"));
  if (lhs.empty() && rhs.empty() && accumulation.empty()) return PrecisionConfig::ALG_UNSET;
  const auto count = [&](absl::string_view name) -> absl::StatusOr<int64_t> {
    return As<IntegerAttribute>(op.attribute(name)) == nullptr ? 1 : GetInteger(op, name);
  };
  HILO_ASSIGN_OR_RETURN(const int64_t lhs_parts, count("lhs_component_count"));
  HILO_ASSIGN_OR_RETURN(const int64_t rhs_parts, count("rhs_component_count"));
  HILO_ASSIGN_OR_RETURN(const int64_t operations, count("num_primitive_operations"));
  const auto* imprecise = As<bool>(op.attribute("allow_imprecise_accumulation"));
  const bool is_imprecise = imprecise != nullptr && *imprecise;
  if (lhs_parts == 1 && rhs_parts == 1) {
    if (absl::StartsWith(lhs, "f8") && absl::StartsWith(rhs, "f8") && accumulation == "f32" &&
        operations == 1) {
      return is_imprecise ? PrecisionConfig::ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM
                          : PrecisionConfig::ALG_DOT_ANY_F8_ANY_F8_F32;
    }
    for (const DotAlgorithm& known : kDotAlgorithms) {
      if (!is_imprecise && known.operands == lhs && known.operands == rhs &&
          known.accumulation == accumulation && known.operations == operations) {
        return known.value;
      }
    }
  }
  return Unimplemented(
      "there is no algorithm for products of %s and %s in %s with %d, %d parts and %d operations",
      lhs, rhs, accumulation, lhs_parts, rhs_parts, operations);
}

}  // namespace

absl::StatusOr<PrecisionConfig> ToPrecision(const Operation& op) {
  PrecisionConfig config;
  const Attribute* attribute = op.attribute("precision_config");
  if (attribute != nullptr) {
    const auto* array = As<ArrayAttribute>(attribute);
    if (array == nullptr) return InvalidArgument("precision_config must be an array");
    for (const Attribute* element : array->elements) {
      const auto* keyword = As<KeywordAttribute>(element);
      PrecisionConfig::Precision precision;
      if (keyword == nullptr ||
          !PrecisionConfig::Precision_Parse(std::string(keyword->name), &precision)) {
        return InvalidArgument("precision_config names no precision");
      }
      config.add_operand_precision(precision);
    }
  }
  HILO_ASSIGN_OR_RETURN(const PrecisionConfig::Algorithm algorithm, GetAlgorithm(op));
  config.set_algorithm(algorithm);
  return config;
}

absl::Status LowerDot(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  if (!operands[0]->shape().IsArray() || operands[0]->shape().dimensions().empty()) {
    return InvalidArgument("the first operand must be a vector or a matrix");
  }
  auto attributes = std::make_unique<DotAttributes>();
  attributes->lhs_contracting = {operands[0]->shape().dimensions_size() - 1};
  attributes->rhs_contracting = {0};
  HILO_ASSIGN_OR_RETURN(attributes->precision, ToPrecision(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::Status LowerDotGeneral(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<DotAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->lhs_batch, GetIntegersOrNone(op, "lhs_batching_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_batch, GetIntegersOrNone(op, "rhs_batching_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->lhs_contracting,
                        GetIntegersOrNone(op, "lhs_contracting_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_contracting,
                        GetIntegersOrNone(op, "rhs_contracting_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->precision, ToPrecision(op));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::Status LowerEinsum(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view config, GetString(op, "einsum_config"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                        AddLibraryCall(body, absl::StrCat("einsum ", config), operands,
                                       [&](absl::Span<const XlaOp> x) {
                                         return x.size() == 1 ? Einsum(x[0], config)
                                                              : Einsum(x[0], x[1], config);
                                       }));
  return body.Define(op, result);
}

absl::Status EmitConvolution(Body& body, const Operation& op,
                             absl::Span<const std::pair<int64_t, int64_t>> padding) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> all, body.Operands(op));
  const std::vector<HloInstruction*> operands = {all[0], all[1]};
  const Shape& kernel = operands[1]->shape();
  if (!kernel.IsArrayExcludingBuffer()) return InvalidArgument("the kernel is no array");
  auto attributes = std::make_unique<ConvolutionAttributes>();
  ConvolutionDimensionNumbers& numbers = attributes->dimension_numbers;
  HILO_ASSIGN_OR_RETURN(const int64_t input_batch, GetInteger(op, "input_batch_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t input_feature, GetInteger(op, "input_feature_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t kernel_input,
                        GetInteger(op, "kernel_input_feature_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t kernel_output,
                        GetInteger(op, "kernel_output_feature_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t output_batch, GetInteger(op, "output_batch_dimension"));
  HILO_ASSIGN_OR_RETURN(const int64_t output_feature, GetInteger(op, "output_feature_dimension"));
  numbers.set_input_batch_dimension(input_batch);
  numbers.set_input_feature_dimension(input_feature);
  numbers.set_kernel_input_feature_dimension(kernel_input);
  numbers.set_kernel_output_feature_dimension(kernel_output);
  numbers.set_output_batch_dimension(output_batch);
  numbers.set_output_feature_dimension(output_feature);
  HILO_ASSIGN_OR_RETURN(const Integers input, GetIntegersOrNone(op, "input_spatial_dimensions"));
  HILO_ASSIGN_OR_RETURN(const Integers spatial, GetIntegersOrNone(op, "kernel_spatial_dimensions"));
  HILO_ASSIGN_OR_RETURN(const Integers output, GetIntegersOrNone(op, "output_spatial_dimensions"));
  numbers.mutable_input_spatial_dimensions()->Assign(input.begin(), input.end());
  numbers.mutable_kernel_spatial_dimensions()->Assign(spatial.begin(), spatial.end());
  numbers.mutable_output_spatial_dimensions()->Assign(output.begin(), output.end());

  Integers sizes;
  for (const int64_t dimension : spatial) {
    if (dimension < 0 || dimension >= kernel.dimensions_size()) {
      return InvalidArgument("the kernel has no spatial dimension %d", dimension);
    }
    sizes.push_back(kernel.dimensions(static_cast<int>(dimension)));
  }
  const auto count = static_cast<int64_t>(sizes.size());
  HILO_ASSIGN_OR_RETURN(const Integers strides, GetIntegersOr(op, "window_strides", count, 1));
  HILO_ASSIGN_OR_RETURN(const Integers lhs_dilation, GetIntegersOr(op, "lhs_dilation", count, 1));
  HILO_ASSIGN_OR_RETURN(const Integers rhs_dilation, GetIntegersOr(op, "rhs_dilation", count, 1));
  HILO_ASSIGN_OR_RETURN(const Integers reversal, GetIntegersOr(op, "window_reversal", count, 0));
  HILO_ASSIGN_OR_RETURN(
      attributes->window,
      MakeWindow("convolution", sizes, strides, padding, lhs_dilation, rhs_dilation,
                 std::vector<bool>(reversal.begin(), reversal.end())));
  HILO_ASSIGN_OR_RETURN(attributes->feature_group_count,
                        GetIntegerOr(op, "feature_group_count", 1));
  HILO_ASSIGN_OR_RETURN(attributes->batch_group_count, GetIntegerOr(op, "batch_group_count", 1));
  HILO_ASSIGN_OR_RETURN(attributes->precision, ToPrecision(op));
  return body.Emit(op, HloOpcode::kConvolution, operands, std::move(attributes));
}

absl::Status LowerConvolution(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const auto padding, GetPairs(op, "padding"));
  return EmitConvolution(body, op, padding);
}

absl::Status LowerFft(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<FftAttributes>();
  HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetKeyword(op, "fft_type"));
  FftType type;
  if (!FftType_Parse(std::string(name), &type)) {
    return InvalidArgument("there is no transform %s", name);
  }
  attributes->fft_type = type;
  HILO_ASSIGN_OR_RETURN(attributes->fft_length, GetIntegers(op, "fft_length"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerCholesky(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<CholeskyAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->lower, GetBool(op, "lower"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerTriangularSolve(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<TriangularSolveAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->left_side, GetBool(op, "left_side"));
  HILO_ASSIGN_OR_RETURN(attributes->lower, GetBool(op, "lower"));
  HILO_ASSIGN_OR_RETURN(attributes->unit_diagonal, GetBool(op, "unit_diagonal"));
  HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetKeyword(op, "transpose_a"));
  TriangularSolveOptions::Transpose transpose;
  if (!TriangularSolveOptions::Transpose_Parse(std::string(name), &transpose)) {
    return InvalidArgument("there is no transpose_a %s", name);
  }
  attributes->transpose_a = transpose;
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::Status LowerBatchNorm(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<BatchNormAttributes>();
  HILO_ASSIGN_OR_RETURN(const double epsilon, GetFloat(op, "epsilon"));
  attributes->epsilon = static_cast<float>(epsilon);
  HILO_ASSIGN_OR_RETURN(attributes->feature_index, GetInteger(op, "feature_index"));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

}  // namespace xla::stablehlo::lowering
