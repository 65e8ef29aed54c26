// Checks that a module means something: every rule of every operation, and what holds between instructions.
#ifndef HILO_IR_VERIFIER_H_
#define HILO_IR_VERIFIER_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

struct VerifyOptions {
  // Operations may take floating-point operands of different precision, and results may be declared in another.
  bool allow_mixed_precision = false;
};

// The first broken rule as InvalidArgument, naming computation, instruction, shapes and rule; OK when there is none.
absl::Status VerifyModule(const HloModule& module, const VerifyOptions& options = {});

// The same for one instruction: its operands and attributes against the shape rule, and the declared shape against the
// inferred one.
absl::Status VerifyInstruction(const HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_IR_VERIFIER_H_
