// Element-wise operations. What each computes for one element stands in eval/unary_functions.cc and
// eval/binary_functions.cc.
#include "eval/elementwise.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "xla/util.h"

namespace xla::eval {

#define HILO_ELEMENTWISE(name)                                                  \
  absl::StatusOr<Value> name(Frame& frame, const HloInstruction& instruction) { \
    return Elementwise(frame, instruction);                                     \
  }

HILO_ELEMENTWISE(Clamp)
HILO_ELEMENTWISE(Compare)
HILO_ELEMENTWISE(Complex)
HILO_ELEMENTWISE(Imag)
HILO_ELEMENTWISE(Real)
HILO_ELEMENTWISE(StochasticConvert)
#undef HILO_ELEMENTWISE

// A NaN stays what it is: on its way through a wider type one that signals would become a quiet
// one.
absl::StatusOr<Value> ReducePrecision(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(Value computed, Elementwise(frame, instruction));
  if (instruction.shape().element_type() != F32) return computed;
  Literal result = std::move(computed).TakeArray();
  const absl::Span<const float> operand = frame.array(0).data<float>();
  const absl::Span<float> numbers = result.data<float>();
  for (size_t i = 0; i < operand.size(); ++i) {
    if (std::isnan(operand[i])) std::memcpy(&numbers[i], &operand[i], sizeof(float));
  }
  return Value(std::move(result));
}

// A scalar predicate chooses a whole array.
absl::StatusOr<Value> Select(Frame& frame, const HloInstruction& instruction) {
  if (frame.array(0).shape().dimensions_size() > 0) return Elementwise(frame, instruction);
  return frame.Take(frame.Integer(0) != 0 ? 1 : 2);
}

}  // namespace xla::eval
