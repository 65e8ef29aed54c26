#include "cpu/emit/scalar_function.h"

#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/functions.h"
#include "xla/shape_util.h"

namespace xla::cpu {

absl::StatusOr<std::vector<Lanes>> ApplyScalarFunction(Builder& b,
                                                       const HloComputation& computation,
                                                       absl::Span<const Lanes> arguments) {
  Elements elements(b, LaneCount(arguments[0]),
                    [&](Builder&, int, const HloInstruction& instruction, const Position&,
                        llvm::Value*) -> absl::StatusOr<Lanes> {
                      if (instruction.opcode() != HloOpcode::kParameter) return NoCode(instruction);
                      return arguments[instruction.parameter_number()];
                    });
  const HloInstruction& root = *computation.root_instruction();
  std::vector<Lanes> results;
  if (root.opcode() == HloOpcode::kTuple) {
    for (const HloInstruction* leaf : root.operands()) {
      HILO_ASSIGN_OR_RETURN(results.emplace_back(), elements.At(*leaf, {}, nullptr));
    }
  } else {
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), elements.At(root, {}, nullptr));
  }
  return results;
}

bool IsScalarFunction(const HloComputation& computation) {
  // What the root does not need is left out.
  std::vector<const HloInstruction*> waiting = {computation.root_instruction()};
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction* instruction = waiting.back();
    waiting.pop_back();
    if (!seen.insert(instruction).second) continue;
    const bool is_root_tuple = instruction->opcode() == HloOpcode::kTuple && instruction->IsRoot();
    if (!is_root_tuple && !ShapeUtil::IsScalar(instruction->shape())) return false;
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kTuple:
        break;
      default:
        if (!IsElementwiseHere(*instruction)) return false;
    }
    for (const HloInstruction* operand : instruction->operands()) waiting.push_back(operand);
  }
  return true;
}

}  // namespace xla::cpu
