// What instructions of a kernel cost.
#ifndef HILO_CPU_PLAN_COST_H_
#define HILO_CPU_PLAN_COST_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Of one element, where reading or writing one in memory costs 1.
double CostOfElement(const HloInstruction& instruction);
// Of all elements, those that a reduction reads included.
double CostOf(const HloInstruction& instruction);

// Whether an element is better kept in memory than computed again.
bool IsExpensive(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_COST_H_
