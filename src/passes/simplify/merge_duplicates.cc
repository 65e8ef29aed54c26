#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "base/status_macros.h"
#include "ir/attribute_printer.h"
#include "ir/op_info.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/printer.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Equal ones give equal values, and it does not matter how often they run.
bool IsMergeable(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kFusion:
      return false;
    case HloOpcode::kCustomCall:
      if (!IsOwnFunction(instruction)) return false;
      [[fallthrough]];
    default:
      return !HasTrait(instruction.opcode(), kControlFlow) &&
             !HasTrait(instruction.opcode(), kCollective) &&
             !HasTrait(instruction.opcode(), kAsync) && !instruction.HasSideEffect() &&
             !instruction.HasControlDependencies();
  }
}

// Equal instructions have equal hashes; called computations are compared only.
size_t Hash(const HloInstruction& instruction) {
  std::vector<const HloInstruction*> operands(instruction.operands().begin(),
                                              instruction.operands().end());
  const Shape& shape = instruction.shape();
  size_t hash = absl::HashOf(instruction.opcode(), operands, shape.element_type());
  if (shape.IsArray()) hash = absl::HashOf(hash, shape.dimensions());
  if (instruction.opcode() == HloOpcode::kConstant) {
    return shape.IsArray() && instruction.HasLiteral() ? absl::HashOf(hash, instruction.literal())
                                                       : hash;
  }
  if (GetOpInfo(instruction.opcode()).fields().empty()) return hash;
  StringPrinter attributes;
  PrintAttributes(&attributes, instruction.attributes(), HloPrintOptions::Canonical());
  return absl::HashOf(hash, std::move(attributes).ToString());
}

absl::StatusOr<bool> Merge(HloComputation& computation) {
  bool changed = false;
  absl::flat_hash_map<size_t, std::vector<HloInstruction*>> known;
  // Operands come first, so that equal operands are one when their users are compared.
  for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (!IsMergeable(*instruction)) continue;
    std::vector<HloInstruction*>& candidates = known[Hash(*instruction)];
    const auto equal = absl::c_find_if(candidates, [&](const HloInstruction* candidate) {
      return candidate->Identical(*instruction);
    });
    if (equal == candidates.end()) {
      candidates.push_back(instruction);
      continue;
    }
    HILO_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(*equal));
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> MergeDuplicates(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    HILO_ASSIGN_OR_RETURN(const bool merged, Merge(*computation));
    changed |= merged;
  }
  if (changed) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::passes
