// Windows of reduce-window and convolution, and padding configurations.
#ifndef HILO_INCLUDE_XLA_WINDOW_UTIL_H_
#define HILO_INCLUDE_XLA_WINDOW_UTIL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "xla/xla_data.pb.h"

namespace xla::window_util {

// No padding, no dilation, strides of 1 unless given.
Window MakeWindow(absl::Span<const int64_t> sizes);
Window MakeWindow(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides);

// Edge padding of sizes[i] on both sides of dimension i.
PaddingConfig MakeSymmetricPadding(absl::Span<const int64_t> sizes);

// "(size=3,stride=2,padding_low=1)": what is not the default.
std::string ToString(const WindowDimension& dim);
// The HLO text form without its braces, "size=3x3 stride=2x2 pad=1_1x1_1"; empty for no dimensions.
std::string ToString(const Window& window);

// Whether some dimension is so, unless the name says all.
bool HasStride(const Window& window);
bool HasPadding(const Window& window);
bool HasSymmetricPadding(const Window& window);  // All: the same padding on both sides.
bool HasNegativePadding(const Window& window);
bool HasSymmetricPadding(const PaddingConfig& padding_config);
bool HasBaseDilation(const Window& window);
bool HasWindowDilation(const Window& window);
bool HasDilation(const Window& window);
bool HasOverlappingWindow(const Window& window);
bool HasWindowReversal(const Window& window);
bool AllOrNoneReversed(const Window& window);
// Size 1, stride 1, no padding, no dilation.
bool IsTrivialWindowDimension(const WindowDimension& window_dimension);

// The size when dilation - 1 holes are put between neighbours: (bound - 1) * dilation + 1, and 0
// for 0. The largest int64_t on overflow. CHECKs bound >= 0 and dilation >= 1.
int64_t DilatedBound(int64_t bound, int64_t dilation);

// How many windows fit: floor((bound - window_size) / stride) + 1, and 0 when none does or bound is
// 0. CHECKs bound >= 0, window_size >= 0 and stride >= 1.
int64_t StridedBound(int64_t bound, int64_t window_size, int64_t stride);

}  // namespace xla::window_util

#endif  // HILO_INCLUDE_XLA_WINDOW_UTIL_H_
