// Visitors with one function for all operations that they do not name, and visitors that rewrite.
#ifndef XLA_HLO_IR_DFS_HLO_VISITOR_WITH_DEFAULT_H_
#define XLA_HLO_IR_DFS_HLO_VISITOR_WITH_DEFAULT_H_

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/dfs_hlo_visitor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// DefaultAction is called for every operation whose function is not overridden.
template <typename HloInstructionPtr>
class DfsHloVisitorWithDefaultBase : public DfsHloVisitorBase<HloInstructionPtr> {
 public:
  virtual absl::Status DefaultAction(HloInstructionPtr hlo_instruction) = 0;
  absl::Status FinishVisit(HloInstructionPtr) override { return absl::OkStatus(); }

 protected:
  absl::Status HandleOther(HloInstructionPtr hlo) override { return DefaultAction(hlo); }
};

using DfsHloVisitorWithDefault = DfsHloVisitorWithDefaultBase<HloInstruction*>;
using ConstDfsHloVisitorWithDefault = DfsHloVisitorWithDefaultBase<const HloInstruction*>;

// Calls a function for every instruction.
template <typename HloInstructionPtr>
class FunctionVisitorBase : public DfsHloVisitorWithDefaultBase<HloInstructionPtr> {
 public:
  explicit FunctionVisitorBase(std::function<absl::Status(HloInstructionPtr)> visitor_function)
      : visitor_function_(std::move(visitor_function)) {}

  absl::Status DefaultAction(HloInstructionPtr hlo_instruction) override {
    return visitor_function_(hlo_instruction);
  }

 private:
  std::function<absl::Status(HloInstructionPtr)> visitor_function_;
};

using FunctionVisitor = FunctionVisitorBase<HloInstruction*>;
using ConstFunctionVisitor = FunctionVisitorBase<const HloInstruction*>;

// A visitor that replaces instructions while they are visited. It does nothing with those it does not name.
class DfsHloRewriteVisitor : public DfsHloVisitorWithDefault {
 public:
  // Visits all computations, without those that are fused, of the execution threads that are named or of all. True when
  // something was replaced or MarkAsChanged was called.
  absl::StatusOr<bool> RunOnModule(
      HloModule* module, const absl::flat_hash_set<absl::string_view>& execution_threads = {});

  absl::Status DefaultAction(HloInstruction*) override { return absl::OkStatus(); }

  bool changed() const { return changed_; }

 protected:
  // The old one is removed with all that only it needed.
  absl::Status ReplaceWithNewInstruction(HloInstruction* old_instruction,
                                         std::unique_ptr<HloInstruction> new_instruction);
  absl::StatusOr<bool> ReplaceInstruction(HloInstruction* old_instruction,
                                          HloInstruction* new_instruction, bool preserve_sharding);
  absl::Status ReplaceInstruction(HloInstruction* old_instruction,
                                  HloInstruction* new_instruction);
  void MarkAsChanged() { changed_ = true; }
  void MarkAsMaybeChanged(bool changed) { changed_ = changed_ || changed; }

 private:
  bool changed_ = false;
};

}  // namespace xla

#endif  // XLA_HLO_IR_DFS_HLO_VISITOR_WITH_DEFAULT_H_
