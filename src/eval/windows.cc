#include "eval/windows.h"

#include <algorithm>

#include "eval/value.h"
#include "xla/util.h"

namespace xla::eval {

Windows::Windows(const Window& window, absl::Span<const int64_t> array_sizes) {
  const DimensionVector strides = RowMajorStrides(array_sizes);
  for (size_t d = 0; d < array_sizes.size(); ++d) {
    const WindowDimension& dimension = window.dimensions(static_cast<int>(d));
    dimensions_.push_back({array_sizes[d], strides[d], dimension.size(), dimension.stride(),
                           dimension.padding_low(), dimension.window_dilation(),
                           dimension.base_dilation()});
  }
}

void Windows::ForEach(absl::Span<const int64_t> result_index,
                      absl::FunctionRef<void(int64_t)> visit) const {
  Visit(result_index, 0, 0, visit);
}

void Windows::Visit(absl::Span<const int64_t> result_index, size_t d, int64_t position,
                    absl::FunctionRef<void(int64_t)> visit) const {
  if (d == result_index.size()) return visit(position);
  for (int64_t k = 0; k < dimensions_[d].size; ++k) {
    const int64_t index = Index(d, result_index[d], k);
    if (index >= 0)
      Visit(result_index, d + 1, position + index * dimensions_[d].array_stride, visit);
  }
}

void Windows::ForEachOfRow(absl::Span<const int64_t> outer, int64_t first, int64_t lanes,
                           absl::FunctionRef<void(const Run&)> visit) const {
  Visit(outer, 0, 0, [&](int64_t position) { VisitRow(first, lanes, position, visit); });
}

void Windows::VisitRow(int64_t first, int64_t lanes, int64_t position,
                       absl::FunctionRef<void(const Run&)> visit) const {
  if (dimensions_.empty()) return visit({position, 0, 0, 1});
  const size_t last = dimensions_.size() - 1;
  const Dimension& dimension = dimensions_[last];
  for (int64_t k = 0; k < dimension.size; ++k) {
    if (dimension.base_dilation != 1) {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t index = Index(last, first + lane, k);
        if (index >= 0) visit({position + index, 0, lane, 1});
      }
      continue;
    }
    // Results o with 0 <= o * stride + offset < array_size.
    const int64_t offset = k * dimension.window_dilation - dimension.padding_low;
    const int64_t last = dimension.array_size - 1 - offset;
    if (last < 0) continue;
    const int64_t begin =
        std::max(first, offset < 0 ? CeilOfRatio(-offset, dimension.stride) : int64_t{0});
    const int64_t end = std::min(first + lanes, last / dimension.stride + 1);
    if (begin < end) {
      visit({position + begin * dimension.stride + offset, dimension.stride, begin - first,
             end - begin});
    }
  }
}

}  // namespace xla::eval
