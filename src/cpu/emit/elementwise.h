// Element-wise operations on lanes.
#ifndef HILO_CPU_EMIT_ELEMENTWISE_H_
#define HILO_CPU_EMIT_ELEMENTWISE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::cpu {

// The result of an element-wise instruction from its operands, which all have the same number of
// lanes. Unimplemented for operations and types without code, with their names.
absl::StatusOr<Lanes> Elementwise(Builder& b, const HloInstruction& instruction,
                                  absl::Span<const Lanes> operands);

// The value of a literal's first element.
Lanes ScalarConstant(Builder& b, const LiteralSlice& literal, int lanes);

// Signed 64-bit integers as elements of a type.
absl::StatusOr<Lanes> ConvertInteger(Builder& b, llvm::Value* integers, PrimitiveType type);
absl::StatusOr<Lanes> Convert(Builder& b, PrimitiveType from, PrimitiveType to, const Lanes& value);

Lanes SelectLanes(Builder& b, llvm::Value* mask, const Lanes& on_true, const Lanes& on_false);

// Start indices of slices in 64 bits, moved into [0, most].
llvm::Value* ClampStart(Builder& b, PrimitiveType type, const Lanes& start, int64_t most);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_ELEMENTWISE_H_
