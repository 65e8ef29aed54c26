#include "passes/simplify/loop.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "linalg/lapack_call.h"
#include "passes/passes.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

HloInstruction* AddElement(HloInstruction* tuple, int64_t i) {
  return tuple->parent()->AddInstruction(HloInstruction::CreateGetTupleElement(tuple, i));
}

// A tuple instruction with the elements of a value.
HloInstruction* TakeApart(HloInstruction* value) {
  if (value->opcode() == HloOpcode::kTuple) return value;
  std::vector<HloInstruction*> elements;
  for (int64_t i = 0; i < value->shape().tuple_shapes_size(); ++i)
    elements.push_back(AddElement(value, i));
  return value->parent()->AddInstruction(HloInstruction::CreateTuple(elements));
}

// Afterwards the value is used by its elements only.
absl::Status UseElements(HloInstruction* value) {
  const std::vector<HloInstruction*> users = value->users();
  const bool whole = absl::c_any_of(users, [](const HloInstruction* user) {
    return user->opcode() != HloOpcode::kGetTupleElement;
  });
  if (!whole && !value->IsRoot()) return absl::OkStatus();
  HloInstruction* tuple = TakeApart(value);
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement)
      HILO_RETURN_IF_ERROR(value->ReplaceUseWith(user, tuple));
  }
  if (value->IsRoot()) value->parent()->set_root_instruction(tuple);
  return absl::OkStatus();
}

std::vector<HloInstruction*> ElementsOf(const HloInstruction& tuple, int64_t i) {
  std::vector<HloInstruction*> elements;
  for (HloInstruction* user : tuple.users()) {
    if (user->opcode() == HloOpcode::kGetTupleElement && user->tuple_index() == i)
      elements.push_back(user);
  }
  return elements;
}

// Users of get-tuple-elements that are not kept must be dead.
void Renumber(HloInstruction& tuple, const std::vector<int64_t>& kept) {
  std::vector<int64_t> numbers(tuple.shape().tuple_shapes_size(), -1);
  for (size_t k = 0; k < kept.size(); ++k) numbers[kept[k]] = static_cast<int64_t>(k);
  for (HloInstruction* user : std::vector<HloInstruction*>(tuple.users())) {
    int64_t& index = user->mutable_attributes_as<GetTupleElementAttributes>().index;
    if (numbers[index] >= 0) {
      index = numbers[index];
    } else {
      user->CutOff();
      user->MarkAsDead();
    }
  }
}

// Whether what it calls is only applied to elements.
bool AppliesFunctions(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kMap:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSort:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<std::optional<Loop>> Loop::Make(HloInstruction& loop, bool& changed) {
  if (!loop.shape().IsTuple() || loop.shape().tuple_shapes_size() == 0 ||
      loop.HasControlDependencies()) {
    return std::nullopt;
  }
  const auto count_instructions = [&] {
    return loop.parent()->instruction_count() + loop.while_body()->instruction_count() +
           loop.while_condition()->instruction_count();
  };
  const int64_t before = count_instructions();
  HloInstruction* initial = TakeApart(loop.mutable_operand(0));
  HILO_RETURN_IF_ERROR(loop.ReplaceOperandWith(0, initial));
  HloComputation& body = *loop.while_body();
  body.set_root_instruction(TakeApart(body.root_instruction()));
  for (HloComputation* computation : {&body, loop.while_condition()})
    HILO_RETURN_IF_ERROR(UseElements(computation->parameter_instruction(0)));
  HILO_RETURN_IF_ERROR(UseElements(&loop));
  changed |= count_instructions() != before;
  return Loop(&loop, initial);
}

std::optional<const Loop> Loop::Of(const HloInstruction& loop) {
  if (loop.operand(0)->opcode() != HloOpcode::kTuple ||
      loop.while_body()->root_instruction()->opcode() != HloOpcode::kTuple)
    return std::nullopt;
  auto& own = const_cast<HloInstruction&>(loop);
  return Loop(&own, own.mutable_operand(0));
}

int64_t Loop::ElementNumber(const HloInstruction& instruction) const {
  return instruction.opcode() == HloOpcode::kGetTupleElement &&
                 instruction.operand(0)->opcode() == HloOpcode::kParameter
             ? instruction.tuple_index()
             : -1;
}

absl::Status Loop::ReplaceElement(int64_t i, HloInstruction& value) {
  for (HloComputation* computation : {&body(), &condition()}) {
    HloInstruction* clone = nullptr;
    for (HloInstruction* element : ElementsOf(*computation->parameter_instruction(0), i)) {
      if (clone == nullptr) clone = computation->AddInstruction(value.Clone(""));
      // The element itself stays what the state passes on.
      for (HloInstruction* user : std::vector<HloInstruction*>(element->users())) {
        if (user != body().root_instruction())
          HILO_RETURN_IF_ERROR(element->ReplaceUseWith(user, clone));
      }
      if (element->IsRoot()) computation->set_root_instruction(clone);
    }
  }
  return ReplaceResult(i, &value);
}

absl::Status Loop::MergeElements(int64_t kept, int64_t replaced) {
  for (HloInstruction* tuple :
       {body().parameter_instruction(0), condition().parameter_instruction(0), loop_}) {
    for (HloInstruction* element : ElementsOf(*tuple, replaced))
      element->mutable_attributes_as<GetTupleElementAttributes>().index = kept;
  }
  return absl::OkStatus();
}

absl::Status Loop::ReplaceResult(int64_t i, HloInstruction* value) {
  for (HloInstruction* element : ElementsOf(*loop_, i))
    HILO_RETURN_IF_ERROR(element->ReplaceAllUsesWith(value));
  return absl::OkStatus();
}

absl::Status Loop::ChangeState(const std::vector<int64_t>& kept,
                               const std::vector<HloInstruction*>& added,
                               const std::vector<HloInstruction*>& replaced) {
  std::vector<HloInstruction*> first, last;
  for (int64_t i : kept) {
    first.push_back(initial(i));
    last.push_back(next(i));
  }
  first.insert(first.end(), added.begin(), added.end());
  HloComputation& outside = *loop_->parent();
  HloInstruction* tuple = outside.AddInstruction(HloInstruction::CreateTuple(first));

  HloInstruction* old_root = body().root_instruction();
  HloInstruction* parameter = body().parameter_instruction(0);
  for (HloInstruction* state : {parameter, condition().parameter_instruction(0), loop_})
    Renumber(*state, kept);
  *parameter->mutable_shape() = tuple->shape();
  *condition().parameter_instruction(0)->mutable_shape() = tuple->shape();
  for (size_t k = 0; k < replaced.size(); ++k) {
    const auto number = static_cast<int64_t>(kept.size() + k);
    HloInstruction* state = replaced[k]->parent()->parameter_instruction(0);
    HloInstruction* element = AddElement(state, number);
    HILO_RETURN_IF_ERROR(replaced[k]->ReplaceAllUsesWith(element));
    last.push_back(state == parameter ? element : AddElement(parameter, number));
  }
  // What the old root passed on may have been replaced meanwhile.
  for (size_t k = 0; k < kept.size(); ++k) {
    if (!old_root->operand(kept[k])->IsMarkedAsDead()) last[k] = old_root->mutable_operand(kept[k]);
  }
  body().set_root_instruction(body().AddInstruction(HloInstruction::CreateTuple(last)),
                              /*accept_different_shape=*/true);
  old_root->CutOff();
  old_root->MarkAsDead();

  HloInstruction* changed = outside.AddInstruction(
      HloInstruction::CreateWhile(tuple->shape(), &condition(), &body(), tuple));
  changed->set_metadata(loop_->metadata());
  for (HloInstruction* element : std::vector<HloInstruction*>(loop_->users()))
    HILO_RETURN_IF_ERROR(element->ReplaceOperandWithDifferentShape(0, changed));
  loop_->CutOff();
  loop_->MarkAsDead();
  loop_ = changed;
  initial_ = tuple;
  return absl::OkStatus();
}

absl::Status Loop::AddToState(const std::vector<HloInstruction*>& added,
                              const std::vector<HloInstruction*>& replaced) {
  std::vector<int64_t> all(size());
  absl::c_iota(all, 0);
  return ChangeState(all, added, replaced);
}

bool IsOwnFunction(const HloInstruction& call) {
  std::vector<Shape> operands;
  for (const HloInstruction* operand : call.operands()) operands.push_back(operand->shape());
  return linalg::IsOwnLapackCall(call.custom_call_target(), operands);
}

bool HasState(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.attributes_as<CustomCallAttributes>().api_version == API_VERSION_TYPED_FFI &&
         !IsOwnFunction(instruction);
}

bool CanMove(const HloInstruction& instruction, SideEffects& side_effects) {
  const Shape& shape = instruction.shape();
  const bool has_arrays =
      shape.IsArray() ||
      (shape.IsTuple() && instruction.opcode() != HloOpcode::kTuple &&
       absl::c_all_of(shape.tuple_shapes(), [](const Shape& part) { return part.IsArray(); }));
  return has_arrays && !shape.is_dynamic() &&
         (instruction.called_computations().empty() || AppliesFunctions(instruction)) &&
         !instruction.HasControlDependencies() && !side_effects.Has(instruction) &&
         !HasState(instruction) && instruction.opcode() != HloOpcode::kParameter;
}

HloInstruction* CloneInto(HloComputation& computation, const HloInstruction* wanted,
                          absl::flat_hash_map<const HloInstruction*, HloInstruction*>& clones) {
  std::vector<const HloInstruction*> stack = {wanted};
  while (!stack.empty()) {
    const HloInstruction* instruction = stack.back();
    if (clones.contains(instruction)) {
      stack.pop_back();
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands()) {
      if (const auto found = clones.find(operand); found != clones.end()) {
        operands.push_back(found->second);
      } else {
        stack.push_back(operand);
      }
    }
    if (stack.back() != instruction) continue;
    clones[instruction] = computation.AddInstruction(
        instruction->CloneWithNewOperands(instruction->shape(), operands));
  }
  return clones.at(wanted);
}

namespace {

bool IsIndex(const HloInstruction& x) {
  const PrimitiveType type = x.shape().element_type();
  return x.shape().IsArray() && ShapeUtil::ElementsIn(x.shape()) == 1 &&
         primitive_util::IsIntegralType(type) && primitive_util::BitWidth(type) >= 32;
}

std::optional<CountedIndex> FindCountedIndex(const Loop& loop, const Counter& counter,
                                             const HloInstruction& x, int most_instructions) {
  constexpr int64_t kFar = int64_t{1} << 40;
  if (!IsIndex(x) || most_instructions < 0) return std::nullopt;
  if (const std::optional<int64_t> known = KnownInteger(x); known.has_value())
    return std::abs(*known) < kFar ? std::optional<CountedIndex>({0, *known}) : std::nullopt;
  if (loop.ElementNumber(x) == counter.element) return CountedIndex{1, 0};
  const auto operand = [&](int64_t i) {
    return FindCountedIndex(loop, counter, *x.operand(i), most_instructions - 1);
  };
  switch (x.opcode()) {
    case HloOpcode::kConvert:
    case HloOpcode::kReshape:
      return operand(0);
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract: {
      const std::optional<CountedIndex> first = operand(0), second = operand(1);
      if (!first.has_value() || !second.has_value()) return std::nullopt;
      const int64_t sign = x.opcode() == HloOpcode::kAdd ? 1 : -1;
      return CountedIndex{first->factor + sign * second->factor,
                          first->constant + sign * second->constant};
    }
    case HloOpcode::kMultiply: {
      const std::optional<CountedIndex> first = operand(0), second = operand(1);
      if (!first.has_value() || !second.has_value()) return std::nullopt;
      const bool is_first_known = first->factor == 0;
      if (!is_first_known && second->factor != 0) return std::nullopt;
      const int64_t number = is_first_known ? first->constant : second->constant;
      const CountedIndex& of = is_first_known ? *second : *first;
      constexpr int64_t kNear = int64_t{1} << 20;
      if (std::abs(number) > kFar || std::abs(of.factor) > kNear || std::abs(of.constant) > kNear)
        return std::nullopt;
      return CountedIndex{number * of.factor, number * of.constant};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<CountedIndex> FindCountedIndex(const Loop& loop, const Counter& counter,
                                             const HloInstruction& index) {
  constexpr int kMostInstructions = 8;
  return FindCountedIndex(loop, counter, index, kMostInstructions);
}

std::optional<bool> CountsDown(const Loop& loop, const Counter& counter,
                               const HloInstruction& index) {
  const std::optional<CountedIndex> counted = FindCountedIndex(loop, counter, index);
  if (!counted.has_value() || counter.step != 1) return std::nullopt;
  if (counted->factor == 1 && counted->constant == -counter.first) return false;
  if (counted->factor == -1 && counted->constant == counter.first + counter.steps - 1) return true;
  return std::nullopt;
}

bool IsRow(const Shape& array, const Shape& row) {
  return array.dimensions_size() > 0 && row.dimensions(0) == 1 &&
         ShapeUtil::ElementsIn(row) * array.dimensions(0) == ShapeUtil::ElementsIn(array);
}

bool IsRowOfStep(const Counter& counter, const Shape& array, const Shape& row) {
  return IsRow(array, row) && array.dimensions(0) == counter.steps;
}

std::vector<HloInstruction*> FindLoops(HloModule& module) {
  std::vector<HloInstruction*> loops;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() == HloOpcode::kWhile) loops.push_back(instruction);
    }
  }
  return loops;
}

absl::StatusOr<bool> RewriteLoops(HloModule& module,
                                  absl::FunctionRef<absl::StatusOr<bool>(Loop&)> rewrite) {
  bool changed = false;
  for (HloInstruction* instruction : FindLoops(module)) {
    HILO_ASSIGN_OR_RETURN(std::optional<Loop> loop, Loop::Make(*instruction, changed));
    if (!loop.has_value()) continue;
    HILO_ASSIGN_OR_RETURN(const bool rewritten, rewrite(*loop));
    changed |= rewritten;
  }
  HILO_ASSIGN_OR_RETURN(const bool removed, RemoveDeadCode(module));
  return changed || removed;
}

}  // namespace xla::passes
