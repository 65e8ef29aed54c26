// What the matrix decompositions of the library share.
#ifndef HILO_FRONT_BUILDER_LIB_MATRIX_INTERNAL_H_
#define HILO_FRONT_BUILDER_LIB_MATRIX_INTERNAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

// The shape of an operand whose last two dimensions are matrices of floating point or complex
// numbers; InvalidArgument for any other.
inline absl::StatusOr<Shape> DecomposableShape(absl::string_view operation, XlaOp a) {
  HILO_ASSIGN_OR_RETURN(Shape shape, a.builder()->GetShape(a));
  if (!shape.IsArray() || shape.dimensions_size() < 2) {
    return InvalidArgument("%s: %s has no matrices in its last two dimensions", operation,
                           shape.ToString());
  }
  const PrimitiveType type = shape.element_type();
  if (!primitive_util::IsFloatingPointType(type) && !primitive_util::IsComplexType(type)) {
    return InvalidArgument("%s: the elements of %s are neither floating point nor complex numbers",
                           operation, shape.ToString());
  }
  return shape;
}

inline int64_t RowsOf(const Shape& shape) { return shape.dimensions(shape.dimensions_size() - 2); }
inline int64_t ColumnsOf(const Shape& shape) { return shape.dimensions().back(); }

// The dimensions before the last two.
inline std::vector<int64_t> BatchOf(const Shape& shape) {
  const auto batch = shape.dimensions().first(shape.dimensions_size() - 2);
  return std::vector<int64_t>(batch.begin(), batch.end());
}

// The dimensions before the last two, and one of `size`.
inline std::vector<int64_t> VectorDimensions(const Shape& shape, int64_t size) {
  std::vector<int64_t> dimensions = BatchOf(shape);
  dimensions.push_back(size);
  return dimensions;
}

inline PrimitiveType RealTypeOf(PrimitiveType type) {
  return primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
}

}  // namespace xla

#endif  // HILO_FRONT_BUILDER_LIB_MATRIX_INTERNAL_H_
