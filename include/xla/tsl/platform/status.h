#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_STATUS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/tsl/platform/logging.h"
#include "xla/tsl/platform/macros.h"

namespace tsl {

// Deprecated names of Abseil's types.
using Status = ::absl::Status;
using ::absl::OkStatus;

namespace error {
using Code = ::absl::StatusCode;
inline constexpr Code OK = Code::kOk;
inline constexpr Code CANCELLED = Code::kCancelled;
inline constexpr Code UNKNOWN = Code::kUnknown;
inline constexpr Code INVALID_ARGUMENT = Code::kInvalidArgument;
inline constexpr Code DEADLINE_EXCEEDED = Code::kDeadlineExceeded;
inline constexpr Code NOT_FOUND = Code::kNotFound;
inline constexpr Code ALREADY_EXISTS = Code::kAlreadyExists;
inline constexpr Code PERMISSION_DENIED = Code::kPermissionDenied;
inline constexpr Code UNAUTHENTICATED = Code::kUnauthenticated;
inline constexpr Code RESOURCE_EXHAUSTED = Code::kResourceExhausted;
inline constexpr Code FAILED_PRECONDITION = Code::kFailedPrecondition;
inline constexpr Code ABORTED = Code::kAborted;
inline constexpr Code OUT_OF_RANGE = Code::kOutOfRange;
inline constexpr Code UNIMPLEMENTED = Code::kUnimplemented;
inline constexpr Code INTERNAL = Code::kInternal;
inline constexpr Code UNAVAILABLE = Code::kUnavailable;
inline constexpr Code DATA_LOSS = Code::kDataLoss;
}  // namespace error
namespace errors {
using Code = ::absl::StatusCode;
}  // namespace errors

}  // namespace tsl

// Source locations in a status need a newer Abseil; here a status passes through unchanged.
#define ADD_SOURCE_LOCATION(status) (status)
#define MAYBE_ADD_SOURCE_LOCATION(status) (status)

#define TF_CHECK_OK(value) CHECK_OK(value)
#define TF_QCHECK_OK(value) QCHECK_OK(value)
#define TF_DCHECK_OK(value) DCHECK_OK(value)

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_STATUS_H_
