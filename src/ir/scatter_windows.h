// The windows of a scatter.
#ifndef HILO_IR_SCATTER_WINDOWS_H_
#define HILO_IR_SCATTER_WINDOWS_H_

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"

namespace xla {

// The size of windows along each dimension of the operand: 1 along those that updates do not have.
inline Sizes ScatterWindowSizes(const ScatterAttributes& attributes, const Shape& operand,
                                const Shape& updates) {
  Sizes sizes(operand.dimensions_size(), 1);
  auto next = attributes.update_window_dims.begin();
  for (int64_t d = 0; d < operand.dimensions_size(); ++d) {
    if (absl::c_linear_search(attributes.inserted_window_dims, d) ||
        absl::c_linear_search(attributes.input_batching_dims, d)) {
      continue;
    }
    sizes[d] = updates.dimensions(*next++);
  }
  return sizes;
}

}  // namespace xla

#endif  // HILO_IR_SCATTER_WINDOWS_H_
