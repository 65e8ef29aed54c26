// The table of functions that handlers of custom calls use. Its types are those of a C interface,
// so that handlers of other compilers and releases can call it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/ffi/context.h"
#include "runtime/ffi/tasks.h"
#include "xla/ffi/ffi_api.h"
#include "xla/util.h"

// The layout that compiled handlers rely on.
static_assert(sizeof(XLA_FFI_InternalExtension) == 24);
static_assert(sizeof(XLA_FFI_Api_Version) == 24);
static_assert(XLA_FFI_Error_Create_Args_STRUCT_SIZE == 28);
static_assert(XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE == 36);
static_assert(XLA_FFI_Error_Destroy_Args_STRUCT_SIZE == 24);
static_assert(sizeof(XLA_FFI_Buffer) == 48 && offsetof(XLA_FFI_Buffer, data) == 24);
static_assert(sizeof(XLA_FFI_ByteSpan) == 16 && sizeof(XLA_FFI_Scalar) == 16);
static_assert(sizeof(XLA_FFI_Array) == 24 && sizeof(XLA_FFI_TypeInfo) == 24);
static_assert(sizeof(XLA_FFI_Args) == 40 && sizeof(XLA_FFI_Rets) == 40);
static_assert(sizeof(XLA_FFI_Attrs) == 48);
static_assert(offsetof(XLA_FFI_CallFrame, api) == 16);
static_assert(offsetof(XLA_FFI_CallFrame, ctx) == 24);
static_assert(offsetof(XLA_FFI_CallFrame, stage) == 32);
static_assert(offsetof(XLA_FFI_CallFrame, args) == 40);
static_assert(offsetof(XLA_FFI_CallFrame, rets) == 80);
static_assert(offsetof(XLA_FFI_CallFrame, attrs) == 120);
static_assert(offsetof(XLA_FFI_CallFrame, future) == 168);
static_assert(XLA_FFI_CallFrame_STRUCT_SIZE == 168);
static_assert(sizeof(XLA_FFI_Handler_Bundle) == 40);
static_assert(offsetof(XLA_FFI_Handler_Register_Args, bundle) == 48);
static_assert(XLA_FFI_Handler_Register_Args_STRUCT_SIZE == 92);
static_assert(XLA_FFI_Type_Register_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_Metadata_STRUCT_SIZE == 36 && sizeof(XLA_FFI_Metadata) == 48);
static_assert(offsetof(XLA_FFI_Api, internal_api) == 40);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_Error_Create) == 48);
static_assert(offsetof(XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get) == 48 + 17 * 8);
static_assert(sizeof(XLA_FFI_Api) == 48 + 19 * 8);

namespace xla::ffi {
namespace {

XLA_FFI_Error* MakeError(const absl::Status& status) {
  return status.ok() ? nullptr : new XLA_FFI_Error(status);
}

absl::string_view ToStringView(XLA_FFI_ByteSpan span) {
  return absl::string_view(span.ptr, span.len);
}

// An error where the caller's struct ends before a member that is needed.
XLA_FFI_Error* CheckSize(const char* name, size_t wanted, size_t given) {
  if (given >= wanted) return nullptr;
  return MakeError(InvalidArgument("%s has %d bytes, but %d are needed", name, given, wanted));
}

#define HILO_CHECK_SIZE(Struct, args)                                                     \
  if (XLA_FFI_Error* error = CheckSize(#Struct, Struct##_STRUCT_SIZE, args->struct_size)) \
  return error

XLA_FFI_Error* CreateError(XLA_FFI_Error_Create_Args* args) {
  const auto code = static_cast<absl::StatusCode>(args->errc);
  const char* const message = args->message == nullptr ? "" : args->message;
  return new XLA_FFI_Error(absl::Status(code, message));
}

// The structure of older handlers has no member for the code.
void GetErrorDetails(XLA_FFI_Error_GetDetails_Args* args) {
  args->message = args->error->message().data();
  if (args->struct_size >= XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE)
    args->errc = static_cast<XLA_FFI_Error_Code>(args->error->code());
}

void DestroyError(XLA_FFI_Error_Destroy_Args* args) { delete args->error; }

// How handlers were registered before there were functions that record.
struct OldRegisterArgs {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler* stages[4];
  XLA_FFI_Handler_Traits traits;
};
constexpr size_t kOldRegisterSize = offsetof(OldRegisterArgs, traits) + sizeof(uint32_t);

XLA_FFI_Error* Register(XLA_FFI_Handler_Register_Args* args) {
  XLA_FFI_Handler_Bundle bundle = {};
  XLA_FFI_Handler_Traits traits = 0;
  if (args->struct_size >= XLA_FFI_Handler_Register_Args_STRUCT_SIZE) {
    bundle = args->bundle;
    traits = args->traits;
  } else if (args->struct_size >= kOldRegisterSize) {
    const auto* old = reinterpret_cast<const OldRegisterArgs*>(args);
    bundle.instantiate = old->stages[0];
    bundle.prepare = old->stages[1];
    bundle.initialize = old->stages[2];
    bundle.execute = old->stages[3];
    traits = old->traits;
  } else {
    return CheckSize("XLA_FFI_Handler_Register_Args", kOldRegisterSize, args->struct_size);
  }
  return MakeError(RegisterHandler(GetXlaFfiApi(), ToStringView(args->name),
                                   ToStringView(args->platform), bundle, traits));
}

XLA_FFI_Error* RegisterType(XLA_FFI_Type_Register_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_Type_Register_Args, args);
  TypeRegistry::TypeInfo info;
  if (args->type_info != nullptr) info.deleter = args->type_info->deleter;
  const absl::string_view name = ToStringView(args->name);
  if (args->type_id->type_id != 0) {
    return MakeError(
        TypeRegistry::RegisterTypeId(name, TypeRegistry::TypeId(args->type_id->type_id), info));
  }
  absl::StatusOr<TypeRegistry::TypeId> id = TypeRegistry::AssignTypeId(name, info);
  if (!id.ok()) return MakeError(id.status());
  args->type_id->type_id = id->value();
  return nullptr;
}

XLA_FFI_Error* GetUserData(XLA_FFI_InvokeContext_Get_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_InvokeContext_Get_Args, args);
  if (args->ctx->execution_context == nullptr)
    return MakeError(NotFound("The run has no execution context"));
  absl::StatusOr<void*> data =
      args->ctx->execution_context->Lookup(TypeRegistry::TypeId(args->type_id->type_id));
  if (!data.ok()) return MakeError(data.status());
  args->data = *data;
  return nullptr;
}

XLA_FFI_Error* FindExtension(XLA_FFI_InvokeContext_FindExtension_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_InvokeContext_FindExtension_Args, args);
  args->extension = nullptr;
  return nullptr;
}

// The states in which a stage's state is kept.
absl::StatusOr<runtime::FfiStates*> StatesOf(const XLA_FFI_InvokeContext& context,
                                             XLA_FFI_ExecutionStage stage) {
  if (stage == XLA_FFI_ExecutionStage_INSTANTIATE) return context.instance;
  if (stage != XLA_FFI_ExecutionStage_PREPARE && stage != XLA_FFI_ExecutionStage_INITIALIZE)
    return InvalidArgument("Stage %d has no state", static_cast<int>(stage));
  if (context.run == nullptr) return FailedPrecondition("The program does not run yet");
  return context.run;
}

XLA_FFI_Error* SetState(XLA_FFI_State_Set_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_State_Set_Args, args);
  absl::StatusOr<runtime::FfiStates*> states = StatesOf(*args->ctx, args->stage);
  if (!states.ok()) return MakeError(states.status());
  return MakeError(
      (*states)->Set(args->stage, TypeRegistry::TypeId(args->type_id->type_id), args->state));
}

// Whether the call has a handler for the stage, which can leave a state.
bool HasStage(const XLA_FFI_Handler_Bundle& handlers, XLA_FFI_ExecutionStage stage) {
  switch (stage) {
    case XLA_FFI_ExecutionStage_INSTANTIATE:
      return handlers.instantiate != nullptr;
    case XLA_FFI_ExecutionStage_PREPARE:
      return handlers.prepare != nullptr;
    case XLA_FFI_ExecutionStage_INITIALIZE:
      return handlers.initialize != nullptr;
    default:
      return true;
  }
}

XLA_FFI_Error* GetState(XLA_FFI_State_Get_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_State_Get_Args, args);
  // Handlers may be registered without those of earlier stages, and must do without their state.
  if (args->ctx->handlers != nullptr && !HasStage(*args->ctx->handlers, args->stage)) {
    args->state = nullptr;
    return nullptr;
  }
  absl::StatusOr<runtime::FfiStates*> states = StatesOf(*args->ctx, args->stage);
  if (!states.ok()) return MakeError(states.status());
  absl::StatusOr<void*> state =
      (*states)->Get(args->stage, TypeRegistry::TypeId(args->type_id->type_id));
  if (!state.ok()) return MakeError(state.status());
  args->state = *state;
  return nullptr;
}

XLA_FFI_Error* GetStream(XLA_FFI_Stream_Get_Args*) {
  // What programs look for that ask whether they run on a GPU.
  return MakeError(Unimplemented("XLA FFI GPU context is not available on the platform Host"));
}

XLA_FFI_Error* Allocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_DeviceMemory_Allocate_Args, args);
  size_t alignment = args->alignment;
  if (alignment > (size_t{1} << 30) || (alignment & (alignment - 1)) != 0)
    return MakeError(InvalidArgument("An alignment of %d bytes is no power of two", alignment));
  if (alignment < alignof(std::max_align_t)) alignment = alignof(std::max_align_t);
  void* data = nullptr;
  if (posix_memalign(&data, alignment, args->size == 0 ? 1 : args->size) != 0)
    return MakeError(ResourceExhausted("There are no %d bytes of memory left", args->size));
  args->data = data;
  return nullptr;
}

XLA_FFI_Error* Free(XLA_FFI_DeviceMemory_Free_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_DeviceMemory_Free_Args, args);
  std::free(args->data);
  return nullptr;
}

XLA_FFI_Error* Schedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_ThreadPool_Schedule_Args, args);
  return MakeError(runtime::ScheduleFfiTask(args->task, args->data));
}

XLA_FFI_Error* GetThreadCount(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_ThreadPool_NumThreads_Args, args);
  *args->num_threads = runtime::FfiTaskThreadCount();
  return nullptr;
}

XLA_FFI_Error* CreateFuture(XLA_FFI_Future_Create_Args* args) {
  args->future = new XLA_FFI_Future();
  return nullptr;
}

XLA_FFI_Error* SetFutureAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_Future_SetAvailable_Args, args);
  args->future->Complete(absl::OkStatus());
  return nullptr;
}

XLA_FFI_Error* SetFutureError(XLA_FFI_Future_SetError_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_Future_SetError_Args, args);
  absl::Status status = TakeStatus(args->error);
  args->future->Complete(status.ok() ? Internal("The handler gave an error without a code")
                                     : std::move(status));
  return nullptr;
}

XLA_FFI_Error* GetRunId(XLA_FFI_RunId_Get_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_RunId_Get_Args, args);
  args->run_id = args->ctx->run_id;
  return nullptr;
}

XLA_FFI_Error* GetDeviceOrdinal(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  HILO_CHECK_SIZE(XLA_FFI_DeviceOrdinal_Get_Args, args);
  args->device_ordinal = args->ctx->device_ordinal;
  return nullptr;
}

}  // namespace

const XLA_FFI_Api* GetXlaFfiApi() {
  static const XLA_FFI_Api api = [] {
    XLA_FFI_Api table = {};
    table.struct_size = XLA_FFI_Api_STRUCT_SIZE;
    table.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR,
                         XLA_FFI_API_MINOR};
    table.XLA_FFI_Error_Create = CreateError;
    table.XLA_FFI_Error_GetDetails = GetErrorDetails;
    table.XLA_FFI_Error_Destroy = DestroyError;
    table.XLA_FFI_Handler_Register = Register;
    table.XLA_FFI_Stream_Get = GetStream;
    table.XLA_FFI_Type_Register = RegisterType;
    table.XLA_FFI_InvokeContext_Get = GetUserData;
    table.XLA_FFI_State_Set = SetState;
    table.XLA_FFI_State_Get = GetState;
    table.XLA_FFI_DeviceMemory_Allocate = Allocate;
    table.XLA_FFI_DeviceMemory_Free = Free;
    table.XLA_FFI_ThreadPool_Schedule = Schedule;
    table.XLA_FFI_ThreadPool_NumThreads = GetThreadCount;
    table.XLA_FFI_Future_Create = CreateFuture;
    table.XLA_FFI_Future_SetAvailable = SetFutureAvailable;
    table.XLA_FFI_Future_SetError = SetFutureError;
    table.XLA_FFI_RunId_Get = GetRunId;
    table.XLA_FFI_DeviceOrdinal_Get = GetDeviceOrdinal;
    table.XLA_FFI_InvokeContext_FindExtension = FindExtension;
    return table;
  }();
  return &api;
}

absl::Status TakeStatus(XLA_FFI_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  const std::unique_ptr<XLA_FFI_Error> owned(error);
  return owned->ToStatus();
}

}  // namespace xla::ffi

extern "C" const XLA_FFI_Api* XLA_FFI_GetApi(void) { return xla::ffi::GetXlaFfiApi(); }
