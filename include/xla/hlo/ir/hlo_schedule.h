// The order in which the instructions of a module run.
#ifndef XLA_HLO_IR_HLO_SCHEDULE_H_
#define XLA_HLO_IR_HLO_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/service/hlo.pb.h"

namespace xla {

class HloComputation;
class HloInstruction;
class HloModule;

// One sequence for each computation that is not fused, kept by ids, so that the schedule of a
// module is also that of its clone.
class HloSchedule {
 public:
  bool empty() const { return sequences_.empty(); }
  bool is_computation_scheduled(const HloComputation* computation) const;

  void set_sequence(const HloComputation* computation,
                    absl::Span<HloInstruction* const> instructions);
  void remove_computation(const HloComputation* computation);

  // The instructions of a computation in their order; those that the sequence does not name are
  // left out.
  std::vector<HloInstruction*> sequence(const HloComputation* computation) const;
  // Ids of instructions by id of computation.
  const std::map<int64_t, std::vector<int64_t>>& sequences() const { return sequences_; }

  // InvalidArgument unless each computation that is not fused has a sequence of exactly its
  // instructions, in which operands and control predecessors come first.
  absl::Status Verify(const HloModule& module) const;

  // InvalidArgument for ids that the module does not have.
  static absl::StatusOr<HloSchedule> CreateFromProto(const HloModule* module,
                                                     const HloScheduleProto& proto);
  HloScheduleProto ToProto() const;

  std::string ToString() const;

  bool operator==(const HloSchedule& other) const { return sequences_ == other.sequences_; }
  bool operator!=(const HloSchedule& other) const { return !(*this == other); }

 private:
  std::map<int64_t, std::vector<int64_t>> sequences_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_SCHEDULE_H_
