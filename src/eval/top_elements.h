// The largest or smallest elements of lines.
#ifndef HILO_EVAL_TOP_ELEMENTS_H_
#define HILO_EVAL_TOP_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "eval/value.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::eval {

// Values and S32 indices, `shape`, of the first elements in order along the last dimension. Of
// equal elements the one with the lower index comes first; NaN counts as larger than everything.
absl::StatusOr<Value> TopElements(const Literal& operand, bool largest, const Shape& shape);

}  // namespace xla::eval

#endif  // HILO_EVAL_TOP_ELEMENTS_H_
