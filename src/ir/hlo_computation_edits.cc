// Parameters and instructions of a computation that give way to others; who calls whom.
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "base/status_macros.h"
#include "ir/name_uniquer.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

// ---- Parameters ----

namespace {

ShapeLayout LayoutOf(const HloInstruction& instruction) { return ShapeLayout(instruction.shape()); }

void Renumber(absl::Span<HloInstruction* const> parameters) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->mutable_attributes_as<ParameterAttributes>().parameter_number =
        static_cast<int64_t>(i);
  }
}

}  // namespace

HloInstruction* HloComputation::AddEntryComputationParameter(
    std::unique_ptr<HloInstruction> parameter) {
  CHECK(IsEntryComputation()) << name_;
  HloInstruction* added = AddParameter(std::move(parameter));
  if (parent_->config().has_entry_computation_layout()) {
    parent_->mutable_entry_computation_layout()->add_parameter_layout(LayoutOf(*added));
  }
  return added;
}

HloInstruction* HloComputation::ReplaceParameter(int64_t number,
                                                 std::unique_ptr<HloInstruction> parameter) {
  CHECK_EQ(parameter->parameter_number(), number);
  HloInstruction* old = parameters_.at(number);
  parameter->set_name(names().GetUniqueName(parameter->name()));
  parameter->SetUniqueId(-1);
  HloInstruction* added = AdoptInstruction(std::move(parameter));  // takes its place in the list
  CHECK_OK(old->ReplaceAllUsesWithDifferentShape(added));
  AbandonInstruction(old);
  return added;
}

absl::Status HloComputation::ReplaceEntryComputationParameter(
    int64_t number, HloInstruction* old_instruction, std::unique_ptr<HloInstruction> parameter) {
  CHECK(IsEntryComputation()) << name_;
  if (parameters_.at(number) != old_instruction) {
    return InvalidArgument("%s is not parameter %d", old_instruction->name(), number);
  }
  HloInstruction* added = ReplaceParameter(number, std::move(parameter));
  *parent_->mutable_entry_computation_layout()->mutable_parameter_layout(
      static_cast<int>(number)) = LayoutOf(*added);
  return absl::OkStatus();
}

absl::Status HloComputation::ReplaceWithNewEntryComputationParameter(
    HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction) {
  HloInstruction* added = AddEntryComputationParameter(std::move(new_instruction));
  return ReplaceInstruction(old_instruction, added);
}

absl::Status HloComputation::RemoveParameter(int64_t number) {
  HloInstruction* parameter = parameters_.at(number);
  if (parameter->user_count() != 0) {
    return FailedPrecondition("parameter %s is used", parameter->name());
  }
  if (IsEntryComputation()) {
    return FailedPrecondition("%s is the entry; its parameters stay", name_);
  }
  parameters_.erase(parameters_.begin() + number);
  Renumber(parameters_);
  AbandonInstruction(parameter);
  return absl::OkStatus();
}

void HloComputation::PermuteParameters(absl::Span<const int64_t> new_to_old) {
  std::vector<HloInstruction*> permuted;
  for (const int64_t old_number : new_to_old) permuted.push_back(parameters_.at(old_number));
  parameters_ = std::move(permuted);
  Renumber(parameters_);
}

absl::Status HloComputation::RemoveUnusedParametersFromFusedComputation() {
  CHECK(IsFusionComputation()) << name_;
  return RemoveUnusedParametersFromAnyComputation();
}

absl::Status HloComputation::RemoveUnusedParametersFromAnyComputation() {
  for (int64_t i = num_parameters() - 1; i >= 0; --i) {
    const HloInstruction* parameter = parameters_[i];
    if (parameter->user_count() == 0 && parameter != root_instruction_) {
      HILO_RETURN_IF_ERROR(RemoveParameter(i));
    }
  }
  return absl::OkStatus();
}

// ---- Replacements ----

absl::Status HloComputation::ReplaceInstruction(HloInstruction* old_instruction,
                                                HloInstruction* new_instruction) {
  return ReplaceInstruction(old_instruction, new_instruction, /*preserve_sharding=*/false)
      .status();
}

absl::StatusOr<bool> HloComputation::ReplaceInstruction(HloInstruction* old_instruction,
                                                        HloInstruction* new_instruction,
                                                        bool preserve_sharding,
                                                        bool relay_control_dependency,
                                                        bool remove_unused_operands) {
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(old_instruction->shape(),
                                                new_instruction->shape())) {
    return InvalidArgument("%s of shape %s cannot take the place of %s of shape %s",
                           new_instruction->name(), new_instruction->shape().ToString(),
                           old_instruction->name(), old_instruction->shape().ToString());
  }
  return ReplaceInstructionWithDifferentShape(old_instruction, new_instruction, preserve_sharding,
                                              relay_control_dependency, remove_unused_operands);
}

absl::Status HloComputation::ReplaceInstructionWithDifferentShape(
    HloInstruction* old_instruction, HloInstruction* new_instruction) {
  return ReplaceInstructionWithDifferentShape(old_instruction, new_instruction,
                                              /*preserve_sharding=*/false)
      .status();
}

absl::StatusOr<bool> HloComputation::ReplaceInstructionWithDifferentShape(
    HloInstruction* old_instruction, HloInstruction* new_instruction, bool preserve_sharding,
    bool relay_control_dependency, bool remove_unused_operands) {
  if (preserve_sharding && new_instruction->has_sharding() && old_instruction->has_sharding() &&
      !new_instruction->has_compatible_sharding(old_instruction)) {
    return false;
  }
  if (relay_control_dependency) {
    HILO_RETURN_IF_ERROR(new_instruction->CopyAllControlDepsFrom(old_instruction));
    HILO_RETURN_IF_ERROR(old_instruction->DropAllControlDeps());
  }
  if (preserve_sharding && !new_instruction->has_sharding()) {
    new_instruction->set_sharding(old_instruction->sharding_ptr());
  }
  HILO_RETURN_IF_ERROR(old_instruction->ReplaceAllUsesWithDifferentShape(new_instruction));
  if (remove_unused_operands) {
    HILO_RETURN_IF_ERROR(RemoveInstructionAndUnusedOperands(old_instruction));
  } else {
    HILO_RETURN_IF_ERROR(RemoveInstruction(old_instruction));
  }
  return true;
}

absl::Status HloComputation::ReplaceWithNewInstruction(
    HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction) {
  old_instruction->SetupDerivedInstruction(new_instruction.get());
  return ReplaceInstruction(old_instruction, AddInstruction(std::move(new_instruction)));
}

// ---- Who calls whom ----

HloComputation::CallCounts HloComputation::callee_computations() const {
  CallCounts counts;
  for (const auto& instruction : instructions_) {
    for (HloComputation* callee : instruction->called_computations()) ++counts[callee];
  }
  return counts;
}

HloComputation::CallCounts HloComputation::caller_computations() const {
  CallCounts counts;
  if (parent_ == nullptr) return counts;
  for (HloComputation* computation : parent_->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const int64_t calls = absl::c_count(instruction->called_computations(), this);
      if (calls > 0) counts[computation] += static_cast<int>(calls);
    }
  }
  return counts;
}

std::vector<HloInstruction*> HloComputation::caller_instructions() const {
  std::vector<HloInstruction*> callers;
  if (parent_ == nullptr) return callers;
  for (HloComputation* computation : parent_->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (absl::c_linear_search(instruction->called_computations(), this)) {
        callers.push_back(instruction);
      }
    }
  }
  return callers;
}

std::vector<HloInstruction*> HloComputation::caller_instructions(HloOpcode opcode) const {
  std::vector<HloInstruction*> callers = caller_instructions();
  std::erase_if(callers, [opcode](const HloInstruction* caller) {
    return caller->opcode() != opcode;
  });
  return callers;
}

std::optional<HloInstruction*> HloComputation::GetUniqueCaller(HloOpcode opcode) const {
  const std::vector<HloInstruction*> callers = caller_instructions(opcode);
  if (callers.size() != 1) return std::nullopt;
  return callers[0];
}

HloInstruction* HloComputation::FusionInstruction() const {
  return GetUniqueCaller(HloOpcode::kFusion).value_or(nullptr);
}

bool HloComputation::IsAsyncComputation() const {
  return !caller_instructions(HloOpcode::kAsyncStart).empty();
}

HloInstruction* HloComputation::AsyncStart() const {
  return GetUniqueCaller(HloOpcode::kAsyncStart).value_or(nullptr);
}

bool HloComputation::CanExpandIntoSingleInstruction() const {
  return absl::c_all_of(instructions_, [this](const auto& instruction) {
    return instruction.get() == root_instruction_ ||
           instruction->opcode() == HloOpcode::kParameter;
  });
}

}  // namespace xla
