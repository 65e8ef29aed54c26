// Indices of array elements: one number per dimension, or one linear number.
#ifndef HILO_INCLUDE_XLA_INDEX_UTIL_H_
#define HILO_INCLUDE_XLA_INDEX_UTIL_H_

#include <cstdint>

#include "absl/log/check.h"
#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

class IndexUtil {
 public:
  IndexUtil() = delete;

  // Position of the element in memory, in elements, with the order of dimensions of the shape's
  // layout (row-major without one); tiles are not looked at. The index must be in bounds.
  static int64_t MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                    absl::Span<const int64_t> multi_index);
  // The same with the order given.
  static int64_t MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                    absl::Span<const int64_t> minor_to_major,
                                                    absl::Span<const int64_t> multi_index);
  // The inverse. 0 <= linear_index < number of elements.
  static DimensionVector LinearIndexToMultidimensionalIndex(const Shape& shape,
                                                            int64_t linear_index);

  // Moves on to the next index in row-major order, whatever the layout. False when it was the last
  // one; the index is then all zeros.
  static bool BumpIndices(const Shape& shape, absl::Span<int64_t> indices);

  // The distance in memory, in elements, between neighbours along the dimension.
  static int64_t GetDimensionStride(const Shape& shape, int64_t dimension);

  static bool IndexInBounds(const Shape& shape, absl::Span<const int64_t> index);

  // Negative, zero or positive: lexicographic order. CHECKs that the lengths agree.
  static int CompareIndices(absl::Span<const int64_t> lhs, absl::Span<const int64_t> rhs);
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_INDEX_UTIL_H_
