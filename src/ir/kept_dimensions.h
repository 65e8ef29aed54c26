// Operations that leave elements in place along dimensions, so that a dynamic size goes with them.
#ifndef HILO_IR_KEPT_DIMENSIONS_H_
#define HILO_IR_KEPT_DIMENSIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

struct OperandDimension {
  int64_t operand, dimension;
};

// For each dimension of the result, the operand's dimension that it is, if it is one: all of it, in
// the same order. Nothing for operations with other rules, such as those of several operands.
using KeptDimensions = std::vector<std::optional<OperandDimension>>;
std::optional<KeptDimensions> FindKeptDimensions(const HloInstruction& instruction);

}  // namespace xla

#endif  // HILO_IR_KEPT_DIMENSIONS_H_
