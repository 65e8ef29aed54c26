// Data in the memory of a device, addressed by shape.
#ifndef XLA_SERVICE_SHAPED_BUFFER_H_
#define XLA_SERVICE_SHAPED_BUFFER_H_

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/device_address_allocator.h"

namespace xla {

class RunCompletion;

// A value: memory of a device for each array of its shape, which belongs to somebody else. Tuples
// and tokens have none.
//
// An array lies there in the layout of the shape. Where a dimension is dynamic, the array has its
// bounds, and behind it stand the sizes of all its dimensions, 32 bits each.
class ShapedBuffer {
 public:
  // Without memory; see set_buffer. A shape without layout gets the default one.
  ShapedBuffer(Shape on_device_shape, int device_ordinal, int physical_device_ordinal = -1);
  ShapedBuffer(Shape on_host_shape, Shape on_device_shape, int device_ordinal,
               int physical_device_ordinal = -1);
  virtual ~ShapedBuffer();
  ShapedBuffer(ShapedBuffer&& other) noexcept;
  ShapedBuffer& operator=(ShapedBuffer&& other) noexcept;
  ShapedBuffer(const ShapedBuffer&) = delete;
  ShapedBuffer& operator=(const ShapedBuffer&) = delete;

  const Shape& on_host_shape() const { return on_host_shape_; }
  const Shape& on_device_shape() const { return buffers_.shape(); }
  int device_ordinal() const { return device_ordinal_; }
  int physical_device_ordinal() const { return physical_device_ordinal_; }

  // The memory of a subshape. CHECK that there is one at the index.
  const stream_executor::DeviceAddressBase& buffer(const ShapeIndex& index) const {
    return buffers_.element(index);
  }
  const stream_executor::DeviceAddressBase& root_buffer() const { return buffer({}); }
  void set_buffer(const stream_executor::DeviceAddressBase& buffer, const ShapeIndex& index) {
    *buffers_.mutable_element(index) = buffer;
  }
  const ShapeTree<stream_executor::DeviceAddressBase>& buffers() const { return buffers_; }
  ShapeTree<stream_executor::DeviceAddressBase>& buffers() { return buffers_; }
  // CHECK that the structures are the same.
  void set_buffers(ShapeTree<stream_executor::DeviceAddressBase> buffers);
  void set_shapes(const Shape& on_device_shape);

  // A part of the value. InvalidArgument when there is none at the index.
  absl::StatusOr<ShapedBuffer> SubShapedBuffer(const ShapeIndex& index) const;
  // Forgets the memory.
  void clear();

  // Shapes and addresses.
  std::string ToString() const;

  // Waits for the run that computes the value, if there still is one. Its error.
  absl::Status Await() const;
  // That run, or null.
  const std::shared_ptr<RunCompletion>& completion() const { return completion_; }
  void set_completion(std::shared_ptr<RunCompletion> completion) {
    completion_ = std::move(completion);
  }

 protected:
  Shape on_host_shape_;
  int device_ordinal_;
  int physical_device_ordinal_;
  ShapeTree<stream_executor::DeviceAddressBase> buffers_;
  std::shared_ptr<RunCompletion> completion_;
};

std::ostream& operator<<(std::ostream& out, const ShapedBuffer& buffer);

// A ShapedBuffer whose memory goes back to its allocator with it. That waits for a run that still
// writes there.
class ScopedShapedBuffer : public ShapedBuffer {
 public:
  ScopedShapedBuffer(Shape on_device_shape, stream_executor::DeviceAddressAllocator* allocator,
                     int device_ordinal, int physical_device_ordinal = -1);
  ScopedShapedBuffer(Shape on_host_shape, Shape on_device_shape,
                     stream_executor::DeviceAddressAllocator* allocator, int device_ordinal,
                     int physical_device_ordinal = -1);
  // Takes over the memory of `buffer`.
  ScopedShapedBuffer(ShapedBuffer buffer, stream_executor::DeviceAddressAllocator* allocator);
  ~ScopedShapedBuffer() override;
  ScopedShapedBuffer(ScopedShapedBuffer&& other) noexcept;
  ScopedShapedBuffer& operator=(ScopedShapedBuffer&& other) noexcept;

  stream_executor::DeviceAddressAllocator* memory_allocator() const { return allocator_; }

  // Takes over the memory. What was there before is not given back.
  void set_buffer(stream_executor::OwningDeviceAddress buffer, const ShapeIndex& index) {
    *buffers_.mutable_element(index) = buffer.Release();
  }
  void set_buffer(const stream_executor::DeviceAddressBase& buffer, const ShapeIndex& index) {
    *buffers_.mutable_element(index) = buffer;
  }

  // The memory, which nobody gives back any more. This one has none then.
  [[nodiscard]] ShapedBuffer release();
  // The memory below a subshape, which this one has no more. CHECKs that there is one at the index.
  ScopedShapedBuffer TakeSubTree(ShapeIndexView index);

 private:
  void GiveBack();

  stream_executor::DeviceAddressAllocator* allocator_;
};

}  // namespace xla

#endif  // XLA_SERVICE_SHAPED_BUFFER_H_
