// What it costs to compute instructions in loops over elements, from the rows of hlo_ops.def.
#ifndef HILO_PASSES_COST_H_
#define HILO_PASSES_COST_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Arrays of so many elements at most are kept in registers, where their operations allow it.
constexpr int64_t kMaxRegisterElements = 64;

// Of one element, in additions of f32.
double AdditionsOfElement(const HloInstruction& instruction);
// Of one element, where reading or writing one of the type that it computes in costs 1.
double CostOfElement(const HloInstruction& instruction);
// Of all elements, those that a reduction reads included, where reading or writing one of f32 costs
// 1.
double CostOf(const HloInstruction& instruction);
// With all that it needs and that is not there already.
double CostToCompute(const HloInstruction& instruction,
                     absl::FunctionRef<bool(const HloInstruction&)> is_there);

// Whether an element is better kept in memory than computed again.
bool IsExpensive(const HloInstruction& instruction);
// Whether its code is so long that there should not be many copies of it.
bool HasManyInstructions(const HloInstruction& instruction);

}  // namespace xla::passes

#endif  // HILO_PASSES_COST_H_
