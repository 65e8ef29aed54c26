// Between absl::Status and the errors of the C interface.
#ifndef HILO_PJRT_C_ERROR_H_
#define HILO_PJRT_C_ERROR_H_

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "pjrt_c/objects/error.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

// Null for OK; otherwise an error that the caller owns.
PJRT_Error* ToError(absl::Status status);
PJRT_Error_Code ToErrorCode(absl::StatusCode code);
// What an error says, whoever made it, which is destroyed; OK for null.
absl::Status TakeStatus(PJRT_Error* error);
// OK for PJRT_Error_Code_OK.
absl::Status ToStatus(PJRT_Error_Code code, const char* message, size_t message_size);

template <>
struct ErrorOf<absl::Status> {
  static PJRT_Error* From(absl::Status status) {
    return status.ok() ? nullptr : ToError(std::move(status));
  }
};

inline absl::string_view ToView(const char* data, size_t size) {
  return size == 0 ? absl::string_view() : absl::string_view(data, size);
}

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_ERROR_H_
