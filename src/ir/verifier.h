// Checks that a module means something: every rule of every operation, and what holds between instructions.
#ifndef HILO_IR_VERIFIER_H_
#define HILO_IR_VERIFIER_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo_verifier.h"

namespace xla {

// The first broken rule as InvalidArgument, naming computation, instruction, shapes and rule; OK when there is none.
absl::Status VerifyModule(const HloModule& module, const HloVerifierOpts& options);

// What is asked of programs everywhere in Hilo: the rules without any option, though sizes need not be known, and that
// instructions that read the infeed are ordered.
absl::Status VerifyModule(const HloModule& module);

// The same for one instruction: its operands and attributes against the shape rule, and the declared shape against the
// inferred one.
absl::Status VerifyInstruction(const HloInstruction& instruction,
                               const HloVerifierOpts& options = {.allow_unbounded_dynamism = true});

}  // namespace xla

#endif  // HILO_IR_VERIFIER_H_
