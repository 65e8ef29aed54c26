#include "cpu/plan/expand_stencils.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "passes/expand/dot.h"
#include "passes/graph_builder.h"
#include "passes/replace.h"
#include "passes/simplify/algebra.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla::cpu {
namespace {

using passes::GraphBuilder;
using Dimensions = std::vector<int64_t>;

// More products are rather made by a library kernel, and so are those along short rows.
constexpr int64_t kMostTaps = 9, kLeastRow = 8;

bool IsFromOneChannelToOne(const HloInstruction& convolution) {
  const ConvolutionDimensionNumbers& numbers = convolution.convolution_dimension_numbers();
  const Shape& kernel = convolution.operand(1)->shape();
  return convolution.feature_group_count() <= 1 && convolution.batch_group_count() <= 1 &&
         kernel.dimensions(static_cast<int>(numbers.kernel_input_feature_dimension())) == 1 &&
         kernel.dimensions(static_cast<int>(numbers.kernel_output_feature_dimension())) == 1;
}

// The input's dimensions in the order of those of the result.
Dimensions InputDimensions(const HloInstruction& convolution) {
  const ConvolutionDimensionNumbers& numbers = convolution.convolution_dimension_numbers();
  Dimensions from(convolution.shape().dimensions_size());
  from[numbers.output_batch_dimension()] = numbers.input_batch_dimension();
  from[numbers.output_feature_dimension()] = numbers.input_feature_dimension();
  for (int i = 0; i < numbers.input_spatial_dimensions_size(); ++i)
    from[numbers.output_spatial_dimensions(i)] = numbers.input_spatial_dimensions(i);
  return from;
}

// Whether the result's elements lie in the order of the input's.
bool KeepsOrder(const HloInstruction& convolution) {
  const Dimensions from = InputDimensions(convolution);
  const Shape& result = convolution.shape();
  Dimensions larger;
  for (int d = 0; d < result.dimensions_size(); ++d) {
    if (result.dimensions(d) > 1) larger.push_back(from[d]);
  }
  return absl::c_is_sorted(larger);
}

// Whether operands are converted to the type of the sums without loss.
bool AreConvertedExactly(const HloInstruction& convolution) {
  const PrimitiveType result = convolution.shape().element_type();
  return absl::c_all_of(convolution.operands(), [&](const HloInstruction* operand) {
    const PrimitiveType type = operand->shape().element_type();
    return operand->shape().is_static() &&
           ((primitive_util::IsFloatingPointType(type) &&
             primitive_util::IsFloatingPointType(result)) ||
            (primitive_util::IsIntegralType(type) && primitive_util::IsIntegralType(result))) &&
           primitive_util::BitWidth(type) <= primitive_util::BitWidth(result);
  });
}

bool IsStencil(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConvolution || instruction.operand_count() != 2 ||
      !IsFromOneChannelToOne(instruction) || !KeepsOrder(instruction)) {
    return false;
  }
  const Shape &result = instruction.shape(), &kernel = instruction.operand(1)->shape();
  if (!result.IsArray() || !result.is_static() || ShapeUtil::IsZeroElementArray(result) ||
      !AreConvertedExactly(instruction) || ShapeUtil::ElementsIn(kernel) == 0 ||
      ShapeUtil::ElementsIn(kernel) > kMostTaps) {
    return false;
  }
  int64_t inner = 1;
  for (int d = result.dimensions_size(); d-- > 0 && inner == 1;) inner = result.dimensions(d);
  return inner >= kLeastRow && !window_util::HasStride(instruction.window()) &&
         !window_util::HasBaseDilation(instruction.window());
}

HloInstruction* Padded(GraphBuilder& b, HloInstruction* input, const HloInstruction& convolution) {
  if (!window_util::HasPadding(convolution.window())) return input;
  const ConvolutionDimensionNumbers& numbers = convolution.convolution_dimension_numbers();
  PaddingConfig padding;
  Shape shape = input->shape();
  for (int d = 0; d < shape.dimensions_size(); ++d) padding.add_dimensions();
  for (int i = 0; i < convolution.window().dimensions_size(); ++i) {
    const WindowDimension& window = convolution.window().dimensions(i);
    const int d = static_cast<int>(numbers.input_spatial_dimensions(i));
    padding.mutable_dimensions(d)->set_edge_padding_low(window.padding_low());
    padding.mutable_dimensions(d)->set_edge_padding_high(window.padding_high());
    shape.set_dimensions(d, shape.dimensions(d) + window.padding_low() + window.padding_high());
  }
  HloInstruction* const zero = b.Constant(LiteralUtil::Zero(shape.element_type()));
  return b.Add(HloInstruction::CreatePad(shape, input, zero, padding));
}

absl::StatusOr<HloInstruction*> Expand(HloInstruction& convolution) {
  if (!IsStencil(convolution)) return nullptr;
  const ConvolutionDimensionNumbers& numbers = convolution.convolution_dimension_numbers();
  const PrimitiveType type = passes::SumTypeOfDot(convolution);
  const auto result = convolution.shape().dimensions();
  const Dimensions from = InputDimensions(convolution);
  passes::Ranges first(from.size());  // what the first place of the kernel meets
  for (size_t d = 0; d < from.size(); ++d) first[from[d]] = {0, result[d], 1};

  GraphBuilder b(convolution);
  HloInstruction* const input =
      Padded(b, b.Convert(convolution.mutable_operand(0), type), convolution);
  HloInstruction* const kernel = b.Convert(convolution.mutable_operand(1), type);
  HloInstruction* sum = nullptr;
  for (int64_t tap = 0; tap < ShapeUtil::ElementsIn(kernel->shape()); ++tap) {
    passes::Ranges elements = first, factor(from.size(), {0, 1, 1});
    int64_t rest = tap;
    for (int i = convolution.window().dimensions_size(); i-- > 0;) {
      const WindowDimension& window = convolution.window().dimensions(i);
      const int64_t place = rest % window.size();
      rest /= window.size();
      const int64_t moved = place * window.window_dilation();
      SliceRange& along = elements[numbers.input_spatial_dimensions(i)];
      along.start += moved, along.limit += moved;
      const int64_t at = window.window_reversal() ? window.size() - 1 - place : place;
      factor[numbers.kernel_spatial_dimensions(i)] = {at, at + 1, 1};
    }
    HloInstruction* const product =
        b.Binary(HloOpcode::kMultiply, b.Reshape(passes::MakeSlice(b, input, elements), result),
                 b.Reshape(passes::MakeSlice(b, kernel, factor), {}));
    sum = sum == nullptr ? product : b.Binary(HloOpcode::kAdd, sum, product);
  }
  return b.Convert(sum, convolution.shape().element_type());
}

}  // namespace

absl::StatusOr<bool> ExpandStencils(HloModule& module) {
  return passes::ReplaceEach(module, Expand);
}

}  // namespace xla::cpu
