// Buffers that clients make.
#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/tables.h"
#include "pjrt_c/types.h"
#include "xla/util.h"

struct PJRT_FulfillAliasBufferCallback {
  xla::PjRtClient::FulfillAliasBufferCallback fulfill;
};

namespace xla::pjrt_c {
namespace {

using Semantics = PjRtClient::HostBufferSemantics;

absl::StatusOr<Semantics> ToSemantics(PJRT_HostBufferSemantics semantics) {
  switch (semantics) {
    case PJRT_HostBufferSemantics_kImmutableOnlyDuringCall:
      return Semantics::kImmutableOnlyDuringCall;
    case PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes:
      return Semantics::kImmutableUntilTransferCompletes;
    case PJRT_HostBufferSemantics_kImmutableZeroCopy:
      return Semantics::kImmutableZeroCopy;
    case PJRT_HostBufferSemantics_kMutableZeroCopy:
      return Semantics::kMutableZeroCopy;
  }
  return InvalidArgument("there are no semantics of host buffers with the number %d",
                         static_cast<int>(semantics));
}

absl::Status BufferFromHost(PJRT_Client_BufferFromHostBuffer_Args& args) {
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(args.memory, args.device));
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        ToShape(args.type, args.dims, args.num_dims, args.device_layout));
  HILO_ASSIGN_OR_RETURN(const Semantics semantics, ToSemantics(args.host_buffer_semantics));
  std::optional<absl::Span<const int64_t>> strides;
  if (args.byte_strides != nullptr && (args.num_byte_strides > 0 || args.num_dims == 0))
    strides = absl::MakeConstSpan(args.byte_strides, args.num_byte_strides);
  // One that is done before the call returns needs nobody to say so.
  absl::AnyInvocable<void() &&> on_done;
  Future<> done;
  if (semantics == Semantics::kImmutableOnlyDuringCall) {
    done = Future<>(absl::OkStatus());
  } else {
    auto [promise, future] = MakePromise<>();
    done = std::move(future);
    on_done = [promise = std::move(promise)]() mutable { promise.Set(absl::OkStatus()); };
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> buffer,
                        memory->client->client->BufferFromHostBuffer(
                            args.data, shape.element_type(), shape.dimensions(), strides, semantics,
                            std::move(on_done), memory->space,
                            args.device_layout == nullptr ? nullptr : &shape.layout()));
  args.buffer = new PJRT_Buffer(std::move(buffer), memory);
  args.done_with_host_buffer = NewEvent(std::move(done));
  return absl::OkStatus();
}

absl::Status BufferOfView(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  PJRT_Memory* const given =
      Has(args, &PJRT_Client_CreateViewOfDeviceBuffer_Args::memory) ? args.memory : nullptr;
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(given, args.device));
  HILO_ASSIGN_OR_RETURN(const Shape shape,
                        ToShape(args.element_type, args.dims, args.num_dims, args.layout));
  std::function<void()> on_delete;
  if (args.on_delete_callback != nullptr) {
    on_delete = [callback = args.on_delete_callback, data = args.device_buffer_ptr,
                 user_arg = args.on_delete_callback_arg] { callback(data, user_arg); };
  }
  // Whatever the stream is: the host's memory is ready for the host.
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> buffer,
                        memory->client->client->CreateViewOfDeviceBuffer(
                            args.device_buffer_ptr, shape, memory->space, std::move(on_delete)));
  args.buffer = new PJRT_Buffer(std::move(buffer), memory);
  return absl::OkStatus();
}

absl::Status BufferUninitialized(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(args.memory, args.device));
  HILO_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.shape_element_type, args.shape_dims,
                                                   args.shape_num_dims, args.shape_layout));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<PjRtBuffer> buffer,
                        memory->client->client->CreateUninitializedBuffer(shape, memory->space));
  args.buffer = new PJRT_Buffer(std::move(buffer), memory);
  return absl::OkStatus();
}

absl::Status BufferOfError(PJRT_Client_CreateErrorBuffer_Args& args) {
  using Args = PJRT_Client_CreateErrorBuffer_Args;
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(args.memory, nullptr));
  HILO_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.shape_element_type, args.shape_dims,
                                                   args.shape_num_dims, args.shape_layout));
  absl::Status error = ToStatus(args.error_code, args.error_message, args.error_message_size);
  if (Has(args, &Args::num_payload)) {
    for (size_t i = 0; i < args.num_payload; ++i) {
      const PJRT_NamedValue& named = args.payload[i];
      if (named.type != PJRT_NamedValue_kString) continue;
      error.SetPayload(ToView(named.name, named.name_size),
                       absl::Cord(ToView(named.string_value, named.value_size)));
    }
  }
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<PjRtBuffer> buffer,
      memory->client->client->CreateErrorBuffer(std::move(error), shape, memory->space));
  args.buffer = new PJRT_Buffer(std::move(buffer), memory);
  return absl::OkStatus();
}

absl::Status BufferOfAlias(PJRT_Client_CreateAliasBuffer_Args& args) {
  HILO_ASSIGN_OR_RETURN(Memory* const memory, MemoryFor(args.memory, nullptr));
  HILO_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.shape_element_type, args.shape_dims,
                                                   args.shape_num_dims, args.shape_layout));
  HILO_ASSIGN_OR_RETURN(auto made, memory->client->client->CreateAliasBuffer(shape, memory->space));
  args.alias_buffer = new PJRT_Buffer(std::move(made.first), memory);
  args.fulfill_alias_buffer_cb = new PJRT_FulfillAliasBufferCallback{std::move(made.second)};
  return absl::OkStatus();
}

absl::Status FulfillAlias(PJRT_Client_FulfillAliasBuffer_Args& args) {
  const std::unique_ptr<PJRT_FulfillAliasBufferCallback> callback(args.fulfill_alias_buffer_cb);
  if (args.status_code != PJRT_Error_Code_OK) {
    return std::move(callback->fulfill)(
        ToStatus(args.status_code, args.error_message, args.error_message_size));
  }
  if (args.buffer == nullptr) return InvalidArgument("neither a buffer nor an error was given");
  return std::move(callback->fulfill)(args.buffer->buffer.get());
}

}  // namespace

void SetHostBufferFunctions(PJRT_Api& api) {
  api.PJRT_Client_BufferFromHostBuffer =
      Entry<BufferFromHost, PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE>;
  api.PJRT_Client_CreateViewOfDeviceBuffer =
      Entry<BufferOfView, PJRT_STRUCT_SIZE(PJRT_Client_CreateViewOfDeviceBuffer_Args, buffer)>;
  api.PJRT_Client_CreateUninitializedBuffer =
      Entry<BufferUninitialized, PJRT_Client_CreateUninitializedBuffer_Args_STRUCT_SIZE>;
  api.PJRT_Client_CreateErrorBuffer =
      Entry<BufferOfError, PJRT_STRUCT_SIZE(PJRT_Client_CreateErrorBuffer_Args, buffer)>;
  api.PJRT_Client_CreateAliasBuffer =
      Entry<BufferOfAlias, PJRT_Client_CreateAliasBuffer_Args_STRUCT_SIZE>;
  api.PJRT_Client_FulfillAliasBuffer =
      Entry<FulfillAlias, PJRT_Client_FulfillAliasBuffer_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
