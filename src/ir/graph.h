// Small functions over names and graphs of instructions, used by several front ends.
#ifndef HILO_IR_GRAPH_H_
#define HILO_IR_GRAPH_H_

#include <string>

#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// The name as an identifier of HLO text, changed where the grammar asks for it (hlo-text: "sanitiser").
std::string SanitizeName(absl::string_view name);

// Brings attributes to the form in which equal programs are equal: a comparison type that is the operands' default is
// left out, a fused computation is marked as such. Called by whoever makes instructions from outside (text, proto, builder).
void NormalizeAttributes(HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_IR_GRAPH_H_
