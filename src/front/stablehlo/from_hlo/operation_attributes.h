// The attributes of StableHLO operations, from those of HLO instructions.
#ifndef HILO_FRONT_STABLEHLO_FROM_HLO_OPERATION_ATTRIBUTES_H_
#define HILO_FRONT_STABLEHLO_FROM_HLO_OPERATION_ATTRIBUTES_H_

#include <string>

#include "absl/status/status.h"
#include "front/stablehlo/from_hlo/attribute_maker.h"
#include "front/stablehlo/program.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::stablehlo {

// The name of the operation that does what the instruction does on its own, with operands and
// results in the same order; empty if there is none.
std::string OperationName(const HloInstruction& instruction);

// Adds the attributes that this operation defines.
absl::Status AddAttributes(const HloInstruction& instruction, AttributeMaker& maker,
                           NamedAttributes& attributes);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_FROM_HLO_OPERATION_ATTRIBUTES_H_
