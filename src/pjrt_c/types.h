// Element types, shapes and layouts of the C interface.
#ifndef HILO_PJRT_C_TYPES_H_
#define HILO_PJRT_C_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "xla/layout.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla::pjrt_c {

// InvalidArgument for numbers that no type has.
absl::StatusOr<PrimitiveType> ToPrimitiveType(PJRT_Buffer_Type type);
// INVALID for what has no number there.
PJRT_Buffer_Type ToBufferType(PrimitiveType type);

// An array with the layout, row-major where it is null.
absl::StatusOr<Shape> ToShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                              const PJRT_Buffer_MemoryLayout* layout);
// InvalidArgument for layouts that no array of the shape has here: tiles, strides with holes.
absl::StatusOr<Layout> ToLayout(const PJRT_Buffer_MemoryLayout& layout, const Shape& shape);
// Nothing for null.
absl::StatusOr<std::optional<Layout>> ToOptionalLayout(const PJRT_Buffer_MemoryLayout* layout,
                                                       const Shape& shape);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_TYPES_H_
