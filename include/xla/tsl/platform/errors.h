#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_ERRORS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_ERRORS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/tsl/platform/macros.h"
#include "xla/tsl/platform/status.h"

namespace tsl {
namespace errors {

// errors::InvalidArgument(args...) and so on make a status whose message is the concatenation of
// the arguments, as absl::StrCat does; errors::IsInvalidArgument(status) and so on ask for the
// code.
#define HILO_DECLARE_ERROR(Code)                                           \
  template <typename... Args>                                              \
  absl::Status Code(const Args&... args) {                                 \
    return absl::Status(absl::StatusCode::k##Code, absl::StrCat(args...)); \
  }                                                                        \
  inline bool Is##Code(const absl::Status& status) {                       \
    return status.code() == absl::StatusCode::k##Code;                     \
  }
HILO_DECLARE_ERROR(Aborted)
HILO_DECLARE_ERROR(AlreadyExists)
HILO_DECLARE_ERROR(Cancelled)
HILO_DECLARE_ERROR(DataLoss)
HILO_DECLARE_ERROR(DeadlineExceeded)
HILO_DECLARE_ERROR(FailedPrecondition)
HILO_DECLARE_ERROR(Internal)
HILO_DECLARE_ERROR(InvalidArgument)
HILO_DECLARE_ERROR(NotFound)
HILO_DECLARE_ERROR(OutOfRange)
HILO_DECLARE_ERROR(PermissionDenied)
HILO_DECLARE_ERROR(ResourceExhausted)
HILO_DECLARE_ERROR(Unauthenticated)
HILO_DECLARE_ERROR(Unavailable)
HILO_DECLARE_ERROR(Unimplemented)
HILO_DECLARE_ERROR(Unknown)

#undef HILO_DECLARE_ERROR

// A status of the same code and payloads with another message.
inline absl::Status CreateWithUpdatedMessage(const absl::Status& status,
                                             absl::string_view message) {
  absl::Status result(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { result.SetPayload(url, payload); });
  return result;
}

// Adds a line with the concatenation of `args` to the message.
template <typename... Args>
void AppendToMessage(absl::Status* status, const Args&... args) {
  *status = CreateWithUpdatedMessage(*status, absl::StrCat(status->message(), "\n\t", args...));
}

}  // namespace errors
}  // namespace tsl

// Returns the error of an expression of type Status or StatusOr.
#define TF_RETURN_IF_ERROR(...)                                                          \
  do {                                                                                   \
    if (::absl::Status hilo_status = (__VA_ARGS__); TF_PREDICT_FALSE(!hilo_status.ok())) \
      return hilo_status;                                                                \
  } while (false)

// The same with a line of context added to the message.
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expression, ...)                                  \
  do {                                                                                    \
    if (::absl::Status hilo_status = (expression); TF_PREDICT_FALSE(!hilo_status.ok())) { \
      ::tsl::errors::AppendToMessage(&hilo_status, __VA_ARGS__);                          \
      return hilo_status;                                                                 \
    }                                                                                     \
  } while (false)

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_ERRORS_H_
