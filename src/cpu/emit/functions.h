// Functions of real and complex numbers on lanes.
#ifndef HILO_CPU_EMIT_FUNCTIONS_H_
#define HILO_CPU_EMIT_FUNCTIONS_H_

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

// A unary or binary operation on floating-point operands of one type. The result is in the
// computing type, not yet rounded.
absl::StatusOr<llvm::Value*> RealFunction(Builder& b, const HloInstruction& instruction,
                                          PrimitiveType type, llvm::Value* x);
absl::StatusOr<llvm::Value*> RealFunction(Builder& b, const HloInstruction& instruction,
                                          PrimitiveType type, llvm::Value* x, llvm::Value* y);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_FUNCTIONS_H_
