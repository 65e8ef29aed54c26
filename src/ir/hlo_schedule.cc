#include "xla/hlo/ir/hlo_schedule.h"

#include "absl/container/flat_hash_map.h"
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
    by_id[instruction->unique_id()] = const_cast<HloInstruction*>(instruction);
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

}  // namespace

bool HloSchedule::is_computation_scheduled(const HloComputation* computation) const {
  return sequences_.count(computation->unique_id()) != 0;
}

void HloSchedule::set_sequence(const HloComputation* computation,
                               absl::Span<HloInstruction* const> instructions) {
  std::vector<int64_t>& ids = sequences_[computation->unique_id()];
  ids.clear();
  for (const HloInstruction* instruction : instructions) ids.push_back(instruction->unique_id());
}

void HloSchedule::remove_computation(const HloComputation* computation) {
  sequences_.erase(computation->unique_id());
}

std::vector<HloInstruction*> HloSchedule::sequence(const HloComputation* computation) const {
  std::vector<HloInstruction*> instructions;
  const auto sequence = sequences_.find(computation->unique_id());
  if (sequence == sequences_.end()) return instructions;
  const absl::flat_hash_map<int64_t, HloInstruction*> by_id = InstructionsById(*computation);
  for (const int64_t id : sequence->second) {
    const auto found = by_id.find(id);
    if (found != by_id.end()) instructions.push_back(found->second);
  }
  return instructions;
}

absl::Status HloSchedule::Verify(const HloModule& module) const {
  for (const HloComputation* computation : module.computations()) {
    const auto sequence = sequences_.find(computation->unique_id());
    if (sequence != sequences_.end()) {
      HILO_RETURN_IF_ERROR(VerifySequence(*computation, sequence->second));
    } else if (!computation->IsFusionComputation()) {
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
  HloSchedule schedule;
  for (const auto& [computation_id, sequence] : proto.sequences()) {
    const auto computation = computations.find(computation_id);
    // Computations that nobody calls may have been dropped from the module.
    if (computation == computations.end()) continue;
    const absl::flat_hash_map<int64_t, HloInstruction*> by_id =
        InstructionsById(*computation->second);
    std::vector<int64_t>& ids = schedule.sequences_[computation_id];
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
  for (const auto& [computation_id, ids] : sequences_) {
    HloScheduleProto::InstructionSequence& sequence = (*proto.mutable_sequences())[computation_id];
    for (const int64_t id : ids) {
      sequence.add_instruction_ids(HloInstruction::CalculateUniqueId(
          static_cast<int32_t>(computation_id), static_cast<int32_t>(id)));
    }
  }
  return proto;
}

std::string HloSchedule::ToString() const {
  std::string text;
  for (const auto& [computation_id, ids] : sequences_) {
    absl::StrAppend(&text, "computation ", computation_id, ": ", absl::StrJoin(ids, ","), "\n");
  }
  return text;
}

}  // namespace xla
