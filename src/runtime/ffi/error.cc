#include "runtime/ffi/error.h"

XLA_FFI_Error::XLA_FFI_Error(const absl::Status& status) {
  Record* const record = new Record();
  record->code = status.code();
  record->message = std::string(status.message());
  word_ = reinterpret_cast<uintptr_t>(record);
}

XLA_FFI_Error::~XLA_FFI_Error() {
  if (HasRecord() && record()->owners.fetch_sub(1) == 1) delete record();
}

absl::StatusCode XLA_FFI_Error::code() const {
  return HasRecord() ? record()->code : static_cast<absl::StatusCode>(word_ >> 2);
}

absl::string_view XLA_FFI_Error::message() const {
  return HasRecord() ? absl::string_view(record()->message) : absl::string_view("");
}
