#include "xla/service/transfer_manager.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "device/device_arrays.h"
#include "device/host_transfers.h"
#include "device/run_completion.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/stream_executor/host/host_platform_id.h"
#include "xla/util.h"

namespace xla {
namespace {

using stream_executor::DeviceAddressBase;
using stream_executor::Stream;
using stream_executor::StreamExecutor;

absl::Status CheckShapes(const Shape& value, const Shape& buffer) {
  if (ShapeUtil::Compatible(value, buffer)) return absl::OkStatus();
  return InvalidArgument("a value of shape %s and a buffer of shape %s do not fit each other",
                         ShapeUtil::HumanString(value), ShapeUtil::HumanString(buffer));
}

absl::Status Read(const ShapedBuffer& buffer, MutableLiteralBase& literal) {
  HILO_RETURN_IF_ERROR(buffer.Await());
  for (const auto& [index, memory] : buffer.buffers().leaves()) {
    const Shape& array = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
    if (!array.IsArray()) continue;
    HILO_ASSIGN_OR_RETURN(const Literal value, BorrowDeviceArray(array, memory));
    HILO_RETURN_IF_ERROR(literal.CopyFrom(value, index));
  }
  return absl::OkStatus();
}

absl::Status Write(const LiteralSlice& literal, const ShapedBuffer& buffer) {
  for (const auto& [index, memory] : buffer.buffers().leaves()) {
    const Shape& array = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
    if (!array.IsArray()) continue;
    HILO_RETURN_IF_ERROR(WriteDeviceArray(LiteralSlice(literal, index), array, memory));
  }
  return absl::OkStatus();
}

// What belongs to nobody, for work that is done later.
std::shared_ptr<const ShapedBuffer> Share(const ShapedBuffer& buffer) {
  return std::make_shared<const ShapedBuffer>(*buffer.SubShapedBuffer({}));
}

}  // namespace

runtime::Mailboxes& HostMailboxes() {
  static runtime::Mailboxes* const mailboxes = new runtime::Mailboxes();
  return *mailboxes;
}

absl::StatusOr<TransferManager*> TransferManager::GetForPlatform(
    const stream_executor::Platform* platform) {
  static TransferManager* const manager = new TransferManager();
  if (platform->id() == stream_executor::host::kHostPlatformId) return manager;
  return NotFound("platform %s has no transfer manager", platform->Name());
}

stream_executor::Platform::Id TransferManager::PlatformId() const {
  return stream_executor::host::kHostPlatformId;
}

Shape TransferManager::HostShapeToDeviceShape(const Shape& host_shape) {
  Shape shape = host_shape;
  if (!LayoutUtil::HasLayout(shape)) LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

int64_t TransferManager::GetByteSizeRequirement(const Shape& shape) const {
  return DeviceByteSize(shape);
}

absl::StatusOr<Literal> TransferManager::TransferLiteralFromDevice(
    Stream* stream, const ShapedBuffer& device_buffer, const TransferMetadata*) {
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(device_buffer.on_host_shape()));
  HILO_RETURN_IF_ERROR(stream->RunAndWait([&] { return Read(device_buffer, literal); }));
  return literal;
}

absl::Status TransferManager::TransferLiteralFromDevice(Stream* stream,
                                                        const ShapedBuffer& device_buffer,
                                                        const MutableBorrowingLiteral& literal,
                                                        const TransferMetadata*) {
  HILO_RETURN_IF_ERROR(CheckShapes(literal.shape(), device_buffer.on_host_shape()));
  MutableBorrowingLiteral target(literal);
  return stream->RunAndWait([&] { return Read(device_buffer, target); });
}

void TransferManager::TransferLiteralFromDevice(Stream* stream, const ShapedBuffer& device_buffer,
                                                MutableBorrowingLiteral literal,
                                                std::function<void(absl::Status)> done,
                                                const TransferMetadata*) {
  const absl::Status fits = CheckShapes(literal.shape(), device_buffer.on_host_shape());
  if (!fits.ok()) return done(fits);
  auto target = std::make_shared<MutableBorrowingLiteral>(literal);
  const absl::Status status = stream->DoHostCallback(
      [buffer = Share(device_buffer), target, done] { done(Read(*buffer, *target)); });
  if (!status.ok()) done(status);
}

absl::Status TransferManager::TransferLiteralToDevice(Stream* stream, const LiteralSlice& literal,
                                                      const ShapedBuffer& device_buffer,
                                                      const TransferMetadata*) {
  HILO_RETURN_IF_ERROR(CheckShapes(literal.shape(), device_buffer.on_host_shape()));
  return stream->RunAndWait([&] { return Write(literal, device_buffer); });
}

absl::Status TransferManager::TransferLiteralToDeviceAsync(Stream* stream,
                                                           const LiteralSlice& literal,
                                                           const ShapedBuffer& device_buffer,
                                                           const TransferMetadata*) {
  HILO_RETURN_IF_ERROR(CheckShapes(literal.shape(), device_buffer.on_host_shape()));
  return stream->DoHostCallbackWithStatus(
      [source = std::make_shared<const LiteralSlice>(literal), buffer = Share(device_buffer)] {
        return Write(*source, *buffer);
      });
}

absl::Status TransferManager::TransferArrayToDevice(Stream* stream, const LiteralSlice& literal,
                                                    const DeviceAddressBase& destination,
                                                    const TransferMetadata*) {
  if (!literal.shape().IsArray()) {
    return InvalidArgument("a value of shape %s is no array",
                           ShapeUtil::HumanString(literal.shape()));
  }
  return stream->RunAndWait(
      [&] { return WriteDeviceArray(literal, literal.shape(), destination); });
}

absl::StatusOr<Literal> TransferManager::TransferArrayFromDevice(Stream* stream, const Shape& shape,
                                                                 const DeviceAddressBase& source,
                                                                 const TransferMetadata*) {
  if (!shape.IsArray())
    return InvalidArgument("shape %s is not that of an array", ShapeUtil::HumanString(shape));
  ShapedBuffer buffer(shape, stream->parent()->device_ordinal());
  buffer.set_buffer(source, {});
  return TransferLiteralFromDevice(stream, buffer);
}

absl::Status TransferManager::TransferLiteralToInfeed(StreamExecutor* executor,
                                                      const LiteralSlice& literal) {
  HostMailboxes().Put({runtime::Mailbox::kInfeed, executor->device_ordinal()}, literal.Clone());
  return absl::OkStatus();
}

absl::Status TransferManager::TransferLiteralFromOutfeed(StreamExecutor* executor,
                                                         MutableBorrowingLiteral literal) {
  HILO_ASSIGN_OR_RETURN(const Literal value, HostMailboxes().Take({runtime::Mailbox::kOutfeed,
                                                                   executor->device_ordinal()}));
  if (!ShapeUtil::Compatible(value.shape(), literal.shape())) {
    return InvalidArgument("the outfeed of device %d has a value of shape %s, not %s",
                           executor->device_ordinal(), ShapeUtil::HumanString(value.shape()),
                           ShapeUtil::HumanString(literal.shape()));
  }
  return literal.CopyFrom(value);
}

absl::Status TransferManager::ResetDevices(absl::Span<StreamExecutor* const> executors) {
  HostMailboxes().Reset();
  return absl::OkStatus();
}

absl::StatusOr<ScopedShapedBuffer> TransferManager::AllocateScopedShapedBuffer(
    const Shape& on_host_shape, stream_executor::DeviceAddressAllocator* allocator,
    int device_ordinal, int physical_device_ordinal,
    DeviceShapeRepresentationFn shape_representation_fn) {
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(on_host_shape));
  const Shape host_shape = HostShapeToDeviceShape(on_host_shape);
  Shape device_shape =
      shape_representation_fn == nullptr ? host_shape : shape_representation_fn(host_shape);
  ScopedShapedBuffer buffer(host_shape, std::move(device_shape), allocator, device_ordinal,
                            physical_device_ordinal);
  for (auto& [index, memory] : buffer.buffers().leaves()) {
    const int64_t bytes = DeviceByteSize(ShapeUtil::GetSubshape(buffer.on_device_shape(), index));
    if (bytes == 0) continue;
    HILO_ASSIGN_OR_RETURN(stream_executor::OwningDeviceAddress owned,
                          allocator->Allocate(device_ordinal, static_cast<uint64_t>(bytes)));
    memory = owned.Release();
  }
  return buffer;
}

absl::Status TransferManager::ReadDynamicShapes(Stream* stream, const ShapedBuffer* device_buffer,
                                                Shape* device_shape) {
  return stream->RunAndWait([&]() -> absl::Status {
    HILO_RETURN_IF_ERROR(device_buffer->Await());
    for (const auto& [index, memory] : device_buffer->buffers().leaves()) {
      const Shape& array = ShapeUtil::GetSubshape(device_buffer->on_device_shape(), index);
      if (!array.IsArray() || array.is_static()) continue;
      HILO_ASSIGN_OR_RETURN(const Literal value, BorrowDeviceArray(array, memory));
      Shape& target = *ShapeUtil::GetMutableSubshape(device_shape, index);
      for (int d = 0; d < array.dimensions_size(); ++d) {
        if (!array.is_dynamic_dimension(d)) continue;
        target.set_dimensions(d, value.GetDynamicSize(d));
        target.set_dynamic_dimension(d, false);
      }
    }
    return absl::OkStatus();
  });
}

bool TransferManager::CanShapedBufferBeAccessedNow(StreamExecutor* executor,
                                                   const ShapedBuffer& device_buffer) const {
  return device_buffer.completion() == nullptr || device_buffer.completion()->IsDone();
}

}  // namespace xla
