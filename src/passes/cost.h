// What it costs to compute instructions in loops over elements.
#ifndef HILO_PASSES_COST_H_
#define HILO_PASSES_COST_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Of one element, where reading or writing one in memory costs 1.
double CostOfElement(const HloInstruction& instruction);
// Of all elements, those that a reduction reads included.
double CostOf(const HloInstruction& instruction);

// Whether an element is better kept in memory than computed again.
bool IsExpensive(const HloInstruction& instruction);

}  // namespace xla::passes

#endif  // HILO_PASSES_COST_H_
