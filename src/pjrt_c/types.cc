#include "pjrt_c/types.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "api/pjrt/host_copy.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

// By PJRT_Buffer_Type.
constexpr PrimitiveType kTypes[] = {PRIMITIVE_TYPE_INVALID,
                                    PRED,
                                    S8,
                                    S16,
                                    S32,
                                    S64,
                                    U8,
                                    U16,
                                    U32,
                                    U64,
                                    F16,
                                    F32,
                                    F64,
                                    BF16,
                                    C64,
                                    C128,
                                    F8E5M2,
                                    F8E4M3FN,
                                    F8E4M3B11FNUZ,
                                    F8E5M2FNUZ,
                                    F8E4M3FNUZ,
                                    S4,
                                    U4,
                                    TOKEN,
                                    S2,
                                    U2,
                                    F8E4M3,
                                    F8E3M4,
                                    F8E8M0FNU,
                                    F4E2M1FN,
                                    S1,
                                    U1};
static_assert(std::size(kTypes) == PJRT_Buffer_Type_U1 + 1);

absl::StatusOr<Layout> OfTiles(const PJRT_Buffer_MemoryLayout_Tiled& tiled, const Shape& shape) {
  if (tiled.num_tiles > 0) return InvalidArgument("arrays in tiles are not supported");
  Layout layout(absl::MakeConstSpan(tiled.minor_to_major, tiled.minor_to_major_size));
  HILO_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(layout, shape));
  return layout;
}

absl::StatusOr<Layout> OfStrides(const PJRT_Buffer_MemoryLayout_Strides& strides,
                                 const Shape& shape) {
  const absl::Span<const int64_t> bytes(strides.byte_strides, strides.num_byte_strides);
  if (bytes.size() != static_cast<size_t>(shape.dimensions_size())) {
    return InvalidArgument("%d strides were given for the %d dimensions of %s", bytes.size(),
                           shape.dimensions_size(), shape.ToString());
  }
  // Dimensions of one element may stand anywhere.
  std::vector<int64_t> order(bytes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return bytes[a] < bytes[b]; });
  Shape dense = shape;
  *dense.mutable_layout() = Layout(order);
  const DimensionVector expected = DenseByteStrides(dense);
  for (size_t d = 0; d < bytes.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) > 1 && bytes[d] != expected[d]) {
      return InvalidArgument(
          "an array of shape %s is not dense with a stride of %d bytes in "
          "dimension %d",
          shape.ToString(), bytes[d], d);
    }
  }
  return dense.layout();
}

}  // namespace

absl::StatusOr<PrimitiveType> ToPrimitiveType(PJRT_Buffer_Type type) {
  const auto number = static_cast<size_t>(type);
  if (number == PJRT_Buffer_Type_INVALID || number >= std::size(kTypes))
    return InvalidArgument("there is no element type with the number %d", static_cast<int>(type));
  return kTypes[number];
}

PJRT_Buffer_Type ToBufferType(PrimitiveType type) {
  const auto* const found = std::find(std::begin(kTypes), std::end(kTypes), type);
  return found == std::end(kTypes) ? PJRT_Buffer_Type_INVALID
                                   : static_cast<PJRT_Buffer_Type>(found - kTypes);
}

absl::StatusOr<Layout> ToLayout(const PJRT_Buffer_MemoryLayout& layout, const Shape& shape) {
  switch (layout.type) {
    case PJRT_Buffer_MemoryLayout_Type_Tiled:
      return OfTiles(layout.tiled, shape);
    case PJRT_Buffer_MemoryLayout_Type_Strides:
      return OfStrides(layout.strides, shape);
  }
  return InvalidArgument("there is no kind %d of layout", static_cast<int>(layout.type));
}

absl::StatusOr<std::optional<Layout>> ToOptionalLayout(const PJRT_Buffer_MemoryLayout* layout,
                                                       const Shape& shape) {
  if (layout == nullptr) return std::optional<Layout>();
  HILO_ASSIGN_OR_RETURN(Layout given, ToLayout(*layout, shape));
  return std::optional<Layout>(std::move(given));
}

absl::StatusOr<Shape> ToShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                              const PJRT_Buffer_MemoryLayout* layout) {
  HILO_ASSIGN_OR_RETURN(const PrimitiveType element, ToPrimitiveType(type));
  if (element == TOKEN) return ShapeUtil::MakeTokenShape();
  HILO_ASSIGN_OR_RETURN(
      Shape shape, ShapeUtil::MakeValidatedShape(element, absl::MakeConstSpan(dims, num_dims)));
  HILO_ASSIGN_OR_RETURN(const std::optional<Layout> given, ToOptionalLayout(layout, shape));
  *shape.mutable_layout() =
      given.has_value() ? *given : LayoutUtil::GetDefaultLayoutForShape(shape);
  return shape;
}

}  // namespace xla::pjrt_c
