// In which order fusion looks at instructions.
#ifndef HILO_CPU_PLAN_FUSION_ORDER_H_
#define HILO_CPU_PLAN_FUSION_ORDER_H_

#include <vector>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// All instructions, each behind its operands. Going through them from the last one on, one may stop
// anywhere and has asked for little that is still to be computed: each is followed by what it alone
// needs, the least first, and what several need by all of those. Of sums with many terms in common,
// a term of each is done before the next one is begun.
std::vector<HloInstruction*> OrderOfFewNeeded(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_FUSION_ORDER_H_
