// From statuses to exceptions.
#ifndef XLA_PJRT_STATUS_CASTERS_H_
#define XLA_PJRT_STATUS_CASTERS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/pjrt/exceptions.h"

namespace xla {

// Throws XlaRuntimeError unless the status is OK.
inline void ThrowIfError(const absl::Status& status) {
  if (!status.ok()) throw XlaRuntimeError(status);
}

// The value, or throws.
template <typename T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) throw XlaRuntimeError(value.status());
  return *std::move(value);
}

// Functions that throw where `function` gives an error. A member function is called on its first
// argument.
template <typename R, typename... Arguments>
auto ThrowIfErrorWrapper(R (*function)(Arguments...)) {
  return [function](Arguments... arguments) {
    ThrowIfError(function(std::forward<Arguments>(arguments)...));
  };
}
template <typename R, typename C, typename... Arguments>
auto ThrowIfErrorWrapper(R (C::*function)(Arguments...)) {
  return [function](C& object, Arguments... arguments) {
    ThrowIfError((object.*function)(std::forward<Arguments>(arguments)...));
  };
}
template <typename R, typename... Arguments>
auto ValueOrThrowWrapper(absl::StatusOr<R> (*function)(Arguments...)) {
  return [function](Arguments... arguments) -> R {
    return ValueOrThrow(function(std::forward<Arguments>(arguments)...));
  };
}
template <typename R, typename C, typename... Arguments>
auto ValueOrThrowWrapper(absl::StatusOr<R> (C::*function)(Arguments...)) {
  return [function](C& object, Arguments... arguments) -> R {
    return ValueOrThrow((object.*function)(std::forward<Arguments>(arguments)...));
  };
}
template <typename R, typename C, typename... Arguments>
auto ValueOrThrowWrapper(absl::StatusOr<R> (C::*function)(Arguments...) const) {
  return [function](const C& object, Arguments... arguments) -> R {
    return ValueOrThrow((object.*function)(std::forward<Arguments>(arguments)...));
  };
}

}  // namespace xla

#endif  // XLA_PJRT_STATUS_CASTERS_H_
