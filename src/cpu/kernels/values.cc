#include "cpu/kernels/values.h"

#include <cstring>

#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

Shape RowMajor(Shape shape) {
  LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

template <typename Function>
void ForEachArray(const Shape& shape, const Function& function) {
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex& index) {
    if (leaf.IsArray()) function(index);
  });
}

}  // namespace

int64_t ArrayCount(const Shape& shape) {
  int64_t count = 0;
  ForEachArray(shape, [&](const ShapeIndex&) { ++count; });
  return count;
}

absl::StatusOr<Literal> ToLiteral(const Shape& shape, void* const* arrays) {
  const Shape dense = RowMajor(shape);
  HILO_ASSIGN_OR_RETURN(Literal value, Literal::Make(dense));
  ForEachArray(dense, [&](const ShapeIndex& index) {
    std::memcpy(value.untyped_data(index), *arrays++, value.size_bytes(index));
  });
  if (LayoutUtil::HasLayout(shape) && !ShapeUtil::Equal(shape, dense)) return value.Relayout(shape);
  return value;
}

void FromLiteral(const Literal& value, void* const* arrays) {
  const Shape dense = RowMajor(value.shape());
  if (!ShapeUtil::Equal(value.shape(), dense)) return FromLiteral(value.Relayout(dense), arrays);
  ForEachArray(dense, [&](const ShapeIndex& index) {
    std::memcpy(*arrays++, value.untyped_data(index), value.size_bytes(index));
  });
}

}  // namespace xla::cpu
