#include "cpu/plan/pack_functions.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "codegen/loops/schedule.h"
#include "codegen/program/register_form.h"
#include "codegen/target.h"
#include "cpu/plan/fusion.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

bool CanBePacked(const HloInstruction& instruction, const codegen::Target& target) {
  return passes::HasManyInstructions(instruction) && instruction.IsElementwise() &&
         program::HasRegisterForm(instruction) && !instruction.HasControlDependencies() &&
         loops::ComputingBits(instruction.shape()) <= target.vector_bits / 2 &&
         // What kernels read is better computed in them.
         absl::c_all_of(instruction.users(), [](const HloInstruction* user) {
           return !user->shape().IsArray() || program::FitsRegisters(user->shape());
         });
}

// One function of all arguments, one after the other.
absl::Status Pack(absl::Span<HloInstruction* const> functions) {
  passes::GraphBuilder builder(*functions[0]);
  int64_t total = 0;
  for (const HloInstruction* each : functions) total += ShapeUtil::ElementsIn(each->shape());
  std::vector<HloInstruction*> operands;
  for (int64_t i = 0; i < functions[0]->operand_count(); ++i) {
    std::vector<HloInstruction*> parts;
    for (HloInstruction* each : functions) {
      HloInstruction* operand = each->mutable_operand(i);
      parts.push_back(builder.Reshape(operand, {ShapeUtil::ElementsIn(operand->shape())}));
    }
    operands.push_back(builder.Add(HloInstruction::CreateConcatenate(
        ShapeUtil::MakeShape(parts[0]->shape().element_type(), {total}), parts, 0)));
  }
  const PrimitiveType type = functions[0]->shape().element_type();
  HloInstruction* all = builder.Add(
      functions[0]->CloneWithNewOperands(ShapeUtil::MakeShape(type, {total}), operands));
  std::vector<HloInstruction*> parts;
  int64_t start = 0;
  for (const HloInstruction* each : functions) {
    const int64_t count = ShapeUtil::ElementsIn(each->shape());
    HloInstruction* part = builder.Add(HloInstruction::CreateSlice(
        ShapeUtil::MakeShape(type, {count}), all, {start}, {start + count}, {1}));
    parts.push_back(builder.Reshape(part, each->shape().dimensions()));
    start += count;
  }
  for (size_t i = 0; i < functions.size(); ++i)
    HILO_RETURN_IF_ERROR(functions[i]->parent()->ReplaceInstruction(functions[i], parts[i]));
  return absl::OkStatus();
}

absl::StatusOr<bool> PackIn(HloComputation& computation, const codegen::Target& target) {
  // Functions of the same depth, the number of functions that lead to them, do not depend on each
  // other.
  absl::flat_hash_map<const HloInstruction*, int64_t> depths;
  std::map<std::tuple<int64_t, HloOpcode, PrimitiveType>, std::vector<HloInstruction*>> groups;
  for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    int64_t depth = 0;
    for (const HloInstruction* operand : instruction->operands())
      depth = std::max(depth, depths.at(operand));
    for (const HloInstruction* before : instruction->control_predecessors())
      depth = std::max(depth, depths.at(before));
    if (CanBePacked(*instruction, target)) {
      groups[{depth++, instruction->opcode(), instruction->operand(0)->shape().element_type()}]
          .push_back(instruction);
    }
    depths[instruction] = depth;
  }
  bool changed = false;
  for (const auto& [key, group] : groups) {
    for (size_t first = 0; first < group.size();) {
      size_t end = first;
      for (int64_t bits = 0; end < group.size(); ++end) {
        bits += loops::ComputingBits(group[end]->shape());
        if (bits > target.vector_bits) break;
      }
      if (end - first > 1) {
        HILO_RETURN_IF_ERROR(Pack(absl::MakeConstSpan(group).subspan(first, end - first)));
        changed = true;
      }
      first = end;
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> PackFunctions(HloModule& module) {
  HILO_ASSIGN_OR_RETURN(const codegen::Target target,
                        codegen::Target::Of(module.config().debug_options()));
  bool changed = false;
  for (HloComputation* computation : SequentialComputations(module)) {
    HILO_ASSIGN_OR_RETURN(const bool packed, PackIn(*computation, target));
    changed |= packed;
  }
  return changed;
}

}  // namespace xla::cpu
