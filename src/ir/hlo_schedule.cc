#include "xla/hlo/ir/hlo_schedule.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::flat_hash_map<int64_t, HloInstruction*> InstructionsById(const HloComputation& computation) {
  absl::flat_hash_map<int64_t, HloInstruction*> by_id;
  for (const HloInstruction* instruction : computation.instructions()) {
    by_id[instruction->local_id()] = const_cast<HloInstruction*>(instruction);
  }
  return by_id;
}

absl::Status VerifySequence(const HloComputation& computation,
                            const std::vector<int64_t>& sequence) {
  const absl::flat_hash_map<int64_t, HloInstruction*> by_id = InstructionsById(computation);
  absl::flat_hash_map<const HloInstruction*, int64_t> position;
  for (const int64_t id : sequence) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      return InvalidArgument("schedule: computation %s has no instruction with id %d",
                             computation.name(), id);
    }
    if (!position.try_emplace(found->second, position.size()).second) {
      return InvalidArgument("schedule: instruction %s of computation %s stands twice",
                             found->second->name(), computation.name());
    }
  }
  for (const HloInstruction* instruction : computation.instructions()) {
    const auto at = position.find(instruction);
    if (at == position.end()) {
      return InvalidArgument("schedule: instruction %s of computation %s is left out",
                             instruction->name(), computation.name());
    }
    const auto comes_before = [&](const HloInstruction* other) -> absl::Status {
      const auto before = position.find(other);
      if (before != position.end() && before->second < at->second) return absl::OkStatus();
      return InvalidArgument(
          "schedule: instruction %s of computation %s runs before %s, which it "
          "needs",
          instruction->name(), computation.name(), other->name());
    };
    for (const HloInstruction* operand : instruction->operands()) {
      HILO_RETURN_IF_ERROR(comes_before(operand));
    }
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      HILO_RETURN_IF_ERROR(comes_before(predecessor));
    }
  }
  return absl::OkStatus();
}

// Of all that read schedules at the same time.
std::mutex& ViewMutex() {
  static std::mutex& mutex = *new std::mutex();
  return mutex;
}

}  // namespace

// ---- Sequences ----

HloInstructionSequence::HloInstructionSequence(absl::Span<HloInstruction* const> instructions) {
  ids_.reserve(instructions.size());
  for (HloInstruction* instruction : instructions) push_back(instruction);
}

void HloInstructionSequence::push_back(HloInstruction* instruction) {
  if (computation_ == nullptr) computation_ = instruction->parent();
  ids_.push_back(instruction->local_id());
}

void HloInstructionSequence::insert_instruction(HloInstruction* instruction, int64_t index) {
  if (computation_ == nullptr) computation_ = instruction->parent();
  ids_.insert(ids_.begin() + index, instruction->local_id());
}

void HloInstructionSequence::remove_instruction(const HloInstruction* instruction) {
  const auto found = std::find(ids_.begin(), ids_.end(), instruction->local_id());
  if (found != ids_.end()) ids_.erase(found);
}

void HloInstructionSequence::replace_instruction(const HloInstruction* old_instruction,
                                                 HloInstruction* new_instruction) {
  std::replace(ids_.begin(), ids_.end(), old_instruction->local_id(),
               new_instruction->local_id());
}

const std::vector<HloInstruction*>& HloInstructionSequence::instructions() const {
  std::vector<HloInstruction*> instructions;
  if (computation_ != nullptr) {
    const absl::flat_hash_map<int64_t, HloInstruction*> by_id = InstructionsById(*computation_);
    for (const int64_t id : ids_) {
      const auto found = by_id.find(id);
      if (found != by_id.end()) instructions.push_back(found->second);
    }
  }
  const std::lock_guard<std::mutex> lock(ViewMutex());
  if (instructions != instructions_) instructions_ = std::move(instructions);
  return instructions_;
}

// ---- Schedules ----

bool HloSchedule::is_computation_scheduled(const HloComputation* computation) const {
  return sequences_.count(computation->unique_id()) != 0;
}

void HloSchedule::set_sequence(const HloComputation* computation,
                               absl::Span<HloInstruction* const> instructions) {
  set_sequence(computation, HloInstructionSequence(instructions));
}

void HloSchedule::set_sequence(const HloComputation* computation, HloInstructionSequence sequence) {
  get_or_create_sequence(computation).ids_ = std::move(sequence.ids_);
}

HloInstructionSequence& HloSchedule::get_or_create_sequence(const HloComputation* computation) {
  HloInstructionSequence& sequence = sequences_[computation->unique_id()];
  sequence.computation_ = computation;
  return sequence;
}

void HloSchedule::remove_instruction(const HloComputation* computation,
                                     const HloInstruction* instruction) {
  const auto sequence = sequences_.find(computation->unique_id());
  if (sequence != sequences_.end()) sequence->second.remove_instruction(instruction);
}

void HloSchedule::replace_instruction(const HloComputation* computation,
                                      HloInstruction* old_instruction,
                                      HloInstruction* new_instruction) {
  const auto sequence = sequences_.find(computation->unique_id());
  if (sequence == sequences_.end()) return;
  sequence->second.replace_instruction(old_instruction, new_instruction);
}

void HloSchedule::remove_computation(const HloComputation* computation) {
  sequences_.erase(computation->unique_id());
}

const HloInstructionSequence& HloSchedule::sequence(const HloComputation* computation) const {
  static const HloInstructionSequence& empty = *new HloInstructionSequence();
  const auto found = sequences_.find(computation->unique_id());
  if (found == sequences_.end()) return empty;
  const std::lock_guard<std::mutex> lock(ViewMutex());
  const HloComputation*& known = found->second.computation_;
  if (known != computation) known = computation;  // that of a clone
  return found->second;
}

namespace {

// Puts instructions behind what they need.
class Sequencer {
 public:
  explicit Sequencer(HloInstructionSequence& sequence) : sequence_(sequence) {}

  // Appends the instruction, but before it all that it needs and that is not there yet.
  absl::Status Append(HloInstruction* instruction) {
    std::vector<HloInstruction*> stack = {instruction};
    while (!stack.empty()) {
      HloInstruction* top = stack.back();
      const auto [state, is_new] = is_appended_.try_emplace(top, false);
      if (!is_new) {
        stack.pop_back();
        if (!state->second) sequence_.push_back(top);
        state->second = true;
        continue;
      }
      const size_t own_place = stack.size();
      stack.insert(stack.end(), top->operands().rbegin(), top->operands().rend());
      stack.insert(stack.end(), top->control_predecessors().begin(),
                   top->control_predecessors().end());
      for (size_t i = own_place; i < stack.size(); ++i) {
        const auto needed = is_appended_.find(stack[i]);
        if (needed != is_appended_.end() && !needed->second) {
          return InvalidArgument("schedule: %s is part of a cycle", stack[i]->name());
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  HloInstructionSequence& sequence_;
  absl::flat_hash_map<const HloInstruction*, bool> is_appended_;  // false while waiting for others
};

}  // namespace

absl::Status HloSchedule::UpdateSequence(const HloComputation& computation) {
  HloInstructionSequence updated;
  Sequencer sequencer(updated);
  for (HloInstruction* instruction : sequence(&computation).instructions()) {
    HILO_RETURN_IF_ERROR(sequencer.Append(instruction));
  }
  for (HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    HILO_RETURN_IF_ERROR(sequencer.Append(instruction));
  }
  set_sequence(&computation, std::move(updated));
  return absl::OkStatus();
}

absl::Status HloSchedule::Update(const ExecutionThreads& execution_threads) {
  if (module_ == nullptr) return FailedPrecondition("the schedule belongs to no module");
  absl::flat_hash_set<int64_t> present;
  for (const HloComputation* computation : module_->computations()) {
    present.insert(computation->unique_id());
    const bool is_meant =
        execution_threads.empty() || execution_threads.contains(computation->execution_thread());
    if (is_meant && !computation->IsFusionComputation()) {
      HILO_RETURN_IF_ERROR(UpdateSequence(*computation));
    }
  }
  for (auto sequence = sequences_.begin(); sequence != sequences_.end();) {
    sequence = present.contains(sequence->first) ? std::next(sequence) : sequences_.erase(sequence);
  }
  return absl::OkStatus();
}

absl::Status HloSchedule::Verify() const {
  if (module_ == nullptr) return FailedPrecondition("the schedule belongs to no module");
  return Verify(*module_);
}

absl::Status HloSchedule::Verify(const HloModule& module) const {
  absl::flat_hash_set<absl::string_view> scheduled_threads;
  size_t found = 0;
  for (const HloComputation* computation : module.computations()) {
    const auto sequence = sequences_.find(computation->unique_id());
    if (sequence == sequences_.end()) continue;
    ++found;
    scheduled_threads.insert(computation->execution_thread());
    HILO_RETURN_IF_ERROR(VerifySequence(*computation, sequence->second.ids()));
  }
  if (found != sequences_.size()) {
    return InvalidArgument("schedule: %d of %d sequences are of computations that are not there",
                           sequences_.size() - found, sequences_.size());
  }
  for (const HloComputation* computation : module.computations()) {
    if (!is_computation_scheduled(computation) && !computation->IsFusionComputation() &&
        scheduled_threads.contains(computation->execution_thread())) {
      return InvalidArgument("schedule: computation %s has no sequence", computation->name());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HloSchedule> HloSchedule::CreateFromProto(const HloModule* module,
                                                         const HloScheduleProto& proto) {
  absl::flat_hash_map<int64_t, const HloComputation*> computations;
  for (const HloComputation* computation : module->computations()) {
    computations[computation->unique_id()] = computation;
  }
  HloSchedule schedule(module);
  for (const auto& [computation_id, sequence] : proto.sequences()) {
    const auto computation = computations.find(computation_id);
    // Computations that nobody calls may have been dropped from the module.
    if (computation == computations.end()) continue;
    const absl::flat_hash_map<int64_t, HloInstruction*> by_id =
        InstructionsById(*computation->second);
    std::vector<int64_t>& ids = schedule.get_or_create_sequence(computation->second).ids_;
    for (const int64_t id : sequence.instruction_ids()) {
      // The high half, where there is one, is the id of the computation.
      const int64_t local_id = id & 0xffffffff;
      if (!by_id.contains(local_id)) {
        return InvalidArgument("schedule: computation %s has no instruction with id %d",
                               computation->second->name(), id);
      }
      ids.push_back(local_id);
    }
  }
  return schedule;
}

HloScheduleProto HloSchedule::ToProto() const {
  HloScheduleProto proto;
  for (const auto& [computation_id, sequence] : sequences_) {
    HloScheduleProto::InstructionSequence& written = (*proto.mutable_sequences())[computation_id];
    for (const int64_t id : sequence.ids()) {
      written.add_instruction_ids(HloInstruction::CalculateUniqueId(
          static_cast<int32_t>(computation_id), static_cast<int32_t>(id)));
    }
  }
  return proto;
}

std::string HloSchedule::ToString() const {
  std::string text;
  for (const auto& [computation_id, sequence] : sequences_) {
    absl::StrAppend(&text, "computation ", computation_id, ": ", absl::StrJoin(sequence.ids(), ","),
                    "\n");
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const HloSchedule& schedule) {
  return out << schedule.ToString();
}

}  // namespace xla
