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

// Whether one of so many windows has the array, which has so many elements, at place k of it.
bool ReadsArray(const WindowDimension& window, int64_t windows, int64_t elements, int64_t k) {
  const int64_t first = k * window.window_dilation() - window.padding_low();
  const int64_t i = CeilOfRatio(std::max<int64_t>(0, -first), window.stride());
  const int64_t last = elements == 0 ? -1 : (elements - 1) * window.base_dilation();
  return i < windows && first + i * window.stride() <= last;
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
    const auto reads = [&](int64_t k) { return ReadsArray(window, windows, elements, k); };
    int64_t begin = 0, end = window.size();
    while (begin < end && !reads(begin)) ++begin;
    while (begin < end && !reads(end - 1)) --end;
    if (begin == end || end - begin == window.size()) continue;
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
