// Which elements of an array lie in the windows that move over it.
#ifndef HILO_EVAL_WINDOWS_H_
#define HILO_EVAL_WINDOWS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla::eval {

// Windows over a row-major array. Per dimension, element k of the window at result index o is the
// array's element (o * stride + k * window_dilation - padding_low) / base_dilation, if that is a
// whole number within the array.
class Windows {
 public:
  Windows(const Window& window, absl::Span<const int64_t> array_sizes);

  // Positions of the array's elements in the window of a result, in row-major order of the window.
  void ForEach(absl::Span<const int64_t> result_index,
               absl::FunctionRef<void(int64_t position)> visit) const;

  // Elements at `position`, `position` + `stride`, ... belong to `count` neighbouring results.
  struct Run {
    int64_t position, stride;
    int64_t first_lane, count;
  };
  // The same for `lanes` results at once that differ in the last dimension only, from index `first`
  // on. `outer` is the index of the other dimensions. Each result gets its elements in row-major
  // order of the window.
  void ForEachOfRow(absl::Span<const int64_t> outer, int64_t first, int64_t lanes,
                    absl::FunctionRef<void(const Run&)> visit) const;

  // The array's index along dimension d of window element k at result index o; negative when there
  // is none.
  int64_t Index(size_t d, int64_t o, int64_t k) const {
    const Dimension& dimension = dimensions_[d];
    const int64_t dilated =
        o * dimension.stride + k * dimension.window_dilation - dimension.padding_low;
    if (dilated < 0 || dilated % dimension.base_dilation != 0) return -1;
    const int64_t index = dilated / dimension.base_dilation;
    return index < dimension.array_size ? index : -1;
  }

 private:
  struct Dimension {
    int64_t array_size, array_stride;
    int64_t size, stride, padding_low, window_dilation, base_dilation;
  };

  void Visit(absl::Span<const int64_t> result_index, size_t d, int64_t position,
             absl::FunctionRef<void(int64_t)> visit) const;
  void VisitRow(int64_t first, int64_t lanes, int64_t position,
                absl::FunctionRef<void(const Run&)> visit) const;

  std::vector<Dimension> dimensions_;
};

}  // namespace xla::eval

#endif  // HILO_EVAL_WINDOWS_H_
