// Convolutions that read nothing but padding, everywhere or at some places of their kernels.
#include <algorithm>
#include <memory>
#include <utility>

#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/window_util.h"

namespace xla::passes {
namespace {

// Sums of no products; windows may lie in padding only.
HloInstruction* ConvolveNothing(HloInstruction& convolution) {
  const Shape& shape = convolution.shape();
  if (!IsProductOfArrays(convolution) ||
      (!ShapeUtil::IsZeroElementArray(convolution.operand(0)->shape()) &&
       !ShapeUtil::IsZeroElementArray(convolution.operand(1)->shape()))) {
    return nullptr;
  }
  GraphBuilder b(convolution);
  return b.Broadcast(b.Constant(LiteralUtil::Zero(shape.element_type())), shape.dimensions());
}

// The places of windows, of which there are so many, that reach an array of so many elements:
// behind the padding in the last window, and before the end in the first one.
SliceRange PlacesInArray(const WindowDimension& window, int64_t windows, int64_t elements) {
  const int64_t last = elements == 0 ? -1 : (elements - 1) * window.base_dilation();
  const int64_t before = window.padding_low() - (windows - 1) * window.stride();
  const int64_t reached = std::max<int64_t>(-1, window.padding_low() + last);
  const int64_t dilation = window.window_dilation();
  return {CeilOfRatio(std::max<int64_t>(0, before), dilation),
          std::min(window.size(), FloorOfRatio(reached + dilation, dilation))};
}

// Of a kernel only the places are read at which some window has the array: of one of 3 x 3 elements
// around a single one, that in the middle.
HloInstruction* TrimKernel(HloInstruction& convolution) {
  if (!IsProductOfArrays(convolution)) return nullptr;
  auto attributes =
      std::make_unique<ConvolutionAttributes>(convolution.attributes_as<ConvolutionAttributes>());
  const ConvolutionDimensionNumbers& numbers = attributes->dimension_numbers;
  HloInstruction* kernel = convolution.mutable_operand(1);
  Ranges ranges;
  for (const int64_t size : kernel->shape().dimensions()) ranges.push_back({0, size});
  bool is_less = false;
  for (int i = 0; i < attributes->window.dimensions_size(); ++i) {
    WindowDimension& window = *attributes->window.mutable_dimensions(i);
    if (window.window_reversal()) continue;
    const int64_t windows =
        convolution.shape().dimensions(static_cast<int>(numbers.output_spatial_dimensions(i)));
    const int64_t elements = convolution.operand(0)->shape().dimensions(
        static_cast<int>(numbers.input_spatial_dimensions(i)));
    const auto [begin, end, step] = PlacesInArray(window, windows, elements);
    if (begin >= end || end - begin == window.size()) continue;
    is_less = true;
    ranges[numbers.kernel_spatial_dimensions(i)] = {begin, end};
    window.set_padding_low(window.padding_low() - begin * window.window_dilation());
    window.set_padding_high(window.padding_high() -
                            (window.size() - end) * window.window_dilation());
    window.set_size(end - begin);
  }
  if (!is_less) return nullptr;
  GraphBuilder b(convolution);
  return b.Add(HloInstruction::Create(
      HloOpcode::kConvolution, convolution.shape(),
      {convolution.mutable_operand(0), MakeSlice(b, kernel, ranges)}, std::move(attributes), {}));
}

constexpr OpcodeRule kConvolutionRules[] = {
    {HloOpcode::kConvolution, ConvolveNothing},
    {HloOpcode::kConvolution, TrimKernel},
};

}  // namespace

absl::Span<const OpcodeRule> ConvolutionRules() { return kConvolutionRules; }

}  // namespace xla::passes
