#include "cpu/plan/split_short_arrays.h"

#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "cpu/plan/fusion.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/reducer.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMostElements = 4;
// More expensive functions are better computed of all elements at once.
constexpr double kMostCost = 2;

using Scalars = std::vector<HloInstruction*>;

bool IsShort(const Shape& shape) {
  return shape.IsArray() && !shape.is_dynamic() && ShapeUtil::ElementsIn(shape) >= 1 &&
         ShapeUtil::ElementsIn(shape) <= kMostElements;
}

// An array of any rank, as far as it has one dimension of more than one element.
bool IsVector(const Shape& shape) {
  return absl::c_count_if(shape.dimensions(), [](int64_t size) { return size > 1; }) <= 1;
}

class ArraySplitter {
 public:
  explicit ArraySplitter(HloComputation& computation) : computation_(computation) {}

  absl::StatusOr<bool> Run() {
    bool changed = false;
    for (HloInstruction* instruction : computation_.MakeInstructionPostOrder()) {
      if (!IsShort(instruction->shape()) || instruction->HasControlDependencies()) continue;
      passes::GraphBuilder builder(*instruction);
      const Scalars scalars = Split(builder, *instruction);
      if (scalars.empty()) continue;
      if (instruction->opcode() == HloOpcode::kConcatenate) {
        scalars_[instruction] = scalars;
        continue;
      }
      HloInstruction* whole = Join(builder, scalars, instruction->shape());
      scalars_[whole] = scalars;
      HILO_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(whole));
      changed = true;
    }
    return changed;
  }

 private:
  // The elements as scalars, or nothing where the instruction is better left as it is.
  Scalars Split(passes::GraphBuilder& builder, HloInstruction& instruction) {
    switch (instruction.opcode()) {
      case HloOpcode::kConcatenate:
        return SplitConcatenation(builder, instruction);
      case HloOpcode::kReshape:
        return IsSplit(*instruction.operand(0)) ? scalars_.at(instruction.operand(0)) : Scalars();
      case HloOpcode::kSlice:
        return SplitSlice(instruction);
      case HloOpcode::kReduce:
        return SplitReduction(builder, instruction);
      case HloOpcode::kDot:
        return SplitDot(builder, instruction);
      default:
        return SplitElementwise(builder, instruction);
    }
  }

  bool IsSplit(const HloInstruction& instruction) const { return scalars_.contains(&instruction); }

  static HloInstruction* Join(passes::GraphBuilder& builder, const Scalars& scalars,
                              const Shape& shape) {
    Scalars parts;
    for (HloInstruction* scalar : scalars) parts.push_back(builder.Reshape(scalar, {1}));
    HloInstruction* all = parts[0];
    if (parts.size() > 1) {
      all = builder.Add(HloInstruction::CreateConcatenate(
          ShapeUtil::MakeShape(shape.element_type(), {static_cast<int64_t>(parts.size())}), parts,
          0));
    }
    return builder.Reshape(all, shape.dimensions());
  }

  // Elements of an operand, whatever it is.
  Scalars ElementsOf(passes::GraphBuilder& builder, HloInstruction& operand) {
    if (const auto found = scalars_.find(&operand); found != scalars_.end()) return found->second;
    const int64_t count = ShapeUtil::ElementsIn(operand.shape());
    Scalars& elements = elements_[&operand];
    if (!elements.empty()) return elements;
    if (count == 1) {
      elements.push_back(builder.Reshape(&operand, {}));
    } else if (operand.opcode() == HloOpcode::kBroadcast &&
               ShapeUtil::ElementsIn(operand.operand(0)->shape()) == 1) {
      elements.assign(count, builder.Reshape(operand.mutable_operand(0), {}));
    } else {
      HloInstruction* line = builder.Reshape(&operand, {count});
      for (int64_t i = 0; i < count; ++i) elements.push_back(builder.Element(line, i));
    }
    return elements;
  }

  Scalars SplitConcatenation(passes::GraphBuilder& builder, HloInstruction& concatenation) {
    if (!IsVector(concatenation.shape()) ||
        !primitive_util::IsFloatingPointType(concatenation.shape().element_type()))
      return {};
    const auto is_scalar = [&](const HloInstruction* operand) {
      return ShapeUtil::ElementsIn(operand->shape()) == 1 || IsSplit(*operand);
    };
    if (absl::c_none_of(concatenation.operands(), is_scalar)) return {};
    Scalars all;
    for (HloInstruction* operand : concatenation.mutable_operands()) {
      if (ShapeUtil::IsZeroElementArray(operand->shape())) continue;
      const Scalars own = ElementsOf(builder, *operand);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all.size() > 1 ? all : Scalars();
  }

  Scalars SplitSlice(const HloInstruction& slice) const {
    const HloInstruction& operand = *slice.operand(0);
    if (!IsSplit(operand) || !IsVector(operand.shape())) return {};
    Scalars some;
    for (int64_t d = 0; d < operand.shape().dimensions_size(); ++d) {
      if (operand.shape().dimensions(d) == 1) continue;
      const auto& range = slice.attributes_as<SliceAttributes>().ranges[d];
      for (int64_t i = 0; i < slice.shape().dimensions(d); ++i)
        some.push_back(scalars_.at(&operand)[range.start + i * range.stride]);
    }
    return some;
  }

  Scalars SplitReduction(passes::GraphBuilder& builder, HloInstruction& reduce) {
    if (reduce.operand_count() != 2 || !IsSplit(*reduce.operand(0)) ||
        !ShapeUtil::IsScalar(reduce.shape()) || !passes::IsAssociative(*reduce.to_apply()))
      return {};
    Scalars waiting = {reduce.mutable_operand(1)};
    absl::c_copy(scalars_.at(reduce.operand(0)), std::back_inserter(waiting));
    while (waiting.size() > 1) {
      Scalars next;
      for (size_t i = 0; i + 1 < waiting.size(); i += 2) {
        next.push_back(builder.Binary(reduce.to_apply()->root_instruction()->opcode(), waiting[i],
                                      waiting[i + 1]));
      }
      if (waiting.size() % 2 == 1) next.push_back(waiting.back());
      waiting = std::move(next);
    }
    return waiting;
  }

  Scalars SplitDot(passes::GraphBuilder& builder, HloInstruction& dot) {
    const PrimitiveType type = dot.shape().element_type();
    if (dot.operand_count() != 2 || !ShapeUtil::IsScalar(dot.shape()) ||
        (type != F32 && type != F64) || (!IsSplit(*dot.operand(0)) && !IsSplit(*dot.operand(1)))) {
      return {};
    }
    for (const HloInstruction* operand : dot.operands()) {
      if (operand->shape().element_type() != type || !IsVector(operand->shape())) return {};
    }
    const Scalars x = ElementsOf(builder, *dot.mutable_operand(0));
    const Scalars y = ElementsOf(builder, *dot.mutable_operand(1));
    HloInstruction* sum = builder.Binary(HloOpcode::kMultiply, x[0], y[0]);
    for (size_t i = 1; i < x.size(); ++i) {
      sum = builder.Binary(HloOpcode::kAdd, sum, builder.Binary(HloOpcode::kMultiply, x[i], y[i]));
    }
    return {sum};
  }

  Scalars SplitElementwise(passes::GraphBuilder& builder, HloInstruction& instruction) {
    const int64_t count = ShapeUtil::ElementsIn(instruction.shape());
    if (count < 2 || !instruction.IsElementwise() ||
        passes::CostOfElement(instruction) >= kMostCost ||
        !instruction.called_computations().empty() ||
        absl::c_none_of(instruction.operands(),
                        [&](const HloInstruction* operand) { return IsSplit(*operand); })) {
      return {};
    }
    std::vector<Scalars> operands;
    for (HloInstruction* operand : instruction.mutable_operands())
      operands.push_back(ElementsOf(builder, *operand));
    Scalars results;
    for (int64_t i = 0; i < count; ++i) {
      Scalars own;
      for (const Scalars& operand : operands) own.push_back(operand[operand.size() == 1 ? 0 : i]);
      results.push_back(builder.Add(instruction.CloneWithNewOperands(
          ShapeUtil::MakeShape(instruction.shape().element_type(), {}), own)));
    }
    return results;
  }

  HloComputation& computation_;
  // Of what is split, and of what it is combined with.
  absl::flat_hash_map<const HloInstruction*, Scalars> scalars_;
  absl::flat_hash_map<const HloInstruction*, Scalars> elements_;
};

}  // namespace

absl::StatusOr<bool> SplitShortArrays(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : SequentialComputations(module)) {
    const int64_t count = computation->instruction_count();
    HILO_ASSIGN_OR_RETURN(const bool split, ArraySplitter(*computation).Run());
    changed |= split || computation->instruction_count() != count;
  }
  if (changed) HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::cpu
