// Copies of multidimensional boxes between arrays with different strides.
#ifndef HILO_DATA_STRIDED_COPY_H_
#define HILO_DATA_STRIDED_COPY_H_

#include <cstdint>

#include "absl/types/span.h"

namespace xla {

// Copies a box of `counts` elements of 1, 2, 4, 8 or 16 bytes each. Strides are in elements and may
// be zero (source only) or negative; the pointers are to the elements at index 0. The two must not
// overlap.
void CopyStrided(int64_t element_bytes, absl::Span<const int64_t> counts, const char* source,
                 absl::Span<const int64_t> source_strides, char* destination,
                 absl::Span<const int64_t> destination_strides);

// True when all elements of two such boxes have equal bytes.
bool EqualStrided(int64_t element_bytes, absl::Span<const int64_t> counts, const char* a,
                  absl::Span<const int64_t> a_strides, const char* b,
                  absl::Span<const int64_t> b_strides);

}  // namespace xla

#endif  // HILO_DATA_STRIDED_COPY_H_
