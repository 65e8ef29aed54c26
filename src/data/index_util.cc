#include "xla/index_util.h"

#include "data/checked_math.h"

namespace xla {
namespace {

// The dimension at a physical position, counted from the minor side.
int64_t MinorDimension(const Shape& shape, int position) {
  return shape.has_layout() ? shape.layout().minor_to_major(position)
                            : shape.dimensions_size() - 1 - position;
}

}  // namespace

int64_t IndexUtil::MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                      absl::Span<const int64_t> multi_index) {
  int64_t linear = 0;
  for (int i = shape.dimensions_size() - 1; i >= 0; --i) {
    const int64_t dimension = MinorDimension(shape, i);
    linear = linear * shape.dimensions(dimension) + multi_index[dimension];
  }
  return linear;
}

int64_t IndexUtil::MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                      absl::Span<const int64_t> minor_to_major,
                                                      absl::Span<const int64_t> multi_index) {
  int64_t linear = 0;
  for (auto dimension = minor_to_major.rbegin(); dimension != minor_to_major.rend(); ++dimension) {
    linear = linear * shape.dimensions(*dimension) + multi_index[*dimension];
  }
  return linear;
}

DimensionVector IndexUtil::LinearIndexToMultidimensionalIndex(const Shape& shape,
                                                              int64_t linear_index) {
  DimensionVector multi_index(shape.dimensions_size());
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    const int64_t dimension = MinorDimension(shape, i);
    const int64_t size = shape.dimensions(dimension);
    CHECK_GT(size, 0) << shape.ToString() << " has no elements.";
    multi_index[dimension] = linear_index % size;
    linear_index /= size;
  }
  return multi_index;
}

bool IndexUtil::BumpIndices(const Shape& shape, absl::Span<int64_t> indices) {
  for (int i = shape.dimensions_size() - 1; i >= 0; --i) {
    if (++indices[i] < shape.dimensions(i)) return true;
    indices[i] = 0;
  }
  return false;
}

int64_t IndexUtil::GetDimensionStride(const Shape& shape, int64_t dimension) {
  int64_t stride = 1;
  for (int i = 0; i < shape.dimensions_size() && MinorDimension(shape, i) != dimension; ++i) {
    stride = SaturatingMultiply(stride, shape.dimensions(MinorDimension(shape, i)));
  }
  return stride;
}

bool IndexUtil::IndexInBounds(const Shape& shape, absl::Span<const int64_t> index) {
  if (static_cast<int64_t>(index.size()) != shape.dimensions_size()) return false;
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= shape.dimensions(i)) return false;
  }
  return true;
}

int IndexUtil::CompareIndices(absl::Span<const int64_t> lhs, absl::Span<const int64_t> rhs) {
  CHECK_EQ(lhs.size(), rhs.size());
  for (size_t i = 0; i < lhs.size(); ++i) {
    if (lhs[i] != rhs[i]) return lhs[i] < rhs[i] ? -1 : 1;
  }
  return 0;
}

}  // namespace xla
