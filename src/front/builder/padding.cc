#include "xla/hlo/builder/padding.h"

#include <algorithm>

#include "front/builder/window.h"
#include "xla/service/shape_inference.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

absl::Status ValidatePaddingValues(absl::Span<const int64_t> input_dimensions,
                                   absl::Span<const int64_t> window_dimensions,
                                   absl::Span<const int64_t> window_strides) {
  if (input_dimensions.size() != window_dimensions.size() ||
      input_dimensions.size() != window_strides.size()) {
    return InvalidArgument(
        "padding: %d input dimensions, %d window dimensions and %d strides must be equally many",
        input_dimensions.size(), window_dimensions.size(), window_strides.size());
  }
  for (size_t i = 0; i < input_dimensions.size(); ++i) {
    if (!Shape::IsValidDimensionSize(input_dimensions[i], /*is_dynamic=*/true) ||
        window_dimensions[i] <= 0 || window_strides[i] <= 0) {
      return InvalidArgument(
          "padding: dimension %d has input size %d, window size %d, stride %d; windows and strides "
          "must be positive",
          i, input_dimensions[i], window_dimensions[i], window_strides[i]);
    }
  }
  return absl::OkStatus();
}

std::vector<std::pair<int64_t, int64_t>> MakePadding(absl::Span<const int64_t> input_dimensions,
                                                     absl::Span<const int64_t> window_dimensions,
                                                     absl::Span<const int64_t> window_strides,
                                                     Padding padding) {
  std::vector<std::pair<int64_t, int64_t>> result(input_dimensions.size(), {0, 0});
  if (padding == Padding::kValid) return result;
  for (size_t i = 0; i < input_dimensions.size(); ++i) {
    // As much of the last window as lies outside of the input; an empty input has its last window
    // before the first one.
    const int64_t last_start = input_dimensions[i] == 0 ? -window_strides[i]
                                                        : (input_dimensions[i] - 1) /
                                                              window_strides[i] * window_strides[i];
    const int64_t total =
        std::max<int64_t>(window_dimensions[i] - (input_dimensions[i] - last_start), 0);
    result[i] = {total / 2, total - total / 2};
  }
  return result;
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> PaddingFor(
    absl::string_view operation, absl::Span<const int64_t> input_dimensions,
    absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
    Padding padding) {
  const absl::Status valid =
      ValidatePaddingValues(input_dimensions, window_dimensions, window_strides);
  if (!valid.ok()) return InvalidArgument("%s: %s", operation, valid.message());
  for (int64_t size : input_dimensions) {
    if (size == Shape::kUnboundedSize && padding != Padding::kValid) {
      return InvalidArgument("%s: how much padding a size that is not known needs is not known",
                             operation);
    }
  }
  return MakePadding(input_dimensions, window_dimensions, window_strides, padding);
}

absl::StatusOr<Window> MakeWindow(absl::string_view operation, absl::Span<const int64_t> sizes,
                                  absl::Span<const int64_t> strides,
                                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations,
                                  const std::optional<std::vector<bool>>& reversal) {
  absl::StatusOr<Window> window = ShapeInference::InferWindowFromDimensions(
      sizes, strides, padding, base_dilations, window_dilations, reversal);
  if (!window.ok()) return InvalidArgument("%s: %s", operation, window.status().message());
  return window;
}

}  // namespace xla
