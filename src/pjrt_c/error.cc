#include "pjrt_c/error.h"

#include <string>
#include <utility>

#include "absl/strings/cord.h"

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

absl::Status TakeStatus(PJRT_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  const PJRT_Error_FunctionTable& functions = *error->vtable;
  const char* message = nullptr;
  size_t message_size = 0;
  functions.message(error, &message, &message_size);
  absl::Status status = ToStatus(functions.get_code(error), message, message_size);
  functions.destroy(error);
  return status;
}

absl::Status ToStatus(PJRT_Error_Code code, const char* message, size_t message_size) {
  return absl::Status(static_cast<absl::StatusCode>(code), ToView(message, message_size));
}

}  // namespace xla::pjrt_c
