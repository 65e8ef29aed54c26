#include <algorithm>

#include "absl/algorithm/container.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Larger arrays are not worth the time here.
constexpr int64_t kMostElements = 65536;
// So much memory a constant may take without saving any.
constexpr int64_t kAlwaysFoldedBytes = 1024;
// More elements than this are only kept where something else than an element-wise function made
// them.
constexpr int64_t kFewElements = 64;

// What takes more time than a few steps for each element of operands and result, or is not a
// function of its operands.
bool IsFoldable(const HloInstruction& instruction) {
  if (instruction.IsElementwise()) return instruction.opcode() != HloOpcode::kMap;
  switch (instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConcatenate:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kScatter:
    case HloOpcode::kReduce:
    case HloOpcode::kSort:
      return true;
    default:
      return false;
  }
}

// Constants, and what is as good as one. A broadcast and an iota say more than their elements do as
// long as these are many.
bool IsKnown(const HloInstruction& operand) {
  if (operand.opcode() == HloOpcode::kConstant) return operand.HasLiteral();
  if (ShapeUtil::ElementsIn(operand.shape()) > kFewElements) return false;
  return operand.opcode() == HloOpcode::kIota ||
         (operand.opcode() == HloOpcode::kBroadcast &&
          operand.operand(0)->opcode() == HloOpcode::kConstant);
}

bool PaysOff(const HloInstruction& instruction) {
  int64_t operand_bytes = 0, elements = ShapeUtil::ElementsIn(instruction.shape());
  for (const HloInstruction* operand : instruction.operands()) {
    elements = std::max(elements, ShapeUtil::ElementsIn(operand->shape()));
    if (operand->user_count() == 1) operand_bytes += ShapeUtil::ByteSizeOf(operand->shape());
  }
  const int64_t bytes = ShapeUtil::ByteSizeOf(instruction.shape());
  return elements <= kMostElements && bytes <= std::max(operand_bytes, kAlwaysFoldedBytes);
}

// Whether its value is known because it has no elements. What makes it need not be run then:
// functions of others may not like empty arrays.
bool HasNothing(const HloInstruction& instruction) {
  return instruction.operand_count() > 0 && ShapeUtil::IsZeroElementArray(instruction.shape()) &&
         !instruction.HasSideEffect();
}

}  // namespace

HloInstruction* Fold(HloInstruction& instruction) {
  if (HasNothing(instruction)) {
    const Shape& shape = instruction.shape();
    return GraphBuilder(instruction)
        .Constant(Literal(ShapeUtil::MakeShape(shape.element_type(), shape.dimensions())));
  }
  if (instruction.operand_count() == 0 || !IsFoldable(instruction) ||
      !instruction.shape().IsArray() ||
      !absl::c_all_of(instruction.operands(),
                      [](const HloInstruction* operand) { return IsKnown(*operand); }) ||
      !PaysOff(instruction)) {
    return nullptr;
  }
  Literal value;
  if (!HloEvaluator().TryEvaluate(&instruction, &value,
                                  /*recursively_evaluate_nonconstant_operands=*/true)) {
    return nullptr;
  }
  Shape row_major = value.shape();
  LayoutUtil::SetToDefaultLayout(&row_major);
  return GraphBuilder(instruction).Constant(value.Relayout(row_major));
}

}  // namespace xla::passes
