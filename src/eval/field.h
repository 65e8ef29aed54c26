// Arrays of real or complex numbers, for operations that are written once for both.
#ifndef HILO_EVAL_FIELD_H_
#define HILO_EVAL_FIELD_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "eval/element.h"
#include "eval/value.h"
#include "xla/shape.h"
#include "xla/types.h"

namespace xla::eval {

// Calls f with double or complex128 for the element type, which is one of the two kinds.
template <typename F>
absl::StatusOr<Value> ForField(PrimitiveType type, F&& f) {
  return FormatOf(type).kind == Kind::kComplex ? f(complex128()) : f(double());
}

// An array of `shape` with these elements, rounded to its type.
template <typename Wide>
absl::StatusOr<Value> Store(const std::vector<Wide>& values, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(shape));
  FormatOf(shape.element_type())
      .store(values.data(), static_cast<int64_t>(values.size()), MutableData(result));
  return Value(std::move(result));
}

}  // namespace xla::eval

#endif  // HILO_EVAL_FIELD_H_
