#include "xla/hlo/builder/lib/conv_grad_size_util.h"

#include <algorithm>
#include <tuple>

#include "xla/util.h"

namespace xla {

absl::StatusOr<SpatialDimensionOutputSizeAndPadding> ConvGradExtractAndVerifyDimension(
    int64_t input_size, int64_t filter_size, int64_t output_size, int64_t dilation, int64_t stride,
    Padding padding) {
  constexpr int64_t kMaxSize = int64_t{1} << 31;  // so that no product overflows
  for (const auto& [name, value, least] :
       {std::tuple{"input size", input_size, int64_t{0}},
        std::tuple{"filter size", filter_size, int64_t{0}},
        std::tuple{"output size", output_size, int64_t{0}},
        std::tuple{"dilation", dilation, int64_t{1}}, std::tuple{"stride", stride, int64_t{1}}}) {
    if (value < least || value >= kMaxSize) {
      return InvalidArgument("convolution gradient: %s %d must be at least %d and below 2^31", name,
                             value, least);
    }
  }
  const int64_t window = (filter_size - 1) * dilation + 1;
  int64_t own_padding = 0, computed = (input_size - window + stride) / stride;
  if (padding == Padding::kSame) {
    computed = (input_size + stride - 1) / stride;
    own_padding = std::max<int64_t>((computed - 1) * stride + window - input_size, 0) / 2;
  }
  if (computed != output_size) {
    return InvalidArgument(
        "convolution gradient: %d elements with a filter of %d, dilation %d and stride %d make %d "
        "results, not %d",
        input_size, filter_size, dilation, stride, computed, output_size);
  }
  const int64_t spread = (output_size - 1) * stride + 1;
  const int64_t before = window - 1 - own_padding;
  return SpatialDimensionOutputSizeAndPadding{spread, before,
                                              input_size + window - 1 - spread - before};
}

}  // namespace xla
