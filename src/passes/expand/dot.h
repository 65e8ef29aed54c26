#ifndef HILO_PASSES_EXPAND_DOT_H_
#define HILO_PASSES_EXPAND_DOT_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Whether a dot of two operands has so few summands, in groups that do not lie one in the other,
// that ExpandDots writes it as a sum of products of slices, not as a reduction.
bool IsShallowDot(const HloInstruction& dot);

}  // namespace xla::passes

#endif  // HILO_PASSES_EXPAND_DOT_H_
