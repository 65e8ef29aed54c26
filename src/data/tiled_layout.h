#ifndef HILO_DATA_TILED_LAYOUT_H_
#define HILO_DATA_TILED_LAYOUT_H_

#include <cstdint>

#include "xla/shape.h"

namespace xla {

// Elements of an array with layout in memory when every tile is filled up; the largest int64_t on
// overflow.
int64_t PaddedElementsIn(const Shape& shape);

}  // namespace xla

#endif  // HILO_DATA_TILED_LAYOUT_H_
