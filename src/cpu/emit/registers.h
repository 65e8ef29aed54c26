// Operations on arrays that are small enough to be kept in registers: a value is one lane per
// element, in row-major order, and whatever moves elements is a shuffle.
#ifndef HILO_CPU_EMIT_REGISTERS_H_
#define HILO_CPU_EMIT_REGISTERS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The value of an instruction that has a form in registers (program::HasRegisterForm). The operand
// in memory lies at `memory`; all others are given whole.
absl::StatusOr<Lanes> EmitInRegisters(Builder& b, const HloInstruction& instruction,
                                      absl::Span<const Lanes> operands, llvm::Value* memory);

// A value in memory on the stack.
llvm::Value* OnStack(Builder& b, const Shape& shape, const Lanes& value);

// A value as it is kept from one basic block to another, and the same value again: in as many lanes
// as whole registers have, and masks as bytes where they have no registers, since LLVM would take
// other vectors apart.
Lanes ToPassed(Builder& b, const Lanes& value);
Lanes FromPassed(Builder& b, const Shape& shape, const Lanes& passed);

// A literal's elements.
Lanes LiteralLanes(Builder& b, const LiteralSlice& literal);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_REGISTERS_H_
