// Operations that decide at run time which computations run.
#ifndef HILO_IR_CONTROL_FLOW_H_
#define HILO_IR_CONTROL_FLOW_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// A while or a conditional: what is left of control flow where calls are inlined.
inline bool IsLoopOrConditional(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kWhile ||
         instruction.opcode() == HloOpcode::kConditional;
}

}  // namespace xla

#endif  // HILO_IR_CONTROL_FLOW_H_
