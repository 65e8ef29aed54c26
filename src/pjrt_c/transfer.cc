// Buffers whose values come piece by piece.
#include <utility>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "pjrt_c/types.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

struct PJRT_AsyncHostToDeviceTransferManager {
  std::unique_ptr<xla::PjRtClient::AsyncHostToDeviceTransferManager> manager;
  PJRT_Client* client;
};

namespace xla::pjrt_c {
namespace {

absl::Status CheckIndex(const PJRT_AsyncHostToDeviceTransferManager& transfers, int index) {
  const size_t count = transfers.manager->buffer_count();
  if (index >= 0 && static_cast<size_t>(index) < count) return absl::OkStatus();
  return InvalidArgument("there is no buffer %d: there are %d", index, count);
}

// A function to call when data is not needed any more, and the event of that.
struct Done {
  Done() {
    auto [promise, future] = MakePromise<>();
    event = std::move(future);
    call = [promise = std::move(promise)]() mutable { promise.Set(absl::OkStatus()); };
  }
  Future<> event;
  absl::AnyInvocable<void() &&> call;
};

absl::Status TransfersCreate(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(args.memory, nullptr));
  if (args.device_layouts != nullptr && args.num_device_layouts != args.num_shape_specs) {
    return InvalidArgument("%d layouts were given for %d buffers", args.num_device_layouts,
                           args.num_shape_specs);
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args.shape_specs[i];
    HILO_ASSIGN_OR_RETURN(
        shapes.emplace_back(),
        ToShape(spec.element_type, spec.dims, spec.num_dims,
                args.device_layouts == nullptr ? nullptr : args.device_layouts[i]));
  }
  HILO_ASSIGN_OR_RETURN(auto manager, memory->client->client->CreateBuffersForAsyncHostToDevice(
                                          shapes, memory->space));
  args.transfer_manager =
      new PJRT_AsyncHostToDeviceTransferManager{std::move(manager), memory->client};
  return absl::OkStatus();
}

absl::Status TransfersDestroy(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  delete args.transfer_manager;
  return absl::OkStatus();
}

absl::Status TransferData(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  HILO_RETURN_IF_ERROR(CheckIndex(*args.transfer_manager, args.buffer_index));
  Done done;
  HILO_RETURN_IF_ERROR(args.transfer_manager->manager->TransferRawDataToSubBuffer(
      args.buffer_index, args.data, args.offset, args.transfer_size, args.is_last_transfer,
      std::move(done.call)));
  args.done_with_h2d_transfer = NewEvent(std::move(done.event));
  return absl::OkStatus();
}

absl::Status TransferLiteral(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  HILO_RETURN_IF_ERROR(CheckIndex(*args.transfer_manager, args.buffer_index));
  HILO_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.shape_element_type, args.shape_dims,
                                                   args.shape_num_dims, args.shape_layout));
  if (!shape.IsArray()) return InvalidArgument("a token cannot be transferred");
  const BorrowingLiteral literal(static_cast<const char*>(args.data), shape);
  Done done;
  HILO_RETURN_IF_ERROR(args.transfer_manager->manager->TransferLiteralToBuffer(
      args.buffer_index, literal, std::move(done.call)));
  args.done_with_h2d_transfer = NewEvent(std::move(done.event));
  return absl::OkStatus();
}

absl::Status TransfersRetrieve(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  HILO_RETURN_IF_ERROR(CheckIndex(*args.transfer_manager, args.buffer_index));
  std::unique_ptr<PjRtBuffer> buffer =
      args.transfer_manager->manager->RetrieveBuffer(args.buffer_index);
  if (buffer == nullptr)
    return FailedPrecondition("buffer %d has been retrieved already", args.buffer_index);
  args.buffer_out = NewBuffer(args.transfer_manager->client, std::move(buffer));
  return absl::OkStatus();
}

absl::Status TransfersDevice(PJRT_AsyncHostToDeviceTransferManager_Device_Args& args) {
  args.device_out =
      args.transfer_manager->client->DeviceOf(args.transfer_manager->manager->device());
  return absl::OkStatus();
}

absl::Status TransfersCount(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  args.buffer_count = args.transfer_manager->manager->buffer_count();
  return absl::OkStatus();
}

absl::Status TransfersSize(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  HILO_RETURN_IF_ERROR(CheckIndex(*args.transfer_manager, args.buffer_index));
  args.buffer_size = args.transfer_manager->manager->buffer_size(args.buffer_index);
  return absl::OkStatus();
}

absl::Status TransfersSetError(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  HILO_RETURN_IF_ERROR(CheckIndex(*args.transfer_manager, args.buffer_index));
  args.transfer_manager->manager->SetBufferError(
      args.buffer_index, ToStatus(args.error_code, args.error_message, args.error_message_size));
  return absl::OkStatus();
}

absl::Status TransfersAddMetadata(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& args) {
  PjRtClient::AsyncHostToDeviceTransferManager::TransferMetadata metadata;
  for (size_t i = 0; i < args.num_metadata; ++i) {
    const PJRT_NamedValue& named = args.transfer_metadata[i];
    if (named.type != PJRT_NamedValue_kString)
      return InvalidArgument("metadata of transfers are texts");
    metadata[std::string(ToView(named.name, named.name_size))] =
        std::string(ToView(named.string_value, named.value_size));
  }
  args.transfer_manager->manager->AddTransferMetadata(metadata);
  return absl::OkStatus();
}

}  // namespace

void SetTransferFunctions(PJRT_Api& api) {
  api.PJRT_Client_CreateBuffersForAsyncHostToDevice =
      Entry<TransfersCreate, PJRT_Client_CreateBuffersForAsyncHostToDevice_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_Destroy =
      Entry<TransfersDestroy, PJRT_AsyncHostToDeviceTransferManager_Destroy_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_TransferData =
      Entry<TransferData, PJRT_AsyncHostToDeviceTransferManager_TransferData_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_TransferLiteral =
      Entry<TransferLiteral,
            PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer =
      Entry<TransfersRetrieve,
            PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_Device =
      Entry<TransfersDevice, PJRT_AsyncHostToDeviceTransferManager_Device_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_BufferCount =
      Entry<TransfersCount, PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_BufferSize =
      Entry<TransfersSize, PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_SetBufferError =
      Entry<TransfersSetError,
            PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args_STRUCT_SIZE>;
  api.PJRT_AsyncHostToDeviceTransferManager_AddMetadata =
      Entry<TransfersAddMetadata,
            PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
