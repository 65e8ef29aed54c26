#include "eval/dynamic_sizes.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "data/strided_copy.h"
#include "xla/primitive_util.h"

namespace xla::eval {
namespace {

// Copies the first `sizes` elements of each dimension.
void CopyLeading(const Literal& from, absl::Span<const int64_t> from_strides,
                 absl::Span<const int64_t> sizes, Literal& to) {
  CopyStrided(primitive_util::ByteWidth(from.shape().element_type()), sizes, Data(from),
              from_strides, MutableData(to), RowMajorStrides(to.shape().dimensions()));
}

}  // namespace

DimensionVector DynamicSizes(const Literal& array) {
  DimensionVector sizes(array.shape().dimensions().begin(), array.shape().dimensions().end());
  if (array.shape().is_static()) return sizes;
  for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = array.GetDynamicSize(d);
  return sizes;
}

bool HasPadding(absl::Span<const Value> values) {
  return absl::c_any_of(values, [](const Value& value) {
    return value.IsArray() && !value.array().shape().is_static() &&
           !absl::c_equal(DynamicSizes(value.array()), value.array().shape().dimensions());
  });
}

void CopyDynamicSize(const Literal& from, int64_t from_dimension, Literal& to,
                     int64_t to_dimension) {
  if (!from.shape().is_dynamic_dimension(from_dimension)) return;
  to.SetDynamicSize(to_dimension, from.GetDynamicSize(from_dimension));
}

absl::StatusOr<Literal> WithSizes(const Literal& array, absl::Span<const int64_t> sizes) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(array.shape().element_type(), sizes));
  const auto bounds = array.shape().dimensions();
  DimensionVector strides = RowMajorStrides(bounds);
  const DimensionVector own_sizes = DynamicSizes(array);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (own_sizes[d] == 1) strides[d] = 0;
  }
  CopyLeading(array, strides, sizes, result);
  return result;
}

absl::StatusOr<Literal> WithoutDynamicSizes(const Literal& array) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(array.shape()));
  CopyLeading(array, RowMajorStrides(array.shape().dimensions()), array.shape().dimensions(),
              result);
  return result;
}

absl::StatusOr<Literal> WithBounds(Literal array, const Shape& shape) {
  const auto bounds = shape.dimensions();
  if (absl::c_equal(array.shape().dimensions(), bounds)) return array;
  const DimensionVector sizes = DynamicSizes(array);
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(array.shape().element_type(), bounds));
  CopyLeading(array, RowMajorStrides(array.shape().dimensions()), sizes, result);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != bounds[d]) result.SetDynamicSize(d, static_cast<int32_t>(sizes[d]));
  }
  return result;
}

}  // namespace xla::eval
