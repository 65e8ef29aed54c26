// Arrays with fewer elements than their bounds. The elements beyond are padding, which no operation
// looks at.
#ifndef HILO_EVAL_DYNAMIC_SIZES_H_
#define HILO_EVAL_DYNAMIC_SIZES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "eval/value.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla::eval {

// The sizes of all dimensions, the dynamic ones where there are any.
DimensionVector DynamicSizes(const Literal& array);

// Whether any of the values is an array with padding. Tuples are not looked into.
bool HasPadding(absl::Span<const Value> values);

// Sets the dynamic size of a dimension to that of another array's dimension, if that is dynamic.
void CopyDynamicSize(const Literal& from, int64_t from_dimension, Literal& to,
                     int64_t to_dimension);

// The leading elements of an array, `sizes` in each dimension, without padding. A dimension of size
// 1 that should be longer repeats its element.
absl::StatusOr<Literal> WithSizes(const Literal& array, absl::Span<const int64_t> sizes);

// The array in its bounds, with its padding as elements.
absl::StatusOr<Literal> WithoutDynamicSizes(const Literal& array);

// The array in the bounds of `shape`, its sizes as dynamic sizes where they are smaller.
absl::StatusOr<Literal> WithBounds(Literal array, const Shape& shape);

}  // namespace xla::eval

#endif  // HILO_EVAL_DYNAMIC_SIZES_H_
