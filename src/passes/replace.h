// The common frame of passes that replace single instructions.
#ifndef HILO_PASSES_REPLACE_H_
#define HILO_PASSES_REPLACE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Asks for a replacement of each instruction that is not in a fusion, operands before users; null
// leaves it as it is. Replacements run in the same place in the order of side effects. What is not
// needed any more is removed.
absl::StatusOr<bool> ReplaceEach(
    HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement);
// The same of instructions in fusions as well, for passes that run before these are inlined.
absl::StatusOr<bool> ReplaceEverywhere(
    HloModule& module,
    absl::FunctionRef<absl::StatusOr<HloInstruction*>(HloInstruction&)> replacement);

// All users of `old_instruction` use `new_instruction`, and what had to run before or after the old
// one has to before or after the new one.
absl::Status TakeOver(HloInstruction& new_instruction, HloInstruction& old_instruction);

// The part of this that is about the order.
absl::Status TakeOverOrder(HloInstruction& new_instruction, HloInstruction& old_instruction);

// The same where the old one stands for several side effects; without any it keeps its order.
absl::Status TakeOverOrder(absl::Span<HloInstruction* const> effects,
                           HloInstruction& old_instruction);

}  // namespace xla::passes

#endif  // HILO_PASSES_REPLACE_H_
