// Shapes of batches of matrices.
#ifndef HILO_LINALG_MATRIX_SHAPE_H_
#define HILO_LINALG_MATRIX_SHAPE_H_

#include <initializer_list>

#include "data/sizes.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::linalg {

// The shape of the matrices with `sizes` in place of the last two dimensions.
inline Shape InPlaceOfMatrix(const Shape& matrices, PrimitiveType type,
                             std::initializer_list<int64_t> sizes) {
  const auto batch = matrices.dimensions().first(matrices.dimensions_size() - 2);
  Sizes dimensions(batch.begin(), batch.end());
  dimensions.insert(dimensions.end(), sizes);
  return ShapeUtil::MakeShape(type, dimensions);
}

}  // namespace xla::linalg

#endif  // HILO_LINALG_MATRIX_SHAPE_H_
