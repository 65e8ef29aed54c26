// The order in which the instructions of a module run.
#ifndef XLA_HLO_IR_HLO_SCHEDULE_H_
#define XLA_HLO_IR_HLO_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/service/hlo.pb.h"

namespace xla {

class HloComputation;
class HloInstruction;
class HloModule;

// The order within one computation, kept by ids: instructions may be removed and computations cloned
// without harm to it.
class HloInstructionSequence {
 public:
  HloInstructionSequence() = default;
  // All of one computation.
  explicit HloInstructionSequence(absl::Span<HloInstruction* const> instructions);

  void push_back(HloInstruction* instruction);
  void insert_instruction(HloInstruction* instruction, int64_t index);
  // These do nothing when the (old) instruction is not there.
  void remove_instruction(const HloInstruction* instruction);
  void replace_instruction(const HloInstruction* old_instruction, HloInstruction* new_instruction);
  void clear() { ids_.clear(); }

  // Counts all, instructions() leaves out those that the computation no longer has.
  int64_t size() const { return static_cast<int64_t>(ids_.size()); }
  bool empty() const { return ids_.empty(); }
  // The reference is to what this was when it was asked for last.
  const std::vector<HloInstruction*>& instructions() const;
  const std::vector<int64_t>& ids() const { return ids_; }

  bool operator==(const HloInstructionSequence& other) const { return ids_ == other.ids_; }
  bool operator!=(const HloInstructionSequence& other) const { return !(*this == other); }

 private:
  friend class HloSchedule;
  mutable const HloComputation* computation_ = nullptr;
  std::vector<int64_t> ids_;
  mutable std::vector<HloInstruction*> instructions_;
};

// One sequence for each computation that is not fused, kept by ids, so that the schedule of a
// module is also that of its clone.
class HloSchedule {
 public:
  using ExecutionThreads = absl::flat_hash_set<absl::string_view>;

  explicit HloSchedule(const HloModule* module = nullptr) : module_(module) {}

  // Null for a schedule that was not given to a module.
  const HloModule* module() const { return module_; }
  bool empty() const { return sequences_.empty(); }
  bool is_computation_scheduled(const HloComputation* computation) const;

  void set_sequence(const HloComputation* computation,
                    absl::Span<HloInstruction* const> instructions);
  void set_sequence(const HloComputation* computation, HloInstructionSequence sequence);
  HloInstructionSequence& get_or_create_sequence(const HloComputation* computation);
  void remove_computation(const HloComputation* computation);
  void remove_instruction(const HloComputation* computation, const HloInstruction* instruction);
  void replace_instruction(const HloComputation* computation, HloInstruction* old_instruction,
                           HloInstruction* new_instruction);

  // Empty when there is none.
  const HloInstructionSequence& sequence(const HloComputation* computation) const;
  // By id of computation.
  const std::map<int64_t, HloInstructionSequence>& sequences() const { return sequences_; }

  // Takes out what the module no longer has and puts in what is new, each as late as possible
  // behind what it needs. What was there keeps its order unless new edges forbid it. Of the
  // execution threads that are named, or of all. FailedPrecondition without a module, InvalidArgument
  // for a cycle.
  absl::Status Update(const ExecutionThreads& execution_threads = {});

  // InvalidArgument unless each computation that is not fused has a sequence of exactly its
  // instructions, in which operands and control predecessors come first. Execution threads may be
  // without any sequence. The first one asks the module that the schedule was given to.
  absl::Status Verify() const;
  absl::Status Verify(const HloModule& module) const;

  // InvalidArgument for ids that the module does not have.
  static absl::StatusOr<HloSchedule> CreateFromProto(const HloModule* module,
                                                     const HloScheduleProto& proto);
  HloScheduleProto ToProto() const;

  std::string ToString() const;

  bool operator==(const HloSchedule& other) const { return sequences_ == other.sequences_; }
  bool operator!=(const HloSchedule& other) const { return !(*this == other); }

 private:
  friend class HloModule;
  absl::Status UpdateSequence(const HloComputation& computation);

  const HloModule* module_ = nullptr;
  std::map<int64_t, HloInstructionSequence> sequences_;
};

std::ostream& operator<<(std::ostream& out, const HloSchedule& schedule);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_SCHEDULE_H_
