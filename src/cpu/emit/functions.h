// Functions of numbers on lanes.
#ifndef HILO_CPU_EMIT_FUNCTIONS_H_
#define HILO_CPU_EMIT_FUNCTIONS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Unimplemented, with the instruction.
absl::Status NoCode(const HloInstruction& instruction);

// Of elements of one type, not yet rounded.
Lanes AddLanes(Builder& b, PrimitiveType type, const Lanes& x, const Lanes& y);
Lanes MultiplyLanes(Builder& b, PrimitiveType type, const Lanes& x, const Lanes& y);
// min(max(low, x), high) of the three operands.
Lanes ClampLanes(Builder& b, PrimitiveType type, absl::Span<const Lanes> operands);

// The operation's function (math.h) of operands of one type. The result is in the computing type,
// not yet rounded.
absl::StatusOr<Lanes> FunctionOfNumbers(Builder& b, const HloInstruction& instruction,
                                        PrimitiveType type, absl::Span<const Lanes> operands);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_FUNCTIONS_H_
