#include "codegen/program/plan.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

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
