// What is known of the signs of zeros.
#ifndef HILO_PASSES_SIMPLIFY_SIGNS_H_
#define HILO_PASSES_SIMPLIFY_SIGNS_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Whether no element of a real array can be -0, so that adding 0 changes nothing. What loops carry
// is looked at with them; where the answer takes long, it is no.
bool IsNeverNegativeZero(const HloInstruction& x);

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_SIGNS_H_
