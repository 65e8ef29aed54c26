#include "xla/service/shaped_buffer.h"

#include <memory>

#include "absl/log/check.h"
#include "base/status_macros.h"
#include "xla/service/executable.h"

namespace xla {

ShapedBuffer::ShapedBuffer(const LiteralSlice& value, int device_ordinal)
    : arrays_(value.shape()), device_ordinal_(device_ordinal) {
  for (auto& [index, array] : arrays_.leaves())
    array = std::make_shared<Literal>(LiteralSlice(value, index).Clone());
}

absl::StatusOr<Literal> ShapedBuffer::ToLiteral() const {
  HILO_ASSIGN_OR_RETURN(Literal value, Literal::Make(arrays_.shape()));
  for (const auto& [index, array] : arrays_.leaves()) {
    if (array == nullptr || !array->shape().IsArray()) continue;
    HILO_RETURN_IF_ERROR(value.CopyFrom(*array, index));
  }
  return value;
}

ScopedShapedBuffer ScopedShapedBuffer::TakeSubTree(const ShapeIndex& index) {
  absl::StatusOr<ShapeTree<ArrayBuffer>> part = arrays_.SubShapeTree(index);
  CHECK_OK(part.status());
  for (auto& [taken, unused] : *part) {
    ShapeIndex own = index;
    own.insert(own.end(), taken.begin(), taken.end());
    arrays_.mutable_element(own)->reset();
  }
  return ScopedShapedBuffer(*std::move(part), device_ordinal_);
}

ExecutionInput::ExecutionInput(const ShapedBuffer& lent) : buffers_(lent.on_device_shape()) {
  for (auto& [index, buffer] : buffers_)
    buffer = MaybeOwningDeviceAddress::Lent(lent.arrays().element(index));
}

ExecutionInput::ExecutionInput(ScopedShapedBuffer&& donated) : buffers_(donated.on_device_shape()) {
  ShapeTree<ArrayBuffer> arrays = donated.ReleaseArrays();
  for (auto& [index, buffer] : buffers_)
    buffer = MaybeOwningDeviceAddress::Owned(std::move(*arrays.mutable_element(index)));
}

}  // namespace xla
