// Buffers that are there: what they are, where they lie, and copies of them.
#include <utility>

#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "pjrt_c/types.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::pjrt_c {

PJRT_Buffer* NewBuffer(PJRT_Client* client, std::unique_ptr<PjRtBuffer> buffer) {
  Memory* const memory = client->MemoryOf(buffer->memory_space());
  return new PJRT_Buffer(std::move(buffer), memory);
}

namespace {

bool IsToken(const PJRT_Buffer& buffer) { return buffer.buffer->on_device_shape().IsToken(); }

// A token has none.
absl::Span<const int64_t> DimensionsOf(const PJRT_Buffer& buffer) {
  return IsToken(buffer) ? absl::Span<const int64_t>() : buffer.buffer->dimensions();
}

absl::Status BufferDestroy(PJRT_Buffer_Destroy_Args& args) {
  PJRT_Buffer* const buffer = args.buffer;
  if (buffer == nullptr) return absl::OkStatus();
  {
    const std::lock_guard<std::mutex> lock(buffer->mutex);
    buffer->is_destroyed = true;
    if (buffer->external_references > 0) return absl::OkStatus();
  }
  delete buffer;
  return absl::OkStatus();
}

absl::Status BufferElementType(PJRT_Buffer_ElementType_Args& args) {
  args.type = ToBufferType(args.buffer->buffer->element_type());
  return absl::OkStatus();
}

absl::Status BufferDimensions(PJRT_Buffer_Dimensions_Args& args) {
  const absl::Span<const int64_t> dimensions = DimensionsOf(*args.buffer);
  args.dims = dimensions.data();
  args.num_dims = dimensions.size();
  return absl::OkStatus();
}

absl::Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  PJRT_Buffer& buffer = *args.buffer;
  absl::Span<const int64_t> dimensions = DimensionsOf(buffer);
  if (!IsToken(buffer) && buffer.buffer->has_dynamic_dimensions()) {
    HILO_ASSIGN_OR_RETURN(std::vector<int64_t> logical, buffer.buffer->logical_dimensions());
    const std::lock_guard<std::mutex> lock(buffer.mutex);
    if (buffer.logical_dimensions == nullptr)
      buffer.logical_dimensions = std::make_unique<std::vector<int64_t>>(std::move(logical));
    dimensions = *buffer.logical_dimensions;
  }
  args.unpadded_dims = dimensions.data();
  args.num_dims = dimensions.size();
  return absl::OkStatus();
}

absl::Status BufferDynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  PJRT_Buffer& buffer = *args.buffer;
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  if (IsToken(buffer) || !buffer.buffer->has_dynamic_dimensions()) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(buffer.mutex);
  if (buffer.dynamic_dimensions == nullptr) {
    buffer.dynamic_dimensions = std::make_unique<std::vector<size_t>>();
    const absl::Span<const bool> is_dynamic = buffer.buffer->is_dynamic_dimension();
    for (size_t d = 0; d < is_dynamic.size(); ++d) {
      if (is_dynamic[d]) buffer.dynamic_dimensions->push_back(d);
    }
  }
  args.dynamic_dim_indices = buffer.dynamic_dimensions->data();
  args.num_dynamic_dims = buffer.dynamic_dimensions->size();
  return absl::OkStatus();
}

absl::Status BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  const Shape& shape = args.buffer->buffer->on_device_shape();
  absl::Span<const int64_t> order;
  if (shape.IsArray()) order = shape.layout().minor_to_major();
  args.layout = {};
  args.layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  args.layout.tiled.minor_to_major = order.data();
  args.layout.tiled.minor_to_major_size = order.size();
  return absl::OkStatus();
}

absl::Status BufferOnDeviceSize(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  HILO_ASSIGN_OR_RETURN(args.on_device_size_in_bytes,
                        args.buffer->buffer->GetOnDeviceSizeInBytes());
  return absl::OkStatus();
}

absl::Status BufferDevice(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->memory->device;
  return absl::OkStatus();
}

absl::Status BufferMemory(PJRT_Buffer_Memory_Args& args) {
  args.memory = args.buffer->memory;
  return absl::OkStatus();
}

absl::Status BufferDelete(PJRT_Buffer_Delete_Args& args) {
  args.buffer->buffer->Delete();
  return absl::OkStatus();
}

absl::Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->buffer->IsDeleted();
  return absl::OkStatus();
}

absl::Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  Memory& memory = *Memory::Of(args.dst_memory);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> copy,
                        args.buffer->buffer->CopyToMemorySpace(memory.space));
  args.dst_buffer = new PJRT_Buffer(std::move(copy), &memory);
  return absl::OkStatus();
}

absl::Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(nullptr, args.dst_device));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> copy,
                        args.buffer->buffer->CopyToMemorySpace(memory->space));
  args.dst_buffer = new PJRT_Buffer(std::move(copy), memory);
  return absl::OkStatus();
}

absl::Status BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  if (IsToken(*args.src)) {
    args.dst_size = 0;
    args.event = args.dst == nullptr ? nullptr : NewEvent(Future<>(absl::OkStatus()));
    return absl::OkStatus();
  }
  HILO_ASSIGN_OR_RETURN(Shape shape, args.src->buffer->HostShape());
  HILO_ASSIGN_OR_RETURN(const std::optional<Layout> layout,
                        ToOptionalLayout(args.host_layout, shape));
  *shape.mutable_layout() =
      layout.has_value() ? *layout : LayoutUtil::GetDefaultLayoutForShape(shape);
  const auto size = static_cast<size_t>(ShapeUtil::ByteSizeOf(shape));
  if (args.dst == nullptr) {
    args.dst_size = size;
    args.event = nullptr;
    return absl::OkStatus();
  }
  if (args.dst_size < size) {
    return InvalidArgument("an array of shape %s has %d bytes, which do not fit into %d",
                           shape.ToString(), size, args.dst_size);
  }
  const auto literal =
      std::make_shared<MutableBorrowingLiteral>(static_cast<const char*>(args.dst), shape);
  Future<> copied = args.src->buffer->ToLiteral(literal.get());
  if (!copied.IsReady()) copied.OnReady([literal](const absl::Status&) {});
  args.event = NewEvent(std::move(copied));
  return absl::OkStatus();
}

absl::Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = args.buffer->buffer->IsOnCpu();
  return absl::OkStatus();
}

absl::Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  args.event = NewEvent(args.buffer->buffer->GetReadyFuture());
  return absl::OkStatus();
}

absl::Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  PjRtBuffer* const buffer = args.buffer->buffer.get();
  HILO_ASSIGN_OR_RETURN(args.buffer_pointer, buffer->client()->UnsafeBufferPointer(buffer));
  return absl::OkStatus();
}

absl::Status BufferIncreaseReferences(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  PJRT_Buffer& buffer = *args.buffer;
  {
    const std::lock_guard<std::mutex> lock(buffer.mutex);
    if (buffer.external != nullptr) {
      ++buffer.external_references;
      return absl::OkStatus();
    }
  }
  // Waits, so nothing may be locked.
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer::ExternalReference> external,
                        buffer.buffer->AcquireExternalReference());
  const std::lock_guard<std::mutex> lock(buffer.mutex);
  if (buffer.external == nullptr) buffer.external = std::move(external);
  ++buffer.external_references;
  return absl::OkStatus();
}

absl::Status BufferDecreaseReferences(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  PJRT_Buffer* const buffer = args.buffer;
  std::unique_ptr<PjRtBuffer::ExternalReference> last;
  bool is_destroyed;
  {
    const std::lock_guard<std::mutex> lock(buffer->mutex);
    if (buffer->external_references <= 0) {
      return InvalidArgument(
          "the external references of a buffer are decreased more often than increased");
    }
    if (--buffer->external_references > 0) return absl::OkStatus();
    last = std::move(buffer->external);
    is_destroyed = buffer->is_destroyed;
  }
  if (is_destroyed) delete buffer;
  return absl::OkStatus();
}

absl::Status BufferOpaquePointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  PJRT_Buffer& buffer = *args.buffer;
  const std::lock_guard<std::mutex> lock(buffer.mutex);
  if (buffer.external == nullptr) {
    return FailedPrecondition(
        "the address of a buffer is only given while there are external references to it");
  }
  args.device_memory_ptr = buffer.external->OpaqueDeviceMemoryDataPointer();
  return absl::OkStatus();
}

absl::Status BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  args.event =
      NewEvent(args.buffer->buffer->CopyRawToHost(args.dst, args.offset, args.transfer_size));
  return absl::OkStatus();
}

absl::Status BufferCopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args& args) {
  auto [promise, target] = MakePromise<void*>();
  args.event = NewEvent(
      args.buffer->buffer->CopyRawToHostFuture(std::move(target), args.offset, args.transfer_size));
  args.callback_data = new Promise<void*>(std::move(promise));
  args.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* ready) {
    const std::unique_ptr<Promise<void*>> waited(
        static_cast<Promise<void*>*>(ready->callback_data));
    absl::Status status =
        ToStatus(ready->error_code, ready->error_message, ready->error_message_size);
    if (status.ok()) {
      waited->Set(ready->dst);
    } else {
      waited->Set(std::move(status));
    }
  };
  return absl::OkStatus();
}

absl::Status BufferDonateWithDependency(PJRT_Buffer_DonateWithControlDependency_Args& args) {
  auto [promise, dependency] = MakePromise<>();
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> donated,
                        args.buffer->buffer->DonateWithControlDependency(std::move(dependency)));
  args.out_buffer = new PJRT_Buffer(std::move(donated), args.buffer->memory);
  args.callback_data = new Promise<>(std::move(promise));
  args.dependency_ready_callback =
      [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* ready) {
        const std::unique_ptr<Promise<>> waited(static_cast<Promise<>*>(ready->callback_data));
        waited->Set(ToStatus(ready->error_code, ready->error_message, ready->error_message_size));
      };
  return absl::OkStatus();
}

absl::Status BufferBitcast(PJRT_Buffer_Bitcast_Args& args) {
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        ToShape(args.element_type, args.dims, args.num_dims, args.device_layout));
  if (!shape.IsArray()) return InvalidArgument("a buffer cannot be seen as a token");
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<PjRtBuffer> cast,
      args.buffer->buffer->Bitcast(shape.element_type(), shape.dimensions(), &shape.layout()));
  args.out_buffer = new PJRT_Buffer(std::move(cast), args.buffer->memory);
  return absl::OkStatus();
}

}  // namespace

void SetBufferFunctions(PJRT_Api& api) {
  api.PJRT_Buffer_Destroy = Entry<BufferDestroy, PJRT_Buffer_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_ElementType = Entry<BufferElementType, PJRT_Buffer_ElementType_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_Dimensions = Entry<BufferDimensions, PJRT_Buffer_Dimensions_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_UnpaddedDimensions =
      Entry<BufferUnpaddedDimensions, PJRT_Buffer_UnpaddedDimensions_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_DynamicDimensionIndices =
      Entry<BufferDynamicDimensionIndices, PJRT_Buffer_DynamicDimensionIndices_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_GetMemoryLayout =
      Entry<BufferGetMemoryLayout, PJRT_Buffer_GetMemoryLayout_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_OnDeviceSizeInBytes =
      Entry<BufferOnDeviceSize, PJRT_Buffer_OnDeviceSizeInBytes_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_Device = Entry<BufferDevice, PJRT_Buffer_Device_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_Memory = Entry<BufferMemory, PJRT_Buffer_Memory_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_Delete = Entry<BufferDelete, PJRT_Buffer_Delete_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_IsDeleted = Entry<BufferIsDeleted, PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_CopyToDevice =
      Entry<BufferCopyToDevice, PJRT_Buffer_CopyToDevice_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_CopyToMemory =
      Entry<BufferCopyToMemory, PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_ToHostBuffer =
      Entry<BufferToHostBuffer, PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_IsOnCpu = Entry<BufferIsOnCpu, PJRT_Buffer_IsOnCpu_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_ReadyEvent = Entry<BufferReadyEvent, PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_UnsafePointer =
      Entry<BufferUnsafePointer, PJRT_Buffer_UnsafePointer_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_IncreaseExternalReferenceCount =
      Entry<BufferIncreaseReferences, PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_DecreaseExternalReferenceCount =
      Entry<BufferDecreaseReferences, PJRT_Buffer_DecreaseExternalReferenceCount_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_OpaqueDeviceMemoryDataPointer =
      Entry<BufferOpaquePointer, PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_CopyRawToHost =
      Entry<BufferCopyRawToHost, PJRT_Buffer_CopyRawToHost_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_CopyRawToHostFuture =
      Entry<BufferCopyRawToHostFuture, PJRT_Buffer_CopyRawToHostFuture_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_DonateWithControlDependency =
      Entry<BufferDonateWithDependency, PJRT_Buffer_DonateWithControlDependency_Args_STRUCT_SIZE>;
  api.PJRT_Buffer_Bitcast = Entry<BufferBitcast, PJRT_Buffer_Bitcast_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
