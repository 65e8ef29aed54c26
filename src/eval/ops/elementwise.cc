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

HILO_ELEMENTWISE(Abs)
HILO_ELEMENTWISE(Acos)
HILO_ELEMENTWISE(Acosh)
HILO_ELEMENTWISE(Add)
HILO_ELEMENTWISE(And)
HILO_ELEMENTWISE(Asin)
HILO_ELEMENTWISE(Asinh)
HILO_ELEMENTWISE(Atan2)
HILO_ELEMENTWISE(Atanh)
HILO_ELEMENTWISE(Cbrt)
HILO_ELEMENTWISE(Ceil)
HILO_ELEMENTWISE(Clamp)
HILO_ELEMENTWISE(Clz)
HILO_ELEMENTWISE(Compare)
HILO_ELEMENTWISE(Complex)
HILO_ELEMENTWISE(Cos)
HILO_ELEMENTWISE(Cosh)
HILO_ELEMENTWISE(Divide)
HILO_ELEMENTWISE(Erf)
HILO_ELEMENTWISE(Exp)
HILO_ELEMENTWISE(Expm1)
HILO_ELEMENTWISE(Floor)
HILO_ELEMENTWISE(Imag)
HILO_ELEMENTWISE(IsFinite)
HILO_ELEMENTWISE(Log)
HILO_ELEMENTWISE(Log1p)
HILO_ELEMENTWISE(Logistic)
HILO_ELEMENTWISE(Maximum)
HILO_ELEMENTWISE(Minimum)
HILO_ELEMENTWISE(Mulhi)
HILO_ELEMENTWISE(Multiply)
HILO_ELEMENTWISE(Negate)
HILO_ELEMENTWISE(Not)
HILO_ELEMENTWISE(Or)
HILO_ELEMENTWISE(PopulationCount)
HILO_ELEMENTWISE(Power)
HILO_ELEMENTWISE(Real)
HILO_ELEMENTWISE(Remainder)
HILO_ELEMENTWISE(RoundNearestAfz)
HILO_ELEMENTWISE(RoundNearestEven)
HILO_ELEMENTWISE(Rsqrt)
HILO_ELEMENTWISE(ShiftLeft)
HILO_ELEMENTWISE(ShiftRightArithmetic)
HILO_ELEMENTWISE(ShiftRightLogical)
HILO_ELEMENTWISE(Sign)
HILO_ELEMENTWISE(Sin)
HILO_ELEMENTWISE(Sinh)
HILO_ELEMENTWISE(Sqrt)
HILO_ELEMENTWISE(StochasticConvert)
HILO_ELEMENTWISE(Subtract)
HILO_ELEMENTWISE(Tan)
HILO_ELEMENTWISE(Tanh)
HILO_ELEMENTWISE(Xor)
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
