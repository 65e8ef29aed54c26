// Computations that grow and shrink with the instruction that calls them: fusions and calls.
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/copy_instructions.h"
#include "ir/name_uniquer.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

HloComputation& CalledBy(const HloInstruction& caller) {
  CHECK_EQ(caller.called_computations().size(), 1) << caller.name();
  return *caller.called_computations()[0];
}

// The parameter for the value of `operand`, which becomes an operand of the caller if it is none.
HloInstruction* ParameterFor(HloInstruction& caller, HloInstruction* operand) {
  const std::vector<int64_t> indices = caller.operand_indices(operand);
  if (!indices.empty()) return CalledBy(caller).parameter_instruction(indices[0]);
  return caller.AddCallOperand(operand);
}

// The caller no longer takes `operand`: in the computation `value` is in its place.
void ReplaceOperandByValue(HloInstruction& caller, const HloInstruction* operand,
                           HloInstruction* value) {
  HloComputation& called = CalledBy(caller);
  const std::vector<int64_t> indices = caller.operand_indices(operand);
  for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
    CHECK_OK(called.parameter_instruction(*index)->ReplaceAllUsesWith(value));
    CHECK_OK(called.RemoveParameter(*index));
    caller.RemoveOperandAt(static_cast<int>(*index));
  }
}

// Makes the result of the caller a tuple if it is none. Whoever used it uses element 0.
void MakeMultiOutput(HloInstruction& caller) {
  HloComputation& called = CalledBy(caller);
  HloInstruction* root = called.root_instruction();
  if (root->opcode() == HloOpcode::kTuple) return;
  called.set_root_instruction(called.AddInstruction(HloInstruction::CreateTuple({root})),
                              /*accept_different_shape=*/true);
  const std::vector<HloInstruction*> users = caller.users();
  const bool was_root = caller.IsRoot();
  *caller.mutable_shape() = ShapeUtil::MakeTupleShape({caller.shape()});
  if (caller.parent() == nullptr || (users.empty() && !was_root)) return;
  HloInstruction* first =
      caller.parent()->AddInstruction(HloInstruction::CreateGetTupleElement(&caller, 0));
  for (HloInstruction* user : users) {
    CHECK_OK(caller.ReplaceUseWithDifferentShape(user, first));
  }
  if (was_root) caller.parent()->set_root_instruction(first, /*accept_different_shape=*/true);
}

// The number of `value`, an instruction of the computation, among the results of the caller.
int64_t OutputFor(HloInstruction& caller, HloInstruction* value) {
  HloComputation& called = CalledBy(caller);
  MakeMultiOutput(caller);
  HloInstruction* root = called.root_instruction();
  const auto present = absl::c_find(root->operands(), value);
  if (present != root->operands().end()) return present - root->operands().begin();
  std::vector<HloInstruction*> elements(root->operands().begin(), root->operands().end());
  elements.push_back(value);
  HloInstruction* extended = called.AddInstruction(HloInstruction::CreateTuple(elements));
  called.set_root_instruction(extended, /*accept_different_shape=*/true);
  CHECK_OK(called.RemoveInstruction(root));
  *caller.mutable_shape() = extended->shape();
  return static_cast<int64_t>(elements.size()) - 1;
}

// Whoever uses `instruction` uses the result of the caller that has the value `value` instead.
void ReplaceUsesByOutput(HloInstruction& caller, HloInstruction* instruction,
                         HloInstruction* value) {
  const int64_t output = OutputFor(caller, value);
  HloInstruction* element =
      caller.parent()->AddInstruction(HloInstruction::CreateGetTupleElement(&caller, output));
  CHECK_OK(instruction->ReplaceAllUsesWith(element));
}

bool IsNeeded(const HloInstruction& instruction) {
  return instruction.user_count() > 0 || instruction.IsRoot();
}

void RemoveIfDead(HloInstruction* instruction) {
  if (!IsNeeded(*instruction)) CHECK_OK(instruction->parent()->RemoveInstruction(instruction));
}

// Copies what the fusion computes into the computation of the caller; gives the copies.
CopiedInstructions CopyFused(HloInstruction& caller, HloInstruction& fusion) {
  std::vector<HloInstruction*> arguments;
  for (HloInstruction* operand : fusion.mutable_operands())
    arguments.push_back(ParameterFor(caller, operand));
  return CopyInstructions(
      CalledBy(fusion), arguments,
      [&](const HloInstruction& fused, absl::Span<HloInstruction* const> operands) {
        const bool is_root_tuple = fused.IsRoot() && fused.opcode() == HloOpcode::kTuple;
        return is_root_tuple ? nullptr
                             : CalledBy(caller).AddInstruction(
                                   fused.CloneWithNewOperands(fused.shape(), operands));
      });
}

}  // namespace

HloInstruction* HloInstruction::AddCallOperand(HloInstruction* new_operand) {
  HloComputation& called = CalledBy(*this);
  const int64_t number = operand_count();
  CHECK_EQ(number, called.num_parameters()) << name_;
  HloInstruction* parameter = called.AddParameter(
      CreateParameter(number, new_operand->shape(), absl::StrCat("param_", number)));
  AppendOperand(new_operand);
  if (opcode_ == HloOpcode::kAsyncStart) {
    ShapeUtil::AppendShapeToTuple(new_operand->shape(), shape_.mutable_tuple_shapes(0));
  }
  return parameter;
}

HloInstruction* HloInstruction::AddFusionOperand(HloInstruction* new_operand) {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  return AddCallOperand(new_operand);
}

HloInstruction* HloInstruction::AppendInstructionIntoCalledComputation(HloInstruction* instruction,
                                                                       bool add_output) {
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : instruction->operands()) {
    operands.push_back(ParameterFor(*this, operand));
  }
  HloInstruction* copy = CalledBy(*this).AddInstruction(
      instruction->CloneWithNewOperands(instruction->shape(), operands));
  ReplaceOperandByValue(*this, instruction, copy);
  if (add_output && IsNeeded(*instruction)) ReplaceUsesByOutput(*this, instruction, copy);
  return copy;
}

HloInstruction* HloInstruction::FuseInstruction(HloInstruction* instruction) {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  CHECK(IsUserOf(instruction)) << instruction->name() << " is no operand of " << name_;
  return AppendInstructionIntoCalledComputation(instruction);
}

HloInstruction* HloInstruction::FuseInstructionIntoMultiOutput(HloInstruction* instruction) {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  return AppendInstructionIntoCalledComputation(instruction, /*add_output=*/true);
}

void HloInstruction::MergeFusionInstruction(HloInstruction* instruction_to_merge) {
  CHECK(opcode_ == HloOpcode::kFusion && instruction_to_merge->opcode() == HloOpcode::kFusion);
  CHECK(IsUserOf(instruction_to_merge)) << instruction_to_merge->name();
  const auto copies = CopyFused(*this, *instruction_to_merge);
  const HloInstruction* root = instruction_to_merge->fused_expression_root();
  if (root->opcode() != HloOpcode::kTuple) {
    ReplaceOperandByValue(*this, instruction_to_merge, copies.at(root));
    return;
  }
  std::vector<HloInstruction*> elements;
  for (const HloInstruction* element : root->operands()) elements.push_back(copies.at(element));
  ReplaceOperandByValue(*this, instruction_to_merge,
                        CalledBy(*this).AddInstruction(CreateTuple(elements)));
}

void HloInstruction::MergeFusionInstructionIntoMultiOutput(HloInstruction* instruction_to_merge) {
  CHECK(opcode_ == HloOpcode::kFusion && instruction_to_merge->opcode() == HloOpcode::kFusion);
  HloInstruction& merged = *instruction_to_merge;
  const HloInstruction* root = merged.fused_expression_root();
  // The results of the merged fusion and, for each, who holds it outside.
  std::vector<std::pair<const HloInstruction*, HloInstruction*>> results;
  if (root->opcode() == HloOpcode::kTuple) {
    for (HloInstruction* user : merged.users()) {
      CHECK(user->opcode() == HloOpcode::kGetTupleElement) << user->name();
      results.push_back({root->operand(user->tuple_index()), user});
    }
  } else {
    results.push_back({root, &merged});
  }
  for (const auto& [value, holder] : results) {
    if (value->opcode() != HloOpcode::kParameter) continue;
    CHECK_OK(holder->ReplaceAllUsesWith(merged.mutable_operand(value->parameter_number())));
  }
  const auto copies = CopyFused(*this, merged);
  for (const auto& [value, holder] : results) {
    ReplaceOperandByValue(*this, holder, copies.at(value));
    if (IsNeeded(*holder)) ReplaceUsesByOutput(*this, holder, copies.at(value));
    RemoveIfDead(holder);
  }
  if (root->opcode() == HloOpcode::kTuple) RemoveIfDead(&merged);
}

absl::StatusOr<HloInstruction*> HloInstruction::UnfuseInstruction(HloInstruction* instruction) {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* operand : instruction->operands()) {
    const bool is_broadcast = operand->opcode() == HloOpcode::kBroadcast &&
                              operand->operand(0)->opcode() == HloOpcode::kConstant;
    if (operand->opcode() == HloOpcode::kParameter) {
      operands.push_back(mutable_operand(operand->parameter_number()));
    } else if (operand->opcode() == HloOpcode::kConstant) {
      operands.push_back(parent_->AddInstruction(operand->Clone("")));
    } else if (is_broadcast) {
      HloInstruction* constant = parent_->AddInstruction(operand->operand(0)->Clone(""));
      operands.push_back(
          parent_->AddInstruction(operand->CloneWithNewOperands(operand->shape(), {constant})));
    } else {
      return FailedPrecondition("%s cannot leave %s: its operand %s is computed there",
                                instruction->name(), name_, operand->name());
    }
  }
  HloInstruction* unfused =
      parent_->AddInstruction(instruction->CloneWithNewOperands(instruction->shape(), operands));
  HILO_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(AddFusionOperand(unfused)));
  HILO_RETURN_IF_ERROR(CalledBy(*this).RemoveInstructionAndUnusedOperands(instruction));
  return unfused;
}

absl::Status HloFusionInstruction::PermuteFusionOperands(absl::Span<const int64_t> old_to_new) {
  if (static_cast<int64_t>(old_to_new.size()) != operand_count() || !IsPermutation(old_to_new)) {
    return InvalidArgument("%s: this is no permutation of %d operands", name(), operand_count());
  }
  const InstructionVector old_operands = operands();
  const std::vector<HloInstruction*> old_parameters = fused_parameters();
  DetachFromOperands();
  const std::vector<int64_t> new_to_old = InversePermutation(old_to_new);
  for (const int64_t old_number : new_to_old) AppendOperand(old_operands[old_number]);
  called_computation()->PermuteParameters(new_to_old);
  return absl::OkStatus();
}

absl::Status HloFusionInstruction::DeduplicateFusionOperands() {
  HloComputation& fused = *called_computation();
  for (int64_t i = operand_count() - 1; i > 0; --i) {
    const int64_t first = operand_index(operand(i));
    if (first == i || i >= fused.num_parameters()) continue;
    HILO_RETURN_IF_ERROR(
        fused.parameter_instruction(i)->ReplaceAllUsesWith(fused.parameter_instruction(first)));
    HILO_RETURN_IF_ERROR(fused.RemoveParameter(i));
    RemoveOperandAt(static_cast<int>(i));
  }
  return absl::OkStatus();
}

// ---- Instructions of a computation become one that calls another ----

namespace {

// The first of the instructions is what `caller` was made of.
void MoveInto(HloInstruction& caller, absl::Span<HloInstruction* const> instructions) {
  HloComputation& outer = *caller.parent();
  CHECK_OK(instructions[0]->ReplaceAllUsesWith(&caller));
  RemoveIfDead(instructions[0]);
  for (HloInstruction* instruction : instructions.subspan(1)) {
    caller.AppendInstructionIntoCalledComputation(instruction);
    if (!IsNeeded(*instruction)) CHECK_OK(outer.RemoveInstruction(instruction));
  }
}

}  // namespace

HloInstruction* HloComputation::CreateFusionInstruction(
    absl::Span<HloInstruction* const> instructions_to_fuse,
    HloInstruction::FusionKind fusion_kind) {
  HloInstruction* root = instructions_to_fuse.at(0);
  HloInstruction* fusion =
      AddInstruction(HloInstruction::CreateFusion(root->shape(), fusion_kind, root));
  MoveInto(*fusion, instructions_to_fuse);
  return fusion;
}

HloInstruction* HloComputation::CreateCallInstruction(
    absl::Span<HloInstruction* const> instructions_to_call) {
  HloInstruction* root = instructions_to_call.at(0);
  HloInstruction* call = AddInstruction(HloInstruction::CreateCall(root->shape(), root));
  MoveInto(*call, instructions_to_call);
  return call;
}

HloInstruction* HloComputation::CreateCompositeCallInstruction(
    absl::Span<HloInstruction* const> instructions_to_call, const std::string& name,
    const std::string& attributes, int64_t version) {
  HloInstruction* root = instructions_to_call.at(0);
  HloInstruction* call = AddInstruction(
      HloInstruction::CreateCompositeCall(root->shape(), root, name, attributes, version));
  MoveInto(*call, instructions_to_call);
  return call;
}

absl::StatusOr<HloInstruction*> HloComputation::CreateAsyncInstructions(
    HloInstruction* instruction, absl::Span<const Shape> context_shapes,
    absl::string_view async_execution_thread, bool replace, bool override_names) {
  Builder builder(absl::StrCat("async_computation"));
  std::vector<HloInstruction*> parameters;
  std::vector<Shape> operand_shapes;
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    const Shape& shape = instruction->operand(i)->shape();
    parameters.push_back(builder.AddInstruction(
        HloInstruction::CreateParameter(i, shape, absl::StrCat("param_", i))));
    operand_shapes.push_back(shape);
  }
  HloInstruction* root =
      builder.AddInstruction(instruction->CloneWithNewOperands(instruction->shape(), parameters));
  HloComputation* wrapped = parent_->AddEmbeddedComputation(builder.Build(root));

  std::vector<Shape> start_shapes = {ShapeUtil::MakeTupleShape(operand_shapes), root->shape()};
  start_shapes.insert(start_shapes.end(), context_shapes.begin(), context_shapes.end());
  HloInstruction* start = AddInstruction(
      HloInstruction::CreateAsyncStart(ShapeUtil::MakeTupleShape(start_shapes),
                                       instruction->operands(), wrapped, async_execution_thread));
  HloInstruction* done = AddInstruction(HloInstruction::CreateAsyncDone(root->shape(), start));
  if (override_names) {
    parent_->SetAndUniquifyComputationName(wrapped,
                                           absl::StrCat(instruction->name(), "-async_computation"));
    start->SetAndSanitizeName(names().GetUniqueName(absl::StrCat(instruction->name(), "-start")));
    done->SetAndSanitizeName(names().GetUniqueName(absl::StrCat(instruction->name(), "-done")));
  }
  for (HloInstruction* half : {start, done}) {
    half->set_metadata(instruction->metadata());
    if (instruction->has_backend_config()) half->CopyBackendConfigFrom(instruction);
  }
  HILO_RETURN_IF_ERROR(instruction->CopyAllControlDepsTo(start, done));
  if (!replace) return done;
  HILO_RETURN_IF_ERROR(instruction->DropAllControlDeps());
  HILO_RETURN_IF_ERROR(ReplaceInstruction(instruction, done));
  return done;
}

absl::StatusOr<HloInstruction*> HloComputation::DeepCopyInstruction(
    HloInstruction* instruction, const ShapeTree<bool>* indices_to_copy,
    ShapeTree<HloInstruction*>* copies_added) {
  if (instruction->parent() != this) {
    return FailedPrecondition("%s is not in computation %s", instruction->name(), name_);
  }
  if (indices_to_copy != nullptr &&
      !ShapeUtil::Compatible(instruction->shape(), indices_to_copy->shape())) {
    return FailedPrecondition("the indices to copy are of shape %s, %s is of shape %s",
                              indices_to_copy->shape().ToString(), instruction->name(),
                              instruction->shape().ToString());
  }
  return DeepCopyInstructionWithCustomCopier(
      instruction, [&](HloInstruction* leaf, const ShapeIndex& index, HloComputation*) {
        const bool is_copied = (indices_to_copy == nullptr || indices_to_copy->element(index)) &&
                               !leaf->shape().IsToken();
        if (!is_copied) return leaf;
        HloInstruction* copy =
            AddInstruction(HloInstruction::CreateUnary(leaf->shape(), HloOpcode::kCopy, leaf));
        if (copies_added != nullptr) *copies_added->mutable_element(index) = copy;
        return copy;
      });
}

absl::StatusOr<HloInstruction*> HloComputation::DeepCopyInstructionWithCustomCopier(
    HloInstruction* instruction,
    absl::FunctionRef<HloInstruction*(HloInstruction*, const ShapeIndex&, HloComputation*)>
        copy_leaf) {
  if (instruction->parent() != this) {
    return FailedPrecondition("%s is not in computation %s", instruction->name(), name_);
  }
  // One recursion for each level of the shape, of which there are few.
  const auto copy = [&](const auto& self, HloInstruction* value,
                        ShapeIndex& index) -> HloInstruction* {
    if (!value->shape().IsTuple()) return copy_leaf(value, index, this);
    std::vector<HloInstruction*> elements;
    for (int64_t i = 0; i < value->shape().tuple_shapes_size(); ++i) {
      HloInstruction* element = AddInstruction(HloInstruction::CreateGetTupleElement(value, i));
      index.push_back(i);
      elements.push_back(self(self, element, index));
      index.pop_back();
    }
    return AddInstruction(HloInstruction::CreateTuple(elements));
  };
  ShapeIndex index;
  return copy(copy, instruction, index);
}

}  // namespace xla
