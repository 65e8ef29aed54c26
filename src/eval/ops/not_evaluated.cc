// The operations that the evaluator does not have: they exchange data with the host.
#include "absl/algorithm/container.h"
#include "eval/frame.h"
#include "xla/util.h"

namespace xla::eval {

#define HILO_FOR_EACH_NOT_EVALUATED(X) \
  X(Infeed)                            \
  X(Outfeed)                           \
  X(Recv)                              \
  X(RecvDone)                          \
  X(Send)                              \
  X(SendDone)

#define HILO_NOT_EVALUATED(name)                                          \
  absl::StatusOr<Value> name(Frame&, const HloInstruction& instruction) { \
    return NotEvaluated(instruction);                                     \
  }
HILO_FOR_EACH_NOT_EVALUATED(HILO_NOT_EVALUATED)
#undef HILO_NOT_EVALUATED

absl::Status NotEvaluated(const HloInstruction& instruction) {
  return Unimplemented("The evaluator does not have the operation %s (instruction %s)",
                       HloOpcodeString(instruction.opcode()), instruction.name());
}

bool IsEvaluated(HloOpcode opcode) {
#define HILO_OPCODE(name) HloOpcode::k##name,
  static constexpr HloOpcode kNotEvaluated[] = {HILO_FOR_EACH_NOT_EVALUATED(HILO_OPCODE)};
#undef HILO_OPCODE
  return !absl::c_linear_search(kNotEvaluated, opcode);
}

}  // namespace xla::eval
