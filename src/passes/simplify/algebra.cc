#include "passes/simplify/algebra.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/simplify/match.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using RuleTable = std::vector<std::vector<Rule>>;

const RuleTable& Rules() {
  static const RuleTable& table = *[] {
    auto* rules = new RuleTable(HloOpcodeCount());
    for (const auto& family : {ArithmeticRules(), LogicRules(), TypeRules(), ShapeRules(),
                               SliceRules(), IndexRules(), PadRules(), ReductionRules(),
                               UpdateRules(), ConvolutionRules(), DotRules(), TransposeRules()}) {
      for (const OpcodeRule& rule : family)
        (*rules)[static_cast<size_t>(rule.opcode)].push_back(rule.apply);
    }
    return rules;
  }();
  return table;
}

HloInstruction* Simplify(HloInstruction& instruction) {
  for (Rule rule : Rules()[static_cast<size_t>(instruction.opcode())]) {
    HloInstruction* replacement = rule(instruction);
    if (replacement != nullptr && replacement != &instruction) return replacement;
  }
  if (HloInstruction* folded = Fold(instruction); folded != nullptr) return folded;
  return instruction.IsElementwise() ? StretchAfterwards(instruction) : nullptr;
}

}  // namespace

HloInstruction* StretchAfterwards(HloInstruction& instruction) {
  if (instruction.operand_count() == 0 || instruction.opcode() == HloOpcode::kMap ||
      instruction.shape().dimensions_size() == 0) {
    return nullptr;
  }
  // Among broadcasts, one that is not of a scalar says how the others have to be stretched.
  const HloInstruction* model = instruction.operand(0);
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->opcode() != HloOpcode::kBroadcast) return nullptr;
    if (IsSplat(*model)) model = operand;
  }
  const Shape& narrow = model->operand(0)->shape();
  for (const HloInstruction* operand : instruction.operands()) {
    if (!IsSplat(*operand) &&
        (!absl::c_equal(operand->dimensions(), model->dimensions()) ||
         !absl::c_equal(operand->operand(0)->shape().dimensions(), narrow.dimensions()))) {
      return nullptr;
    }
  }
  if (!IsSplat(*model) &&
      ShapeUtil::ElementsIn(narrow) == ShapeUtil::ElementsIn(instruction.shape())) {
    return nullptr;
  }
  GraphBuilder b(instruction);
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : instruction.mutable_operands()) {
    HloInstruction* source = operand->mutable_operand(0);
    if (IsSplat(*operand) && !IsSplat(*model)) source = b.Broadcast(source, narrow.dimensions());
    operands.push_back(source);
  }
  const Shape shape = ShapeUtil::MakeShape(instruction.shape().element_type(), narrow.dimensions());
  return b.Broadcast(b.Add(instruction.CloneWithNewOperands(shape, operands)),
                     instruction.shape().dimensions(), model->dimensions());
}

absl::StatusOr<bool> SimplifyAlgebra(HloModule& module) { return Rewrite(module, Simplify); }

absl::StatusOr<bool> FoldConstants(HloModule& module) { return Rewrite(module, Fold); }

}  // namespace xla::passes
