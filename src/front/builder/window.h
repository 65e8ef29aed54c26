// Windows from the lists that builder functions take.
#ifndef HILO_FRONT_BUILDER_WINDOW_H_
#define HILO_FRONT_BUILDER_WINDOW_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/padding.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Each list has as many entries as `sizes`, or none, which means no padding and 1 everywhere.
// InvalidArgument, naming `operation`, otherwise.
absl::StatusOr<Window> MakeWindow(absl::string_view operation, absl::Span<const int64_t> sizes,
                                  absl::Span<const int64_t> strides,
                                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations,
                                  const std::optional<std::vector<bool>>& reversal = std::nullopt);

// MakePadding of lists that fit; InvalidArgument, naming `operation`, of others.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> PaddingFor(
    absl::string_view operation, absl::Span<const int64_t> input_dimensions,
    absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
    Padding padding);

}  // namespace xla

#endif  // HILO_FRONT_BUILDER_WINDOW_H_
