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
