// Sizes of dimensions, and how far apart the elements of dense arrays lie.
#ifndef HILO_DATA_SIZES_H_
#define HILO_DATA_SIZES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

// One number for each dimension of an array. Their product is Product (xla/util.h).
using Sizes = std::vector<int64_t>;

// The distance between adjacent elements along each dimension, in elements, of a dense array with
// this layout; of a row-major one.
DimensionVector DenseStrides(absl::Span<const int64_t> dimensions,
                             absl::Span<const int64_t> minor_to_major);
DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions);
inline DimensionVector RowMajorStrides(const Shape& shape) {
  return RowMajorStrides(shape.dimensions());
}

// The largest number up to `most` by which `number` can be divided; 1 if there is none.
int64_t LargestDivisor(int64_t number, int64_t most);

}  // namespace xla

#endif  // HILO_DATA_SIZES_H_
