// Small floats that are only moved.
#ifndef HILO_CODEGEN_LOOPS_MOVE_BITS_H_
#define HILO_CODEGEN_LOOPS_MOVE_BITS_H_

#include <memory>

#include "xla/hlo/ir/hlo_computation.h"

namespace xla::loops {

// Where a computation does nothing with floats of 8 or 16 bits but move them, they are unsigned
// integers of as many bits in what is returned: vectors of floats have 32 bits and more for each.
std::unique_ptr<HloComputation> MoveBits(std::unique_ptr<HloComputation> computation);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_MOVE_BITS_H_
