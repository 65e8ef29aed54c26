// Copies of arrays whose elements lie anywhere in memory.
#ifndef HILO_API_PJRT_HOST_COPY_H_
#define HILO_API_PJRT_HOST_COPY_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/shape.h"

namespace xla {

// Bytes from element to element in each dimension, where an array is dense in its layout.
DimensionVector DenseByteStrides(const Shape& shape);

// Fills a dense array of the shape, in its layout, with elements that are `byte_strides` apart at
// the source.
void CopyStrided(const char* source, absl::Span<const int64_t> byte_strides, const Shape& shape,
                 char* target);

}  // namespace xla

#endif  // HILO_API_PJRT_HOST_COPY_H_
