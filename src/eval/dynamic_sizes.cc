#include "eval/dynamic_sizes.h"

namespace xla::eval {

void CopyDynamicSizes(const Frame& frame, Literal& result) {
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    const Literal& operand = frame.array(k);
    if (operand.shape().is_static()) continue;
    for (int d = 0; d < operand.shape().dimensions_size(); ++d)
      CopyDynamicSize(operand, d, result, d);
  }
}

void CopyDynamicSize(const Literal& from, int64_t from_dimension, Literal& to,
                     int64_t to_dimension) {
  if (!from.shape().is_dynamic_dimension(from_dimension)) return;
  to.SetDynamicSize(to_dimension, from.GetDynamicSize(from_dimension));
}

DimensionVector DynamicSizes(const Literal& array) {
  DimensionVector sizes(array.shape().dimensions().begin(), array.shape().dimensions().end());
  if (array.shape().is_static()) return sizes;
  for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = array.GetDynamicSize(d);
  return sizes;
}

}  // namespace xla::eval
