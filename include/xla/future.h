// xla::Future: results that will be there.
#ifndef XLA_FUTURE_H_
#define XLA_FUTURE_H_

#include "xla/tsl/concurrency/future.h"

namespace xla {

using ::tsl::Future;        // NOLINT: as in OpenXLA.
using ::tsl::JoinFutures;   // NOLINT
using ::tsl::MakeFutureOn;  // NOLINT
using ::tsl::MakePromise;   // NOLINT
using ::tsl::Promise;       // NOLINT

}  // namespace xla

#endif  // XLA_FUTURE_H_
