#include "pjrt_c/error.h"

#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "pjrt_c/tables.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

struct StatusError : PJRT_Error {
  absl::Status status;
};

const StatusError& Own(const PJRT_Error* error) { return *static_cast<const StatusError*>(error); }

void DestroyOwn(PJRT_Error* error) { delete static_cast<StatusError*>(error); }

void OwnMessage(const PJRT_Error* error, const char** message, size_t* message_size) {
  SetText(Own(error).status.message(), *message, *message_size);
}

PJRT_Error_Code OwnCode(const PJRT_Error* error) { return ToErrorCode(Own(error).status.code()); }

void ForEachOwnPayload(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* user_arg) {
  Own(error).status.ForEachPayload([&](absl::string_view key, const absl::Cord& value) {
    const std::string text(value);
    visitor(key.data(), key.size(), text.data(), text.size(), user_arg);
  });
}

const PJRT_Error_FunctionTable kFunctions = {PJRT_Error_FunctionTable_STRUCT_SIZE,
                                             sizeof(StatusError),
                                             /*extension_start=*/nullptr,
                                             DestroyOwn,
                                             OwnMessage,
                                             OwnCode,
                                             ForEachOwnPayload};

// Errors may be those of others: their own table says what to do.

void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args->error != nullptr) args->error->vtable->destroy(args->error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->error->vtable->message(args->error, &args->message, &args->message_size);
}

absl::Status ErrorGetCode(PJRT_Error_GetCode_Args& args) {
  args.code = args.error->vtable->get_code(args.error);
  return absl::OkStatus();
}

absl::Status ErrorForEachPayload(PJRT_Error_ForEachPayload_Args& args) {
  args.error->vtable->for_each_payload(args.error, args.visitor, args.user_arg);
  return absl::OkStatus();
}

}  // namespace

PJRT_Error_Code ToErrorCode(absl::StatusCode code) {
  const int number = static_cast<int>(code);
  return number > PJRT_Error_Code_UNAUTHENTICATED || number < 0
             ? PJRT_Error_Code_UNKNOWN
             : static_cast<PJRT_Error_Code>(number);
}

PJRT_Error* ToError(absl::Status status) {
  if (status.ok()) return nullptr;
  auto* const error = new StatusError{{&kFunctions}, std::move(status)};
  return error;
}

absl::Status ToStatus(PJRT_Error_Code code, const char* message, size_t message_size) {
  return absl::Status(static_cast<absl::StatusCode>(code), ToView(message, message_size));
}

absl::Status StructTooSmall(size_t given, size_t least) {
  return InvalidArgument(
      "the arguments' struct has %d bytes, but needs %d: the caller was built for a version of the "
      "PJRT C API that is not supported (this is %d.%d)",
      given, least, PJRT_API_MAJOR, PJRT_API_MINOR);
}

absl::Status StatusOfException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("there is no memory left");
  } catch (const std::exception& exception) {
    return Internal("an exception was thrown: %s", exception.what());
  } catch (...) {
    return Internal("an exception was thrown");
  }
}

void SetErrorFunctions(PJRT_Api& api) {
  api.PJRT_Error_Destroy = ErrorDestroy;
  api.PJRT_Error_Message = ErrorMessage;
  api.PJRT_Error_GetCode = Entry<ErrorGetCode, PJRT_Error_GetCode_Args_STRUCT_SIZE>;
  api.PJRT_Error_ForEachPayload =
      Entry<ErrorForEachPayload, PJRT_Error_ForEachPayload_Args_STRUCT_SIZE>;
}

}  // namespace xla::pjrt_c
