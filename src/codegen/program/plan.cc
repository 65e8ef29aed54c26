#include "codegen/program/plan.h"

#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/source_place.h"

namespace xla::program {

absl::string_view PlaceName(Place place) {
  switch (place) {
    case Place::kUnassigned:
      return "memory";
    case Place::kParameter:
      return "parameter";
    case Place::kResult:
      return "result";
    case Place::kConstant:
      return "constant";
    case Place::kArena:
      return "arena";
    case Place::kStack:
      return "stack";
  }
  return "";
}

std::string Plan::NameOf(int array) const {
  const Array& each = arrays[array];
  std::string name(each.definition->name());
  if (each.definition->shape().IsTuple()) absl::StrAppend(&name, "{", each.leaf, "}");
  return name;
}

void ForEachStep(Block& block, absl::FunctionRef<void(Step&)> visit) {
  for (Step& step : block.steps) {
    visit(step);
    for (Block& inner : step.blocks) ForEachStep(inner, visit);
  }
}

void ForEachStep(const Block& block, absl::FunctionRef<void(const Step&)> visit) {
  ForEachStep(const_cast<Block&>(block), [&](Step& step) { visit(step); });
}

std::vector<const HloInstruction*> PartsOf(const HloInstruction& instruction) {
  std::vector<const HloInstruction*> parts = {&instruction};
  if (instruction.opcode() != HloOpcode::kFusion) return parts;
  for (const HloInstruction* fused :
       instruction.fused_instructions_computation()->MakeInstructionPostOrder()) {
    if (fused->opcode() != HloOpcode::kParameter && fused->opcode() != HloOpcode::kTuple)
      parts.push_back(fused);
  }
  return parts;
}

std::string OperationsText(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kFusion)
    return std::string(HloOpcodeString(instruction.opcode()));
  const auto is_free = [](const HloInstruction* each) {
    return each->opcode() == HloOpcode::kBroadcast || each->opcode() == HloOpcode::kConstant ||
           each->opcode() == HloOpcode::kReshape || each->opcode() == HloOpcode::kGetTupleElement;
  };
  std::vector<const HloInstruction*> parts = PartsOf(instruction);
  parts.erase(parts.begin());
  const bool has_more = !absl::c_all_of(parts, is_free);
  // By whether it is a product, frequency and name.
  std::map<absl::string_view, std::pair<bool, int>> counts;
  for (const HloInstruction* each : parts) {
    if (has_more && is_free(each)) continue;
    auto& [is_product, count] = counts[HloOpcodeString(each->opcode())];
    is_product = loops::IsProduct(*each);
    ++count;
  }
  std::vector<std::pair<absl::string_view, std::pair<bool, int>>> sorted(counts.begin(),
                                                                         counts.end());
  absl::c_stable_sort(sorted, [](const auto& x, const auto& y) { return x.second > y.second; });
  return absl::StrJoin(sorted, ", ", [](std::string* text, const auto& each) {
    absl::StrAppend(text, each.first);
    if (each.second.second > 1) absl::StrAppend(text, " (", each.second.second, ")");
  });
}

std::vector<std::string> SourcesOf(const HloInstruction& instruction) {
  std::vector<std::string> sources;
  for (const HloInstruction* each : PartsOf(instruction)) {
    std::string source = SourcePlaceText(*each);
    if (!source.empty() && !absl::c_linear_search(sources, source))
      sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<Shape> ArrayLeaves(const Shape& shape) {
  std::vector<Shape> leaves;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) leaves.push_back(part);
  });
  return leaves;
}

bool HasNoElements(const HloInstruction& instruction) {
  return absl::c_all_of(ArrayLeaves(instruction.shape()),
                        [](const Shape& leaf) { return ShapeUtil::ByteSizeOf(leaf) == 0; });
}

bool IsUpdatedInPlace(const HloInstruction& root, int64_t operand) {
  switch (root.opcode()) {
    case HloOpcode::kDynamicUpdateSlice:
      return operand == 0;
    case HloOpcode::kScatter:
      return operand < root.operand_count() / 2;
    default:
      return false;
  }
}

bool IsAlias(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:  // in row-major order, as all arrays are here
    case HloOpcode::kAddDependency:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kDomain:
    case HloOpcode::kAfterAll:
    case HloOpcode::kParameter:
      return true;
    default:
      return false;
  }
}

}  // namespace xla::program
