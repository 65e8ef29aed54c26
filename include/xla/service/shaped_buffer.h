// Data that a client has handed over or got back, addressed by shape.
#ifndef XLA_SERVICE_SHAPED_BUFFER_H_
#define XLA_SERVICE_SHAPED_BUFFER_H_

#include <memory>
#include <utility>

#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// A value held by the client. Copies of the handle share the value, which does not change.
class ShapedBuffer {
 public:
  ShapedBuffer(std::shared_ptr<const Literal> value, int device_ordinal)
      : value_(std::move(value)), device_ordinal_(device_ordinal) {}
  virtual ~ShapedBuffer() = default;
  ShapedBuffer(ShapedBuffer&&) = default;
  ShapedBuffer& operator=(ShapedBuffer&&) = default;
  ShapedBuffer(const ShapedBuffer&) = delete;
  ShapedBuffer& operator=(const ShapedBuffer&) = delete;

  const Shape& on_host_shape() const { return value_->shape(); }
  const Shape& on_device_shape() const { return value_->shape(); }
  int device_ordinal() const { return device_ordinal_; }
  const Literal& value() const { return *value_; }

 private:
  std::shared_ptr<const Literal> value_;
  int device_ordinal_;
};

// A ShapedBuffer whose memory is freed with it.
class ScopedShapedBuffer : public ShapedBuffer {
 public:
  using ShapedBuffer::ShapedBuffer;
};

}  // namespace xla

#endif  // XLA_SERVICE_SHAPED_BUFFER_H_
