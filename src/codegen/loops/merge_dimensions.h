// Dimensions as a kernel needs them.
#ifndef HILO_CODEGEN_LOOPS_MERGE_DIMENSIONS_H_
#define HILO_CODEGEN_LOOPS_MERGE_DIMENSIONS_H_

#include <memory>

#include "xla/hlo/ir/hlo_computation.h"

namespace xla::loops {

// A copy of a fused computation in which neighbouring dimensions that no instruction tells apart
// are one, and dimensions of one element are gone: an addition of f32[8,16,32,5] becomes one of
// f32[20480]. Its parameters and results are the same memory in row-major order. Where a reshape
// takes a dimension apart, the dimension is split in the instructions around it as well, if all of
// them can follow.
std::unique_ptr<HloComputation> MergeDimensions(const HloComputation& computation);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_MERGE_DIMENSIONS_H_
