// Rules that hold only where HloVerifierOpts asks for them.
#ifndef HILO_IR_OPTION_RULES_H_
#define HILO_IR_OPTION_RULES_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/service/hlo_verifier.h"

namespace xla {

// Whether minor_to_major is the same in both, wherever both have a layout.
bool HaveOneLayout(const Shape& a, const Shape& b);

// InvalidArgument names the first rule that the instruction breaks. Its operands and attributes are
// those of a valid operation.
absl::Status CheckOptionalRules(const HloInstruction& instruction, const HloVerifierOpts& opts);

// With layout_sensitive: an operation that hands values on, as get-tuple-element does, is declared
// with the layouts that the values have.
absl::Status CheckLayoutsHandedOn(const HloInstruction& instruction, const Shape& inferred,
                                  const HloVerifierOpts& opts);

}  // namespace xla

#endif  // HILO_IR_OPTION_RULES_H_
