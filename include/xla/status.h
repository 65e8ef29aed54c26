// The status type under its older name.
#ifndef HILO_INCLUDE_XLA_STATUS_H_
#define HILO_INCLUDE_XLA_STATUS_H_

#include "absl/status/status.h"

namespace xla {

using absl::OkStatus;
using absl::Status;

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_STATUS_H_
