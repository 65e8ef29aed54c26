// Functions of complex numbers on lanes.
//
// They are computed in doubles and follow annex G of the C standard at infinities, NaN and on the
// sides of branch cuts; docs/accuracy.md says what that leaves open.
#ifndef HILO_CPU_EMIT_COMPLEX_FUNCTIONS_H_
#define HILO_CPU_EMIT_COMPLEX_FUNCTIONS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// A unary or binary operation on complex operands of one type.
absl::StatusOr<Lanes> ComplexFunction(Builder& b, const HloInstruction& instruction,
                                      PrimitiveType type, absl::Span<const Lanes> operands);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_COMPLEX_FUNCTIONS_H_
