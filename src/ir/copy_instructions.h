// Copies of all instructions of a computation.
#ifndef HILO_IR_COPY_INSTRUCTIONS_H_
#define HILO_IR_COPY_INSTRUCTIONS_H_

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

using CopiedInstructions = absl::flat_hash_map<const HloInstruction*, HloInstruction*>;

// Calls `copy` for each instruction that is no parameter and not marked as dead, operands before
// users, with the copies of its operands. Copies of the parameters are `arguments`.
CopiedInstructions CopyInstructions(
    const HloComputation& computation, absl::Span<HloInstruction* const> arguments,
    absl::FunctionRef<HloInstruction*(const HloInstruction& instruction,
                                      absl::Span<HloInstruction* const> operands)>
        copy);

}  // namespace xla

#endif  // HILO_IR_COPY_INSTRUCTIONS_H_
