// Paddings by name, as convolutions and windowed reductions take them.
#ifndef XLA_HLO_BUILDER_PADDING_H_
#define XLA_HLO_BUILDER_PADDING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace xla {

enum class Padding {
  // As much as makes the output ceil(input / stride) long. An odd element goes to the high side.
  kSame,
  // None: windows that do not fit are left out.
  kValid,
};

// InvalidArgument unless all three lists have the same length, windows and strides are positive and
// inputs are not negative.
absl::Status ValidatePaddingValues(absl::Span<const int64_t> input_dimensions,
                                   absl::Span<const int64_t> window_dimensions,
                                   absl::Span<const int64_t> window_strides);

// The number of elements to add at the low and the high end of each dimension. For kSame the total
// is max((ceil(input / stride) - 1) * stride + window - input, 0). The arguments must be valid as
// above.
std::vector<std::pair<int64_t, int64_t>> MakePadding(absl::Span<const int64_t> input_dimensions,
                                                     absl::Span<const int64_t> window_dimensions,
                                                     absl::Span<const int64_t> window_strides,
                                                     Padding padding);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_PADDING_H_
