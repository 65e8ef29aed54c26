#include "passes/mixed_precision.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "ir/verifier.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/transforms/despecializer.h"
#include "xla/hlo/transforms/simplifiers/float_normalization.h"
#include "xla/hlo/transforms/simplifiers/hlo_element_type_converter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace passes {
namespace {

// The type that has all numbers of both: one of them or, where each has some that the other one
// lacks, f32.
PrimitiveType Join(PrimitiveType a, PrimitiveType b) {
  if (a == PRIMITIVE_TYPE_INVALID || primitive_util::CastPreservesValues(a, b)) return b;
  if (b == PRIMITIVE_TYPE_INVALID || primitive_util::CastPreservesValues(b, a)) return a;
  return F32;
}

std::vector<const Shape*> LeavesOf(const Shape& shape) {
  if (!shape.IsTuple()) return {&shape};
  std::vector<const Shape*> leaves;
  for (const Shape& part : shape.tuple_shapes()) leaves.push_back(&part);
  return leaves;
}

bool IsFloat(const Shape& shape) {
  return shape.IsArray() && primitive_util::IsFloatingPointType(shape.element_type());
}

// The values of an operation, divided into groups that its rules want to be of one type.
class Groups {
 public:
  explicit Groups(const HloInstruction& instruction) : instruction_(instruction) {
    const int64_t operands = instruction.operand_count();
    switch (instruction.opcode()) {
      case HloOpcode::kReduce:
      case HloOpcode::kReduceWindow:
        count_ = operand_period_ = operands / 2;
        break;
      case HloOpcode::kScatter:
        count_ = operands / 2;
        operand_period_ = count_ + 1;  // between operands and updates are the indices
        break;
      case HloOpcode::kMap:
        count_ = operand_period_ = operands;
        break;
      default:
        break;
    }
    widest_.resize(std::max(count_, operand_period_) + 1, PRIMITIVE_TYPE_INVALID);
    for (int64_t i = 0; i < operands; ++i) Include(OfOperand(i), instruction.operand(i)->shape());
    IncludeResult(instruction.shape());
    for (const HloComputation* function : instruction.called_computations()) {
      for (int64_t i = 0; i < function->num_parameters(); ++i)
        Include(OfParameter(i), function->parameter_instruction(i)->shape());
      IncludeResult(function->root_instruction()->shape());
    }
  }

  // The shape as the operation can take it: `shape`, if its numbers have the type of the group.
  Shape Operand(int64_t i, const Shape& shape) const { return Widened(OfOperand(i), shape); }
  Shape Parameter(int64_t i, const Shape& shape) const { return Widened(OfParameter(i), shape); }
  Shape Result(const Shape& shape) const {
    if (!shape.IsTuple()) return Widened(OfResult(0), shape);
    Shape result = shape;
    for (int64_t i = 0; i < shape.tuple_shapes_size(); ++i)
      *result.mutable_tuple_shapes(i) = Widened(OfResult(i), shape.tuple_shapes(i));
    return result;
  }

 private:
  int64_t OfOperand(int64_t i) const { return i % operand_period_; }
  int64_t OfParameter(int64_t i) const { return i % count_; }
  int64_t OfResult(int64_t i) const {
    if (instruction_.opcode() == HloOpcode::kMap) return count_;
    return i % count_;
  }
  void Include(int64_t group, const Shape& shape) {
    if (IsFloat(shape)) widest_[group] = Join(widest_[group], shape.element_type());
  }
  void IncludeResult(const Shape& shape) {
    const std::vector<const Shape*> leaves = LeavesOf(shape);
    for (size_t i = 0; i < leaves.size(); ++i) Include(OfResult(i), *leaves[i]);
  }
  Shape Widened(int64_t group, Shape shape) const {
    if (IsFloat(shape)) shape.set_element_type(widest_[group]);
    return shape;
  }

  const HloInstruction& instruction_;
  int64_t count_ = 1;
  int64_t operand_period_ = 1;
  std::vector<PrimitiveType> widest_;
};

// The function as one of wider numbers, which it converts.
HloComputation* Widen(HloComputation& function, const Groups& groups) {
  HloComputation::Builder builder(function.name());
  const auto add = [&](std::unique_ptr<HloInstruction> instruction) {
    return builder.AddInstruction(std::move(instruction));
  };
  std::vector<HloInstruction*> arguments;
  for (const HloInstruction* parameter : function.parameter_instructions()) {
    const int64_t number = parameter->parameter_number();
    HloInstruction* const wide = add(HloInstruction::CreateParameter(
        number, groups.Parameter(number, parameter->shape()), parameter->name()));
    arguments.push_back(ConvertTo(parameter->shape(), wide, add));
  }
  const Shape& result = function.root_instruction()->shape();
  HloInstruction* const call = add(HloInstruction::CreateCall(result, arguments, &function));
  HloInstruction* const root = ConvertTo(groups.Result(result), call, add);
  return function.parent()->AddEmbeddedComputation(builder.Build(root));
}

// Operations that move values of several types, change the type, or are somebody else's.
bool KeepsTypesApart(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConvert:
    case HloOpcode::kCustomCall:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kTuple:
      return true;
    default:
      return !instruction.called_computations().empty() || !instruction.shape().IsArray();
  }
}

bool ComputesBF16WithF32(const HloInstruction& instruction) {
  if (KeepsTypesApart(instruction)) return false;
  bool has_bf16 = instruction.shape().element_type() == BF16;
  bool has_f32 = instruction.shape().element_type() == F32;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) return false;
    has_bf16 |= operand->shape().element_type() == BF16;
    has_f32 |= operand->shape().element_type() == F32;
  }
  return has_bf16 && has_f32;
}

bool CanBeWidened(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kMap:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
      return true;
    default:
      return instruction.operand_count() > 0 && instruction.called_computations().empty();
  }
}

absl::StatusOr<HloInstruction*> WidenOperation(HloInstruction& instruction) {
  const bool is_refused = !VerifyInstruction(instruction).ok() && CanBeWidened(instruction);
  if (!is_refused && !ComputesBF16WithF32(instruction)) return nullptr;
  const Groups groups(instruction);
  GraphBuilder builder(instruction);
  const auto add = [&](std::unique_ptr<HloInstruction> part) {
    return builder.Add(std::move(part));
  };
  std::vector<HloInstruction*> operands;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    HloInstruction* const operand = instruction.mutable_operand(i);
    operands.push_back(ConvertTo(groups.Operand(i, operand->shape()), operand, add));
  }
  HloInstruction* const wide =
      builder.Add(instruction.CloneWithNewOperands(groups.Result(instruction.shape()), operands));
  wide->ReplaceCalledComputations(
      [&](HloComputation* function) { return Widen(*function, groups); });
  return ConvertTo(instruction.shape(), wide, add);
}

// Operations whose values have a type for other reasons than to be computed in it.
bool KeepsElementTypes(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAddDependency:
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConstant:
    case HloOpcode::kConvert:
    case HloOpcode::kCustomCall:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kParameter:
    case HloOpcode::kTuple:
      return true;
    default:
      return instruction.IsAsynchronous() || !instruction.called_computations().empty() ||
             instruction.HasSideEffect();
  }
}

Shape WithElementType(Shape shape, PrimitiveType from, PrimitiveType to) {
  ShapeUtil::ForEachMutableSubshape(&shape, [&](Shape* part, const ShapeIndex&) {
    if (part->IsArray() && part->element_type() == from) part->set_element_type(to);
  });
  return shape;
}

absl::StatusOr<HloInstruction*> ConvertOperation(HloInstruction& instruction, PrimitiveType from,
                                                 PrimitiveType to) {
  if (KeepsElementTypes(instruction)) return nullptr;
  const Shape shape = WithElementType(instruction.shape(), from, to);
  bool is_changed = shape != instruction.shape();
  GraphBuilder builder(instruction);
  const auto add = [&](std::unique_ptr<HloInstruction> part) {
    return builder.Add(std::move(part));
  };
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : instruction.operands()) {
    operands.push_back(ConvertTo(WithElementType(operand->shape(), from, to), operand, add));
    is_changed |= operands.back() != operand;
  }
  if (!is_changed) return nullptr;
  return ConvertTo(instruction.shape(), add(instruction.CloneWithNewOperands(shape, operands)),
                   add);
}

}  // namespace

absl::StatusOr<bool> WidenMixedPrecision(HloModule& module) {
  return ReplaceEach(module, WidenOperation);
}

}  // namespace passes

absl::StatusOr<bool> BFloat16MixedPrecisionRemoval::Run(HloModule* module) {
  return passes::WidenMixedPrecision(*module);
}

absl::StatusOr<bool> HloElementTypeConverter::RunImpl(HloModule* module, const ExecutionThreads&) {
  return passes::ReplaceEach(*module, [&](HloInstruction& instruction) {
    return passes::ConvertOperation(instruction, eliminate_type_, replace_with_type_);
  });
}

absl::StatusOr<bool> Despecializer::Run(HloModule* module) {
  HILO_ASSIGN_OR_RETURN(const bool inlined, passes::InlineCalls(*module));
  HILO_ASSIGN_OR_RETURN(const bool widened, passes::WidenMixedPrecision(*module));
  return inlined || widened;
}

}  // namespace xla
