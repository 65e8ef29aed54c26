#include "xla/hlo/builder/padding.h"

#include <algorithm>

#include "front/builder/window.h"
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
    if (input_dimensions[i] < 0 || window_dimensions[i] <= 0 || window_strides[i] <= 0) {
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
  return MakePadding(input_dimensions, window_dimensions, window_strides, padding);
}

absl::StatusOr<Window> MakeWindow(absl::string_view operation, absl::Span<const int64_t> sizes,
                                  absl::Span<const int64_t> strides,
                                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations,
                                  const std::optional<std::vector<bool>>& reversal) {
  const auto check = [&](absl::string_view list, size_t length) {
    if (length == 0 || length == sizes.size()) return absl::OkStatus();
    return InvalidArgument("%s: %d %s for a window of %d dimensions", operation, length, list,
                           sizes.size());
  };
  for (const absl::Status& status :
       {check("strides", strides.size()), check("paddings", padding.size()),
        check("base dilations", base_dilations.size()),
        check("window dilations", window_dilations.size()),
        check("reversals", reversal.has_value() ? reversal->size() : 0)}) {
    if (!status.ok()) return status;
  }
  Window window;
  for (size_t i = 0; i < sizes.size(); ++i) {
    WindowDimension* dimension = window.add_dimensions();
    dimension->set_size(sizes[i]);
    dimension->set_stride(strides.empty() ? 1 : strides[i]);
    if (!padding.empty()) {
      dimension->set_padding_low(padding[i].first);
      dimension->set_padding_high(padding[i].second);
    }
    dimension->set_base_dilation(base_dilations.empty() ? 1 : base_dilations[i]);
    dimension->set_window_dilation(window_dilations.empty() ? 1 : window_dilations[i]);
    if (reversal.has_value() && !reversal->empty()) {
      dimension->set_window_reversal((*reversal)[i]);
    }
  }
  return window;
}

}  // namespace xla
