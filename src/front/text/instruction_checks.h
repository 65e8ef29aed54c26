// What must hold of an instruction for it to be one at all. Whether it means something is the
// verifier's business.
#ifndef HILO_FRONT_TEXT_INSTRUCTION_CHECKS_H_
#define HILO_FRONT_TEXT_INSTRUCTION_CHECKS_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// InvalidArgument for contradictions between the operands, the shape and the attributes of an
// instruction that text is not allowed to have even where it may have invalid programs.
absl::Status CheckSound(const HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_FRONT_TEXT_INSTRUCTION_CHECKS_H_
