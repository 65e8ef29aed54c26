#include <vector>

#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"

namespace xla::passes {
namespace {

absl::StatusOr<HloInstruction*> ExpandIndexVector(HloInstruction& instruction) {
  const bool updates = instruction.opcode() == HloOpcode::kDynamicUpdateSlice;
  if (!updates && instruction.opcode() != HloOpcode::kDynamicSlice) return nullptr;
  const int64_t first = updates ? 2 : 1;
  if (instruction.operand_count() != first + 1 ||
      instruction.operand(first)->shape().dimensions_size() != 1) {
    return nullptr;
  }
  GraphBuilder builder(instruction);
  HloInstruction* indices = instruction.mutable_operand(first);
  std::vector<HloInstruction*> starts;
  for (int64_t d = 0; d < instruction.shape().dimensions_size(); ++d)
    starts.push_back(builder.Element(indices, d));
  HloInstruction* array = instruction.mutable_operand(0);
  if (updates) {
    return builder.Add(HloInstruction::CreateDynamicUpdateSlice(
        instruction.shape(), array, instruction.mutable_operand(1), starts));
  }
  return builder.Add(HloInstruction::CreateDynamicSlice(
      instruction.shape(), array, starts,
      instruction.attributes_as<DynamicSliceAttributes>().slice_sizes));
}

}  // namespace

absl::StatusOr<bool> ExpandIndexVectors(HloModule& module) {
  return ReplaceEach(module, ExpandIndexVector);
}

}  // namespace xla::passes
