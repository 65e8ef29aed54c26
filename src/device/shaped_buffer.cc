#include "xla/service/shaped_buffer.h"

#include <set>
#include <utility>

#include "absl/log/check.h"
#include "absl/log/log.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "device/run_completion.h"
#include "xla/layout_util.h"

namespace xla {
namespace {

using stream_executor::DeviceAddressBase;

Shape WithLayout(Shape shape) {
  if (!LayoutUtil::HasLayout(shape)) LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

}  // namespace

ShapedBuffer::ShapedBuffer(Shape on_host_shape, Shape on_device_shape, int device_ordinal,
                           int physical_device_ordinal)
    : on_host_shape_(std::move(on_host_shape)),
      device_ordinal_(device_ordinal),
      physical_device_ordinal_(physical_device_ordinal < 0 ? device_ordinal
                                                           : physical_device_ordinal),
      buffers_(WithLayout(std::move(on_device_shape))) {
  on_host_shape_ = WithLayout(std::move(on_host_shape_));
}

ShapedBuffer::ShapedBuffer(Shape on_device_shape, int device_ordinal, int physical_device_ordinal)
    : ShapedBuffer(on_device_shape, on_device_shape, device_ordinal, physical_device_ordinal) {}

ShapedBuffer::~ShapedBuffer() = default;
ShapedBuffer::ShapedBuffer(ShapedBuffer&& other) noexcept = default;
ShapedBuffer& ShapedBuffer::operator=(ShapedBuffer&& other) noexcept = default;

void ShapedBuffer::set_buffers(ShapeTree<DeviceAddressBase> buffers) {
  CHECK(ShapeUtil::EqualStructure(buffers.shape(), on_device_shape()));
  const Shape shape = on_device_shape();
  buffers_ = std::move(buffers);
  set_shapes(shape);
}

void ShapedBuffer::set_shapes(const Shape& on_device_shape) {
  CHECK(ShapeUtil::EqualStructure(on_device_shape, buffers_.shape()));
  ShapeTree<DeviceAddressBase> buffers(WithLayout(on_device_shape));
  buffers.CopySubtreeFrom(buffers_, {}, {});
  buffers_ = std::move(buffers);
  on_host_shape_ = buffers_.shape();
}

absl::StatusOr<ShapedBuffer> ShapedBuffer::SubShapedBuffer(const ShapeIndex& index) const {
  HILO_ASSIGN_OR_RETURN(const Shape* host_shape, ShapeUtil::TryGetSubshape(on_host_shape_, index));
  HILO_ASSIGN_OR_RETURN(const Shape* device_shape,
                        ShapeUtil::TryGetSubshape(on_device_shape(), index));
  ShapedBuffer part(*host_shape, *device_shape, device_ordinal_, physical_device_ordinal_);
  part.buffers_.CopySubtreeFrom(buffers_, index, {});
  part.completion_ = completion_;
  return part;
}

void ShapedBuffer::clear() {
  for (auto& [index, buffer] : buffers_) buffer = DeviceAddressBase();
}

std::string ShapedBuffer::ToString() const {
  std::string text = absl::StrCat(ShapeUtil::HumanStringWithLayout(on_device_shape()),
                                  " on device ", device_ordinal_, ":");
  for (const auto& [index, buffer] : buffers_.leaves())
    absl::StrAppendFormat(&text, " %s %p (%d bytes)", index.ToString(), buffer.opaque(),
                          buffer.size());
  return text;
}

absl::Status ShapedBuffer::Await() const {
  return completion_ == nullptr ? absl::OkStatus() : completion_->Await();
}

std::ostream& operator<<(std::ostream& out, const ShapedBuffer& buffer) {
  return out << buffer.ToString();
}

ScopedShapedBuffer::ScopedShapedBuffer(Shape on_device_shape,
                                       stream_executor::DeviceAddressAllocator* allocator,
                                       int device_ordinal, int physical_device_ordinal)
    : ShapedBuffer(std::move(on_device_shape), device_ordinal, physical_device_ordinal),
      allocator_(allocator) {}

ScopedShapedBuffer::ScopedShapedBuffer(Shape on_host_shape, Shape on_device_shape,
                                       stream_executor::DeviceAddressAllocator* allocator,
                                       int device_ordinal, int physical_device_ordinal)
    : ShapedBuffer(std::move(on_host_shape), std::move(on_device_shape), device_ordinal,
                   physical_device_ordinal),
      allocator_(allocator) {}

ScopedShapedBuffer::ScopedShapedBuffer(ShapedBuffer buffer,
                                       stream_executor::DeviceAddressAllocator* allocator)
    : ShapedBuffer(std::move(buffer)), allocator_(allocator) {}

ScopedShapedBuffer::~ScopedShapedBuffer() { GiveBack(); }

ScopedShapedBuffer::ScopedShapedBuffer(ScopedShapedBuffer&& other) noexcept
    : ShapedBuffer(std::move(other)), allocator_(std::exchange(other.allocator_, nullptr)) {}

ScopedShapedBuffer& ScopedShapedBuffer::operator=(ScopedShapedBuffer&& other) noexcept {
  if (this == &other) return *this;
  GiveBack();
  static_cast<ShapedBuffer&>(*this) = static_cast<ShapedBuffer&&>(other);
  allocator_ = std::exchange(other.allocator_, nullptr);
  return *this;
}

ShapedBuffer ScopedShapedBuffer::release() {
  absl::StatusOr<ShapedBuffer> released = SubShapedBuffer({});
  CHECK_OK(released.status());
  clear();
  completion_ = nullptr;
  return *std::move(released);
}

ScopedShapedBuffer ScopedShapedBuffer::TakeSubTree(ShapeIndexView index) {
  const ShapeIndex at(index.begin(), index.end());
  absl::StatusOr<ShapedBuffer> part = SubShapedBuffer(at);
  CHECK_OK(part.status());
  for (const auto& [below, buffer] : part->buffers()) {
    ShapeIndex own = at;
    own.insert(own.end(), below.begin(), below.end());
    *buffers_.mutable_element(own) = DeviceAddressBase();
  }
  return ScopedShapedBuffer(*std::move(part), allocator_);
}

void ScopedShapedBuffer::GiveBack() {
  if (allocator_ == nullptr) return;
  Await().IgnoreError();  // whoever wants the error has asked for it
  std::set<void*> done;
  for (const auto& [index, buffer] : buffers_) {
    if (buffer.is_null() || !done.insert(buffer.opaque()).second) continue;
    const absl::Status status = allocator_->Deallocate(device_ordinal_, buffer);
    if (!status.ok()) LOG(ERROR) << "memory of a device could not be given back: " << status;
  }
}

}  // namespace xla
