// Memory that the standard containers do not get is an error like any other.
#ifndef HILO_EVAL_EXHAUSTION_H_
#define HILO_EVAL_EXHAUSTION_H_

#include <new>
#include <stdexcept>

#include "xla/util.h"

namespace xla::eval {

// What f() returns, an absl::StatusOr.
template <typename F>
auto CatchExhaustion(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("No memory left while evaluating");
  } catch (const std::length_error&) {
    return ResourceExhausted("An array is too large to be evaluated");
  }
}

}  // namespace xla::eval

#endif  // HILO_EVAL_EXHAUSTION_H_
