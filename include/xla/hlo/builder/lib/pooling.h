// Pooling: maxima and means over windows that move over the spatial dimensions.
#ifndef XLA_HLO_BUILDER_LIB_POOLING_H_
#define XLA_HLO_BUILDER_LIB_POOLING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Which dimensions of an array are batch, feature and spatial ones.
class TensorFormat {
 public:
  TensorFormat(int batch_dimension, int feature_dimension,
               absl::Span<const int64_t> spatial_dimensions)
      : batch_dimension_(batch_dimension),
        feature_dimension_(feature_dimension),
        spatial_dimensions_(spatial_dimensions.begin(), spatial_dimensions.end()) {}

  int batch_dimension() const { return batch_dimension_; }
  int feature_dimension() const { return feature_dimension_; }
  int spatial_dimension(int dim) const { return static_cast<int>(spatial_dimensions_[dim]); }
  int num_spatial_dims() const { return static_cast<int>(spatial_dimensions_.size()); }

 private:
  int batch_dimension_;
  int feature_dimension_;
  std::vector<int64_t> spatial_dimensions_;
};

// In all functions `kernel_size` and `stride` have a number for each dimension of the operand, in
// its order; 1 for those that windows do not extend over. Lists of padding have a pair (low, high)
// for each spatial dimension, in the order of the format. InvalidArgument where the lists, the
// format and the operand do not fit together.

// The largest element of each window.
XlaOp MaxPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride, Padding padding, const TensorFormat& data_format);

// The mean of each window: of all its places, padding being zero, or only of those inside of the
// operand.
XlaOp AvgPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride,
              absl::Span<const std::pair<int64_t, int64_t>> padding,
              const TensorFormat& data_format, bool counts_include_padding);

// The padding of the spatial dimensions of an operand of the dimensions `input_size`. Empty where
// the arguments do not fit together.
std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(absl::Span<const int64_t> input_size,
                                                            absl::Span<const int64_t> kernel_size,
                                                            absl::Span<const int64_t> stride,
                                                            Padding padding,
                                                            const TensorFormat& data_format);

// The gradient of AvgPool by its operand, which has the dimensions `gradients_size`, given the
// gradient by its result.
XlaOp AvgPoolGrad(XlaOp out_backprop, absl::Span<const int64_t> gradients_size,
                  absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
                  absl::Span<const std::pair<int64_t, int64_t>> spatial_padding,
                  const TensorFormat& data_format, bool counts_include_padding);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_POOLING_H_
