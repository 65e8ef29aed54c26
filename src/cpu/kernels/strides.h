// How far apart elements of arrays lie.
#ifndef HILO_CPU_KERNELS_STRIDES_H_
#define HILO_CPU_KERNELS_STRIDES_H_

#include <cstdint>
#include <vector>

#include "xla/shape.h"

namespace xla::cpu {

// In elements, for each dimension of an array.
inline std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.dimensions_size());
  int64_t stride = 1;
  for (int d = shape.dimensions_size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape.dimensions(d);
  }
  return strides;
}

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_STRIDES_H_
