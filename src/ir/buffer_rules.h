// Rules of buffers: arrays with an identity, b(f32[2]), which operations change in place. An array
// becomes one by the custom call Pin and is one no longer after Unpin; CreateBuffer gives a new one.
#ifndef HILO_IR_BUFFER_RULES_H_
#define HILO_IR_BUFFER_RULES_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// InvalidArgument where the instruction takes or gives buffers and may not, or where a buffer that
// it gives is changed by several of its users.
absl::Status CheckBuffers(const HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_IR_BUFFER_RULES_H_
