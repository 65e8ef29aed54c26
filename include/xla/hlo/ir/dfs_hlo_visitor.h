// Visitors: a function for each operation, called by HloInstruction::Accept and HloComputation::Accept for every
// instruction after those it depends on.
#ifndef XLA_HLO_IR_DFS_HLO_VISITOR_H_
#define XLA_HLO_IR_DFS_HLO_VISITOR_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

class HloInstruction;

// `HloInstructionPtr` is HloInstruction* or const HloInstruction*. Handle<Operation> is called with each instruction of
// that operation, between Preprocess and Postprocess; an error ends the visit. For unary and binary elementwise
// operations these functions call HandleElementwiseUnary and HandleElementwiseBinary, for others HandleOther, which
// gives Unimplemented; a visitor overrides what it is about.
template <typename HloInstructionPtr>
class DfsHloVisitorBase {
 public:
  DfsHloVisitorBase() = default;
  virtual ~DfsHloVisitorBase() = default;
  DfsHloVisitorBase(const DfsHloVisitorBase&) = delete;
  DfsHloVisitorBase& operator=(const DfsHloVisitorBase&) = delete;

#define HLO_OP(name, ...) \
  virtual absl::Status Handle##name(HloInstructionPtr hlo) { return HandleByArity(hlo); }
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
  // round-nearest-afz, by its older name.
  virtual absl::Status HandleRound(HloInstructionPtr hlo) { return HandleElementwiseUnary(hlo); }

  virtual absl::Status HandleElementwiseUnary(HloInstructionPtr hlo) { return HandleOther(hlo); }
  virtual absl::Status HandleElementwiseBinary(HloInstructionPtr hlo) { return HandleOther(hlo); }

  virtual absl::Status Preprocess(HloInstructionPtr) { return absl::OkStatus(); }
  virtual absl::Status Postprocess(HloInstructionPtr) { return absl::OkStatus(); }
  // Called once, after the last instruction, with the root of the visit.
  virtual absl::Status FinishVisit(HloInstructionPtr) { return absl::OkStatus(); }
  // False for the instructions whose operands are not to be visited because of them.
  virtual bool ShouldProcessNode(HloInstructionPtr) { return true; }

  enum class VisitState : uint8_t { kNotVisited = 0, kVisiting = 1, kVisited = 2 };

  VisitState GetVisitState(const HloInstruction& instruction) const {
    const auto found = states_.find(&instruction);
    return found == states_.end() ? VisitState::kNotVisited : found->second;
  }
  bool IsVisiting(const HloInstruction& instruction) const {
    return GetVisitState(instruction) == VisitState::kVisiting;
  }
  bool DidVisit(const HloInstruction& instruction) const {
    return GetVisitState(instruction) == VisitState::kVisited;
  }
  bool NotVisited(const HloInstruction& instruction) const {
    return GetVisitState(instruction) == VisitState::kNotVisited;
  }
  void SetVisitState(const HloInstruction& instruction, VisitState state) {
    states_[&instruction] = state;
  }
  void SetVisiting(const HloInstruction& instruction) {
    SetVisitState(instruction, VisitState::kVisiting);
  }
  void SetVisited(const HloInstruction& instruction) {
    SetVisitState(instruction, VisitState::kVisited);
  }
  // Instructions are visited once until this is called.
  void ResetVisitStates() { states_.clear(); }
  void ReserveVisitStates(int64_t count) { states_.reserve(count); }
  size_t VisitStateCapacity() const { return states_.capacity(); }
  void DestroyVisitState() { states_ = {}; }

 protected:
  // What is left of all operations.
  virtual absl::Status HandleOther(HloInstructionPtr hlo);

 private:
  absl::Status HandleByArity(HloInstructionPtr hlo);

  absl::flat_hash_map<const HloInstruction*, VisitState> states_;
};

extern template class DfsHloVisitorBase<HloInstruction*>;
extern template class DfsHloVisitorBase<const HloInstruction*>;

using DfsHloVisitor = DfsHloVisitorBase<HloInstruction*>;
using ConstDfsHloVisitor = DfsHloVisitorBase<const HloInstruction*>;

}  // namespace xla

#endif  // XLA_HLO_IR_DFS_HLO_VISITOR_H_
