// Which operations have code for values in registers: arrays that are small enough, and scalars.
#ifndef HILO_CODEGEN_PROGRAM_REGISTER_FORM_H_
#define HILO_CODEGEN_PROGRAM_REGISTER_FORM_H_

#include "passes/decision.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla::program {

// Whether an array of the shape is kept in registers where the operations allow it.
bool FitsRegisters(const Shape& shape);

// Whether an instruction can take its operands and give its result in registers.
passes::Decision CanBeInRegisters(const HloInstruction& instruction);
bool HasRegisterForm(const HloInstruction& instruction);

// The operand that such an instruction reads where it lies in memory, or -1: the array that is
// sliced at indices known only at run time, or a matrix that is multiplied with a vector.
int64_t OperandInMemory(const HloInstruction& instruction);

// Whether an operation computes each element from elements of its operands at the same index.
bool IsElementwiseHere(const HloInstruction& instruction);
// Whether a computation makes scalars of scalars by such operations alone,
bool HasOnlyScalars(const HloComputation& computation);
// or also by operations on arrays and tuples that are small enough for registers.
bool IsScalarFunction(const HloComputation& computation);

}  // namespace xla::program

#endif  // HILO_CODEGEN_PROGRAM_REGISTER_FORM_H_
