// Operations on arrays that are small enough to be kept in registers: a value is one lane per
// element, in row-major order, and whatever moves elements is a shuffle.
#ifndef HILO_CPU_EMIT_REGISTERS_H_
#define HILO_CPU_EMIT_REGISTERS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether an array of the shape is kept in registers where the operations allow it.
bool FitsRegisters(const Shape& shape);

// Whether an instruction can take its operands and give its result in registers.
bool HasRegisterForm(const HloInstruction& instruction);

// The value of such an instruction. All operands are given whole, but for the first one of a
// dynamic-slice, which is read where it lies in memory.
absl::StatusOr<Lanes> EmitInRegisters(Builder& b, const HloInstruction& instruction,
                                      absl::Span<const Lanes> operands);

// The value of a dynamic-slice of an array in memory; operands[0] is not looked at.
Lanes EmitDynamicSliceOf(Builder& b, const HloInstruction& instruction,
                         absl::Span<const Lanes> operands, llvm::Value* memory);

// A value as it is kept from one basic block to another, and the same value again: in as many lanes
// as whole registers have, since LLVM would take other vectors apart.
Lanes ToPassed(Builder& b, const Lanes& value);
Lanes FromPassed(Builder& b, const Shape& shape, const Lanes& passed);

// A literal's elements.
Lanes LiteralLanes(Builder& b, const LiteralSlice& literal);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_REGISTERS_H_
