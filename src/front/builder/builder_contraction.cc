// Matrix products, convolutions, linear algebra, transforms and normalisation.
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "front/builder/window.h"
#include "ir/dimension_numbers.h"
#include "ir/records.h"
#include "xla/util.h"

namespace xla {
namespace {

using internal::BuilderState;

void SetPrecision(const PrecisionConfig* config, PrecisionAttributes& attributes) {
  if (config != nullptr) attributes.precision = *config;
}

// The operation with its result in another element type than the operands suggest.
XlaOp AddOpOfType(BuilderState::Description description, absl::Span<const XlaOp> operands,
                  std::optional<PrimitiveType> type) {
  XlaBuilder* builder = BuilderOf(operands);
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    if (type.has_value()) {
      HILO_ASSIGN_OR_RETURN(Shape shape, StateOf(builder).Infer(description, operands));
      shape.set_element_type(*type);
      description.shape = std::move(shape);
    }
    return AddOp(std::move(description), operands);
  });
}

// What the many forms of convolution come down to.
struct Convolution {
  absl::Span<const int64_t> window_strides;
  absl::Span<const std::pair<int64_t, int64_t>> padding;
  absl::Span<const int64_t> lhs_dilation;
  absl::Span<const int64_t> rhs_dilation;
  const ConvolutionDimensionNumbers& dimension_numbers;
  int64_t feature_group_count;
  int64_t batch_group_count;
  const PrecisionConfig* precision_config;
  std::optional<std::vector<bool>> window_reversal = std::nullopt;
};

// The sizes of an array in the given dimensions.
absl::StatusOr<Int64List> SizesOf(absl::string_view what, const Shape& shape,
                                  absl::Span<const int64_t> dimensions) {
  Int64List sizes;
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= shape.dimensions_size()) {
      return InvalidArgument("convolution: %s %s has no spatial dimension %d", what,
                             shape.ToString(), dimension);
    }
    sizes.push_back(shape.dimensions(static_cast<int>(dimension)));
  }
  return sizes;
}

template <typename Record>
absl::Status SetConvolution(const Convolution& convolution, XlaOp rhs, Record& attributes) {
  HILO_ASSIGN_OR_RETURN(const Shape kernel, ShapeOf(rhs));
  HILO_ASSIGN_OR_RETURN(
      const Int64List sizes,
      SizesOf("kernel", kernel, convolution.dimension_numbers.kernel_spatial_dimensions()));
  HILO_ASSIGN_OR_RETURN(
      attributes.window,
      MakeWindow("convolution", sizes, convolution.window_strides, convolution.padding,
                 convolution.lhs_dilation, convolution.rhs_dilation, convolution.window_reversal));
  attributes.dimension_numbers = convolution.dimension_numbers;
  attributes.feature_group_count = convolution.feature_group_count;
  attributes.batch_group_count = convolution.batch_group_count;
  SetPrecision(convolution.precision_config, attributes);
  return absl::OkStatus();
}

absl::StatusOr<BuilderState::Description> Describe(const Convolution& convolution, XlaOp rhs) {
  auto attributes = std::make_unique<ConvolutionAttributes>();
  HILO_RETURN_IF_ERROR(SetConvolution(convolution, rhs, *attributes));
  return BuilderState::Description{HloOpcode::kConvolution, std::move(attributes)};
}

// A custom call that convolves `lhs` and `rhs` with sizes known only at run time.
XlaOp DynamicConvolution(absl::string_view target, const Convolution& convolution, XlaOp lhs,
                         XlaOp rhs, absl::Span<const XlaOp> operands, PaddingType padding_type,
                         std::optional<PrimitiveType> type, bool has_static_result) {
  return WithBuilder(lhs.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const BuilderState::Description plain, Describe(convolution, rhs));
    HILO_ASSIGN_OR_RETURN(Shape shape, StateOf(lhs.builder()).Infer(plain, {lhs, rhs}));
    if (type.has_value()) shape.set_element_type(*type);
    if (has_static_result) shape.clear_dynamic_dimensions();
    auto attributes = std::make_unique<CustomCallAttributes>();
    HILO_RETURN_IF_ERROR(SetConvolution(convolution, rhs, *attributes));
    attributes->target = std::string(target);
    attributes->padding_type = padding_type;
    return AddOp({HloOpcode::kCustomCall, std::move(attributes), {}, std::move(shape)}, operands);
  });
}

XlaOp BatchNorm(HloOpcode opcode, absl::Span<const XlaOp> operands, float epsilon,
                int64_t feature_index) {
  auto attributes = std::make_unique<BatchNormAttributes>();
  attributes->epsilon = epsilon;
  attributes->feature_index = feature_index;
  return AddOp({opcode, std::move(attributes)}, operands);
}

}  // namespace

XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type) {
  return WithBuilder(BuilderOf({lhs, rhs}), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape left, BuilderOf({lhs, rhs})->GetShape(lhs));
    DotDimensionNumbers numbers;
    numbers.add_lhs_contracting_dimensions(left.dimensions_size() == 1 ? 0 : 1);
    numbers.add_rhs_contracting_dimensions(0);
    return DotGeneral(lhs, rhs, numbers, precision_config, preferred_element_type);
  });
}

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type) {
  auto attributes = std::make_unique<DotAttributes>();
  SetDimensions(dimension_numbers, *attributes);
  SetPrecision(precision_config, *attributes);
  return AddOpOfType({HloOpcode::kDot, std::move(attributes)}, {lhs, rhs}, preferred_element_type);
}

XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type) {
  auto attributes = std::make_unique<RaggedDotAttributes>();
  SetDimensions(dimension_numbers, *attributes);
  SetPrecision(precision_config, *attributes);
  return AddOpOfType({HloOpcode::kRaggedDot, std::move(attributes)}, {lhs, rhs, group_sizes},
                     preferred_element_type);
}

XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
           int64_t feature_group_count, int64_t batch_group_count,
           const PrecisionConfig* precision_config,
           std::optional<PrimitiveType> preferred_element_type) {
  return ConvWithGeneralDimensions(
      lhs, rhs, window_strides, padding,
      XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(window_strides.size())),
      feature_group_count, batch_group_count, precision_config, preferred_element_type);
}

XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const PrecisionConfig* precision_config,
                             std::optional<PrimitiveType> preferred_element_type) {
  return ConvGeneral(
      lhs, rhs, window_strides, padding,
      XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(window_strides.size())),
      feature_group_count, batch_group_count, precision_config, preferred_element_type);
}

XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                int64_t feature_group_count, int64_t batch_group_count,
                                const PrecisionConfig* precision_config,
                                std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = BuilderOf({lhs, rhs});
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape input, builder->GetShape(lhs));
    HILO_ASSIGN_OR_RETURN(const Shape kernel, builder->GetShape(rhs));
    HILO_ASSIGN_OR_RETURN(const Int64List input_sizes,
                          SizesOf("input", input, dimension_numbers.input_spatial_dimensions()));
    HILO_ASSIGN_OR_RETURN(const Int64List kernel_sizes,
                          SizesOf("kernel", kernel, dimension_numbers.kernel_spatial_dimensions()));
    HILO_ASSIGN_OR_RETURN(const auto pairs, PaddingFor("convolution", input_sizes, kernel_sizes,
                                                       window_strides, padding));
    return ConvGeneral(lhs, rhs, window_strides, pairs, dimension_numbers, feature_group_count,
                       batch_group_count, precision_config, preferred_element_type);
  });
}

XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers, int64_t feature_group_count,
                  int64_t batch_group_count, const PrecisionConfig* precision_config,
                  std::optional<PrimitiveType> preferred_element_type) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers,
                            feature_group_count, batch_group_count, precision_config,
                            preferred_element_type);
}

XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config,
                         std::optional<PrimitiveType> preferred_element_type,
                         std::optional<std::vector<bool>> window_reversal) {
  return WithBuilder(BuilderOf({lhs, rhs}), [&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(BuilderOf({lhs, rhs})->GetShape(rhs).status());
    HILO_ASSIGN_OR_RETURN(
        BuilderState::Description description,
        Describe({window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
                  feature_group_count, batch_group_count, precision_config, window_reversal},
                 rhs));
    return AddOpOfType(std::move(description), {lhs, rhs}, preferred_element_type);
  });
}

XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type) {
  return DynamicConvolution("DynamicConvolutionForward",
                            {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
                             feature_group_count, batch_group_count, precision_config},
                            lhs, rhs, {lhs, rhs}, padding_type, preferred_element_type,
                            /*has_static_result=*/false);
}

XlaOp DynamicConvInputGrad(
    XlaOp input_sizes, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type) {
  return DynamicConvolution("DynamicConvolutionInputGrad",
                            {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
                             feature_group_count, batch_group_count, precision_config},
                            lhs, rhs, {input_sizes, lhs, rhs}, padding_type, preferred_element_type,
                            /*has_static_result=*/false);
}

XlaOp DynamicConvKernelGrad(
    XlaOp activations, XlaOp gradients, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type) {
  return DynamicConvolution("DynamicConvolutionKernelGrad",
                            {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
                             feature_group_count, batch_group_count, precision_config},
                            activations, gradients, {activations, gradients}, padding_type,
                            preferred_element_type,
                            /*has_static_result=*/true);
}

XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length) {
  auto attributes = std::make_unique<FftAttributes>();
  attributes->fft_type = fft_type;
  attributes->fft_length = ToInt64List(fft_length);
  return AddOp({HloOpcode::kFft, std::move(attributes)}, {operand});
}

XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TriangularSolveOptions::Transpose transpose_a) {
  auto attributes = std::make_unique<TriangularSolveAttributes>();
  attributes->left_side = left_side;
  attributes->lower = lower;
  attributes->unit_diagonal = unit_diagonal;
  attributes->transpose_a = transpose_a;
  return AddOp({HloOpcode::kTriangularSolve, std::move(attributes)}, {a, b});
}

XlaOp Cholesky(XlaOp a, bool lower) {
  auto attributes = std::make_unique<CholeskyAttributes>();
  attributes->lower = lower;
  return AddOp({HloOpcode::kCholesky, std::move(attributes)}, {a});
}

XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                        int64_t feature_index) {
  return BatchNorm(HloOpcode::kBatchNormTraining, {operand, scale, offset}, epsilon, feature_index);
}

XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, int64_t feature_index) {
  return BatchNorm(HloOpcode::kBatchNormInference, {operand, scale, offset, mean, variance},
                   epsilon, feature_index);
}

XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, int64_t feature_index) {
  return BatchNorm(HloOpcode::kBatchNormGrad, {operand, scale, batch_mean, batch_var, grad_output},
                   epsilon, feature_index);
}

}  // namespace xla
