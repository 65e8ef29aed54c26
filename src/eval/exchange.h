// Exchange with the host and with other devices, as the evaluator's instructions see it.
#ifndef HILO_EVAL_EXCHANGE_H_
#define HILO_EVAL_EXCHANGE_H_

#include "runtime/rendezvous.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

// The instruction must outlive the result.
inline runtime::Exchange ExchangeOf(const HloInstruction& instruction) {
  return {HloOpcodeString(instruction.opcode()), instruction.name(), instruction.channel_id(),
          &instruction};
}

}  // namespace xla::eval

#endif  // HILO_EVAL_EXCHANGE_H_
