#include "passes/partition/combine.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// More in one computation are left as they are.
constexpr size_t kMost = 64;

// What all-reduces have in common that can be one; empty for those that cannot.
std::string KindOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kAllReduce || !instruction.shape().IsArray() ||
      instruction.HasControlDependencies() ||
      instruction.to_apply()->root_instruction()->operand_count() != 2)
    return "";
  const auto& attributes = instruction.attributes_as<AllReduceAttributes>();
  return absl::StrCat(instruction.shape().element_type(), " ",
                      static_cast<int>(instruction.to_apply()->root_instruction()->opcode()), " ",
                      attributes.replica_groups.ToString(), " ", attributes.channel_id.value_or(0),
                      " ", attributes.use_global_device_ids);
}

// The first of those that do not depend on the all-reduces taken before them.
std::vector<HloInstruction*> Independent(const std::vector<HloInstruction*>& all,
                                         const std::vector<HloInstruction*>& order) {
  absl::flat_hash_map<const HloInstruction*, uint64_t> needs;  // a bit for each of `all`
  for (const HloInstruction* instruction : order) {
    uint64_t bits = 0;
    for (const HloInstruction* operand : instruction->operands()) bits |= needs[operand];
    for (const HloInstruction* before : instruction->control_predecessors()) bits |= needs[before];
    const auto own = absl::c_find(all, instruction);
    if (own != all.end()) bits |= uint64_t{1} << (own - all.begin());
    needs[instruction] = bits;
  }
  std::vector<HloInstruction*> independent;
  uint64_t taken = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if ((needs[all[i]] & taken) != 0) continue;
    independent.push_back(all[i]);
    taken |= uint64_t{1} << i;
  }
  return independent;
}

absl::Status Combine(absl::Span<HloInstruction* const> reduces) {
  HloInstruction& first = *reduces[0];
  GraphBuilder graph(first);
  std::vector<HloInstruction*> operands;
  std::vector<Shape> shapes;
  for (HloInstruction* reduce : reduces) {
    operands.push_back(reduce->mutable_operand(0));
    shapes.push_back(reduce->shape());
  }
  HloInstruction* const one =
      graph.Add(first.CloneWithNewOperands(ShapeUtil::MakeTupleShape(shapes), operands));
  for (size_t i = 0; i < reduces.size(); ++i) {
    HloComputation& computation = *first.parent();
    HILO_RETURN_IF_ERROR(reduces[i]->ReplaceAllUsesWith(graph.Part(one, static_cast<int64_t>(i))));
    if (i > 0) HILO_RETURN_IF_ERROR(computation.RemoveInstruction(reduces[i]));
  }
  return first.parent()->RemoveInstruction(&first);
}

absl::StatusOr<bool> CombineIn(HloComputation& computation) {
  bool changed = false;
  std::map<std::string, std::vector<HloInstruction*>> kinds;
  for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    std::string kind = KindOf(*instruction);
    if (!kind.empty()) kinds[std::move(kind)].push_back(instruction);
  }
  for (auto& [kind, all] : kinds) {
    while (all.size() > 1 && all.size() <= kMost) {
      const std::vector<HloInstruction*> independent =
          Independent(all, computation.MakeInstructionPostOrder());
      if (independent.size() > 1) {
        HILO_RETURN_IF_ERROR(Combine(independent));
        changed = true;
      }
      all.erase(std::remove_if(all.begin(), all.end(),
                               [&](const HloInstruction* reduce) {
                                 return absl::c_linear_search(independent, reduce);
                               }),
                all.end());
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> CombineAllReduces(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    HILO_ASSIGN_OR_RETURN(const bool here, CombineIn(*computation));
    changed = changed || here;
  }
  return changed;
}

}  // namespace xla::passes
