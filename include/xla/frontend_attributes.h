// Frontend attributes that XLA itself looks at.
#ifndef XLA_FRONTEND_ATTRIBUTES_H_
#define XLA_FRONTEND_ATTRIBUTES_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Says of an instruction that works in place that it never reads what it has written. Also known as
// "xla.disjoint_read_write_regions".
inline constexpr char kXlaDisjointReadWriteRegions[] = "_xla_disjoint_read_write_regions";

// Nothing happens without an instruction.
void SetDisjointReadWriteRegionsAttr(HloInstruction* instruction);
// Whether the attribute stands there as true, 1 or yes, in small or capital letters.
bool HasDisjointReadWriteRegionsAttr(const HloInstruction* instruction);

}  // namespace xla

#endif  // XLA_FRONTEND_ATTRIBUTES_H_
