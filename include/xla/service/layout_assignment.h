// Which operations say how their results lie in memory.
#ifndef XLA_SERVICE_LAYOUT_ASSIGNMENT_H_
#define XLA_SERVICE_LAYOUT_ASSIGNMENT_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Hilo has no pass that assigns layouts, since results do not depend on them; this is what
// verifiers ask.
class LayoutAssignment {
 public:
  LayoutAssignment() = delete;

  // False for operations that go through operands and result in the same order, such as elementwise
  // ones, slice and concatenate: operands of the rank of the result have its layout.
  static bool InstructionCanChangeLayout(const HloInstruction* instruction);
};

}  // namespace xla

#endif  // XLA_SERVICE_LAYOUT_ASSIGNMENT_H_
