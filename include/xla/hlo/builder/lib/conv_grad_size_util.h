// Sizes and paddings for gradients of convolutions and of windowed operations.
#ifndef XLA_HLO_BUILDER_LIB_CONV_GRAD_SIZE_UTIL_H_
#define XLA_HLO_BUILDER_LIB_CONV_GRAD_SIZE_UTIL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/builder/padding.h"

namespace xla {

// One spatial dimension of the gradient by the output, made ready for a convolution with the
// mirrored filter, at stride 1, that gives the gradient by the input.
struct SpatialDimensionOutputSizeAndPadding {
  // The size with stride - 1 zeros between neighbours.
  int64_t output_size;
  // Zeros to add at the low and at the high end; negative ones take elements away.
  int64_t pad_before;
  int64_t pad_after;
};

// For a convolution of `input_size` elements with a filter of `filter_size` elements, `dilation`
// apart, at `stride`, that has `output_size` results. With f = (filter_size - 1) * dilation + 1:
//   output_size' = (output_size - 1) * stride + 1
//   pad_before = f - 1 - (the convolution's own padding at the low end, see MakePadding)
//   pad_after = input_size + f - 1 - output_size' - pad_before
// InvalidArgument when the convolution has another number of results, for a stride or dilation
// below 1, negative sizes and sizes of 2^31 and more.
absl::StatusOr<SpatialDimensionOutputSizeAndPadding> ConvGradExtractAndVerifyDimension(
    int64_t input_size, int64_t filter_size, int64_t output_size, int64_t dilation, int64_t stride,
    Padding padding);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_CONV_GRAD_SIZE_UTIL_H_
