#include "passes/cost.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// The type in which the instruction computes: that of its operands, such as a comparison's, but for
// the predicate of a select; of other operations that of the result's part.
PrimitiveType ComputedType(const HloInstruction& instruction, const Shape& part) {
  if (!instruction.IsElementwise() || instruction.operand_count() == 0) return part.element_type();
  const HloInstruction& operand =
      *instruction.operand(instruction.opcode() == HloOpcode::kSelect ? 1 : 0);
  return operand.shape().element_type();
}

// That of the first array.
PrimitiveType ElementType(const HloInstruction& instruction) {
  const Shape* part = &instruction.shape();
  while (part->IsTuple() && !part->tuple_shapes().empty()) part = &part->tuple_shapes(0);
  return ComputedType(instruction, *part);
}

const OpCosts& CostsOf(HloOpcode opcode) { return GetOpInfo(opcode).costs; }

// Of an element that is read alone, wherever it lies: adjacent ones of the result are not adjacent
// there.
constexpr double kGatheredElement = 40;

bool GathersElements(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kGather &&
         absl::c_all_of(instruction.attributes_as<GatherAttributes>().slice_sizes,
                        [](int64_t size) { return size == 1; });
}

}  // namespace

double AdditionsOfElement(const HloInstruction& instruction) {
  if (GathersElements(instruction)) return kGatheredElement;
  return CostsOf(instruction.opcode()).Of(ElementType(instruction));
}

double CostOfElement(const HloInstruction& instruction) {
  return AdditionsOfElement(instruction) /
         CostsOf(HloOpcode::kParameter).Of(ElementType(instruction));
}

double CostOf(const HloInstruction& instruction) {
  const HloInstruction& counted =
      instruction.opcode() == HloOpcode::kReduce ? *instruction.operand(0) : instruction;
  double additions = 0;
  ShapeUtil::ForEachSubshape(counted.shape(), [&](const Shape& part, const ShapeIndex&) {
    if (!part.IsArray()) return;
    additions += static_cast<double>(ShapeUtil::ElementsIn(part)) *
                 CostsOf(instruction.opcode()).Of(ComputedType(instruction, part));
  });
  return additions / CostsOf(HloOpcode::kParameter).f32;
}

double CostToCompute(const HloInstruction& instruction,
                     absl::FunctionRef<bool(const HloInstruction&)> is_there) {
  double cost = 0;
  std::vector<const HloInstruction*> waiting = {&instruction};
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& needed = *waiting.back();
    waiting.pop_back();
    if (is_there(needed) || !seen.insert(&needed).second) continue;
    cost += CostOf(needed);
    waiting.insert(waiting.end(), needed.operands().begin(), needed.operands().end());
  }
  return cost;
}

bool IsExpensive(const HloInstruction& instruction) { return CostOfElement(instruction) >= 4; }

bool HasManyInstructions(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), kManyInstructions);
}

}  // namespace xla::passes
