// What runs take and give where some of their memory changes hands.
#ifndef XLA_SERVICE_EXECUTABLE_H_
#define XLA_SERVICE_EXECUTABLE_H_

#include <memory>
#include <utility>

#include "xla/service/maybe_owning_device_address.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"
#include "xla/shape_tree.h"

namespace xla {

// One argument. Each of its arrays is lent to the run or donated to it.
//
// A donated array that input_output_alias ties to a part of the result becomes that part: the
// result is at the same address. Where the program declares the alias as may-alias and the array is
// only lent, the result lies in a new buffer that begins as a copy of it, and the array stays as it
// is; for must-alias that is an error. Donated arrays without an alias are freed when the run is
// over.
class ExecutionInput {
 public:
  // Without buffers; the run needs one for each array.
  explicit ExecutionInput(Shape shape) : buffers_(std::move(shape)) {}
  explicit ExecutionInput(ShapeTree<MaybeOwningDeviceAddress> buffers)
      : buffers_(std::move(buffers)) {}
  // Lends all arrays.
  explicit ExecutionInput(const ShapedBuffer& lent);
  // Donates all arrays; the handle has none any more.
  explicit ExecutionInput(ScopedShapedBuffer&& donated);

  ExecutionInput(ExecutionInput&&) = default;
  ExecutionInput& operator=(ExecutionInput&&) = default;

  const Shape& shape() const { return buffers_.shape(); }
  const Shape& host_shape() const { return buffers_.shape(); }

  void SetBuffer(const ShapeIndex& index, MaybeOwningDeviceAddress buffer) {
    *buffers_.mutable_element(index) = std::move(buffer);
  }
  const MaybeOwningDeviceAddress& Buffer(const ShapeIndex& index) const {
    return buffers_.element(index);
  }
  MaybeOwningDeviceAddress* MutableBuffer(const ShapeIndex& index) {
    return buffers_.mutable_element(index);
  }
  const ShapeTree<MaybeOwningDeviceAddress>& Buffers() const { return buffers_; }
  ShapeTree<MaybeOwningDeviceAddress>* MutableBuffers() { return &buffers_; }

 private:
  ShapeTree<MaybeOwningDeviceAddress> buffers_;
};

// The result of a run.
class ExecutionOutput {
 public:
  explicit ExecutionOutput(ScopedShapedBuffer result) : result_(std::move(result)) {}

  const ScopedShapedBuffer& Result() const { return result_; }
  ScopedShapedBuffer* MutableResult() { return &result_; }
  ScopedShapedBuffer ConsumeResult() { return std::move(result_); }

 private:
  ScopedShapedBuffer result_;
};

}  // namespace xla

#endif  // XLA_SERVICE_EXECUTABLE_H_
