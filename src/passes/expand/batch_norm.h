// Batch normalisations as arithmetic, of all elements or of some.
#ifndef HILO_PASSES_EXPAND_BATCH_NORM_H_
#define HILO_PASSES_EXPAND_BATCH_NORM_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Which elements of the first operand statistics are of; null for all of them.
struct PresentElements {
  HloInstruction* inside = nullptr;  // a mask of the operand's dimensions
  HloInstruction* count = nullptr;   // a scalar: how many of them there are for each feature
};

// Null for other operations.
HloInstruction* ExpandBatchNorm(HloInstruction& instruction, const PresentElements& present);

}  // namespace xla::passes

#endif  // HILO_PASSES_EXPAND_BATCH_NORM_H_
