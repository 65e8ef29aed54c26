// Operations on arrays that are small enough to be kept in registers: a value is one lane per
// element, in row-major order, and whatever moves elements is a shuffle.
#ifndef HILO_CPU_EMIT_REGISTERS_H_
#define HILO_CPU_EMIT_REGISTERS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether an array of the shape is kept in registers where the operations allow it.
bool FitsRegisters(const Shape& shape);

// Whether an instruction can take its operands and give its result in registers.
passes::Decision CanBeInRegisters(const HloInstruction& instruction);
bool HasRegisterForm(const HloInstruction& instruction);

// The operand that such an instruction reads where it lies in memory, or -1: the array that is
// sliced at indices known only at run time, or a matrix that is multiplied with a vector.
int64_t OperandInMemory(const HloInstruction& instruction);

// The value of such an instruction. The operand in memory lies at `memory`; all others are given
// whole.
absl::StatusOr<Lanes> EmitInRegisters(Builder& b, const HloInstruction& instruction,
                                      absl::Span<const Lanes> operands, llvm::Value* memory);

// A value as it is kept from one basic block to another, and the same value again: in as many lanes
// as whole registers have, since LLVM would take other vectors apart.
Lanes ToPassed(Builder& b, const Lanes& value);
Lanes FromPassed(Builder& b, const Shape& shape, const Lanes& passed);

// A literal's elements.
Lanes LiteralLanes(Builder& b, const LiteralSlice& literal);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_REGISTERS_H_
