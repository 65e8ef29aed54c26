// Which dimensions slices and the like treat by themselves.
#ifndef HILO_CODEGEN_LOOPS_TOUCHED_DIMENSIONS_H_
#define HILO_CODEGEN_LOOPS_TOUCHED_DIMENSIONS_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::loops {

// Slices and the like, which treat some dimensions by themselves and leave the others as they are.
bool TouchesDimensions(const HloInstruction& instruction);

// Whether such an operation treats the dimension by itself.
bool IsTouched(const HloInstruction& instruction, int64_t d);

// The innermost dimension that the operation touches, if those inside of it may be one with it:
// ranges of its indices are ranges of elements. Otherwise -1.
int64_t DimensionOfRanges(const HloInstruction& instruction);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_TOUCHED_DIMENSIONS_H_
