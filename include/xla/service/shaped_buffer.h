// Data that a client has handed over or got back, addressed by shape.
#ifndef XLA_SERVICE_SHAPED_BUFFER_H_
#define XLA_SERVICE_SHAPED_BUFFER_H_

#include <utility>

#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/service/maybe_owning_device_address.h"
#include "xla/shape.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/stream_executor/device_address.h"

namespace xla {

// A value held by the client: a buffer for each array of its shape. Tuples and tokens have none.
class ShapedBuffer {
 public:
  ShapedBuffer(ShapeTree<ArrayBuffer> arrays, int device_ordinal)
      : arrays_(std::move(arrays)), device_ordinal_(device_ordinal) {}
  // With a copy of the value.
  ShapedBuffer(const LiteralSlice& value, int device_ordinal);
  virtual ~ShapedBuffer() = default;
  ShapedBuffer(ShapedBuffer&&) = default;
  ShapedBuffer& operator=(ShapedBuffer&&) = default;
  ShapedBuffer(const ShapedBuffer&) = delete;
  ShapedBuffer& operator=(const ShapedBuffer&) = delete;

  const Shape& on_host_shape() const { return arrays_.shape(); }
  const Shape& on_device_shape() const { return arrays_.shape(); }
  int device_ordinal() const { return device_ordinal_; }

  // The memory of a subshape; null for tuples and tokens. CHECKs that there is one at the index.
  stream_executor::DeviceAddressBase buffer(const ShapeIndex& index) const {
    return AddressOf(arrays_.element(index));
  }
  stream_executor::DeviceAddressBase root_buffer() const { return buffer({}); }
  ShapeTree<stream_executor::DeviceAddressBase> buffers() const {
    return arrays_.Map<stream_executor::DeviceAddressBase>(AddressOf);
  }
  const ShapeTree<ArrayBuffer>& arrays() const { return arrays_; }

  // A copy of the value. ResourceExhausted when there is no memory.
  absl::StatusOr<Literal> ToLiteral() const;

 protected:
  ShapeTree<ArrayBuffer> arrays_;
  int device_ordinal_;
};

// A ShapedBuffer whose memory is freed with it, or belongs to a run to which it is donated.
class ScopedShapedBuffer : public ShapedBuffer {
 public:
  using ShapedBuffer::ShapedBuffer;

  // The buffers, as one that may be lent only. This one has none any more.
  ShapedBuffer release() { return ShapedBuffer(ReleaseArrays(), device_ordinal_); }
  // The buffers below a subshape, which this one has no more. CHECKs that there is one at the
  // index.
  ScopedShapedBuffer TakeSubTree(const ShapeIndex& index);
  // What release gives, as it is.
  ShapeTree<ArrayBuffer> ReleaseArrays() {
    return std::exchange(arrays_, ShapeTree<ArrayBuffer>(arrays_.shape()));
  }
};

}  // namespace xla

#endif  // XLA_SERVICE_SHAPED_BUFFER_H_
