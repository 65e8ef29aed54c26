// The older names of xla::Future.
#ifndef XLA_PJRT_PJRT_FUTURE_H_
#define XLA_PJRT_PJRT_FUTURE_H_

#include "xla/future.h"

namespace xla {

template <class T = void>
using PjRtFuture = ::tsl::Future<T>;

}  // namespace xla

#endif  // XLA_PJRT_PJRT_FUTURE_H_
