#ifndef HILO_PASSES_EXPAND_DOT_H_
#define HILO_PASSES_EXPAND_DOT_H_

#include <cstdint>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/xla_data.pb.h"

namespace xla::passes {

// Dimensions of an operand, the left or the right, that are neither batch dimensions nor
// contracted.
std::vector<int64_t> FreeDimensions(const HloInstruction& dot, int side);

// Which dimension of the result each dimension of an operand is; -1 for those that are contracted.
std::vector<int64_t> DimensionsInResult(const HloInstruction& dot, int side);

// Sums are rounded once: those of narrow types are made in f32.
PrimitiveType SumTypeOfDot(const HloInstruction& dot);

// Sums of products of reals that become integers are rounded in between, which sums of elements are
// not.
bool IsRoundedTwice(const HloInstruction& dot);

// Whether a dot of two operands has so few summands, in groups that do not lie one in the other,
// that ExpandDots writes it as a sum of products of slices, not as a reduction.
bool IsShallowDot(const HloInstruction& dot);

}  // namespace xla::passes

#endif  // HILO_PASSES_EXPAND_DOT_H_
