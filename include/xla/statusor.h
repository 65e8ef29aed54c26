// StatusOr under its older name.
#ifndef HILO_INCLUDE_XLA_STATUSOR_H_
#define HILO_INCLUDE_XLA_STATUSOR_H_

#include "absl/status/statusor.h"
#include "xla/status.h"

namespace xla {

using absl::StatusOr;

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_STATUSOR_H_
