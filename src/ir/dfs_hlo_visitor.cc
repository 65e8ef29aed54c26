#include "xla/hlo/ir/dfs_hlo_visitor.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/hlo/ir/dfs_hlo_visitor_with_default.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {

template <typename HloInstructionPtr>
absl::Status DfsHloVisitorBase<HloInstructionPtr>::HandleByArity(HloInstructionPtr hlo) {
  if (hlo->opcode() == HloOpcode::kRoundNearestAfz) return HandleRound(hlo);
  // Its result has another type, but the same elements.
  const bool is_elementwise = HloInstruction::IsOpElementwise(hlo->opcode()) ||
                              hlo->opcode() == HloOpcode::kBitcastConvert;
  const std::optional<int8_t> arity = HloOpcodeArity(hlo->opcode());
  if (is_elementwise && arity == 1) return HandleElementwiseUnary(hlo);
  if (is_elementwise && arity == 2) return HandleElementwiseBinary(hlo);
  return HandleOther(hlo);
}

template <typename HloInstructionPtr>
absl::Status DfsHloVisitorBase<HloInstructionPtr>::HandleOther(HloInstructionPtr hlo) {
  return Unimplemented("this visitor does not handle %s", HloOpcodeString(hlo->opcode()));
}

template class DfsHloVisitorBase<HloInstruction*>;
template class DfsHloVisitorBase<const HloInstruction*>;

namespace {

template <typename HloInstructionPtr>
absl::Status Dispatch(DfsHloVisitorBase<HloInstructionPtr>& visitor, HloInstructionPtr hlo) {
  switch (hlo->opcode()) {
#define HLO_OP(name, ...)       \
  case HloOpcode::k##name:      \
    return visitor.Handle##name(hlo);
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
  }
  return Internal("%s has no opcode", hlo->name());
}

// The visitor's error, and where in the source the instruction comes from, if that is known.
absl::Status WithPlace(const absl::Status& status, const HloInstruction& instruction) {
  const OpMetadata& metadata = instruction.metadata();
  if (status.ok() || (metadata.stack_frame_id() == 0 && metadata.source_file().empty())) {
    return status;
  }
  return absl::Status(status.code(),
                      absl::StrCat(status.message(), "\n\nPython Code Location:\n",
                                   instruction.GetStackTraceStringFromMetadata(4)));
}

struct DfsOptions {
  bool ignore_control_predecessors = false;
  bool cross_computation = false;
  std::optional<HloInstruction::CompareFunction> operand_order;
};

template <typename HloInstructionPtr>
class DepthFirstSearch {
 public:
  using Visitor = DfsHloVisitorBase<HloInstructionPtr>;

  DepthFirstSearch(Visitor& visitor, DfsOptions options)
      : visitor_(visitor), options_(std::move(options)) {}

  absl::Status VisitFrom(HloInstructionPtr root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      HloInstructionPtr top = stack_.back();
      if (visitor_.NotVisited(*top)) {
        visitor_.SetVisiting(*top);
        HILO_RETURN_IF_ERROR(PushNeeded(top));
        continue;
      }
      stack_.pop_back();
      if (visitor_.DidVisit(*top)) continue;
      HILO_RETURN_IF_ERROR(visitor_.Preprocess(top));
      HILO_RETURN_IF_ERROR(WithPlace(Dispatch(visitor_, top), *top));
      visitor_.SetVisited(*top);
      HILO_RETURN_IF_ERROR(visitor_.Postprocess(top));
    }
    return absl::OkStatus();
  }

 private:
  // What has to be visited before `instruction`, the first of it on top.
  absl::Status PushNeeded(HloInstructionPtr instruction) {
    if (!visitor_.ShouldProcessNode(instruction)) return absl::OkStatus();
    std::vector<HloInstructionPtr> needed(instruction->operands().begin(),
                                          instruction->operands().end());
    if (!options_.ignore_control_predecessors) {
      needed.insert(needed.end(), instruction->control_predecessors().begin(),
                    instruction->control_predecessors().end());
    }
    if (options_.cross_computation) {
      for (const HloComputation* callee : instruction->called_computations()) {
        needed.push_back(callee->root_instruction());
      }
    }
    if (options_.operand_order.has_value()) {
      std::sort(needed.begin(), needed.end(), *options_.operand_order);
    }
    for (auto next = needed.rbegin(); next != needed.rend(); ++next) {
      if (*next == nullptr || visitor_.DidVisit(**next)) continue;
      if (visitor_.IsVisiting(**next)) return CycleError(*next);
      stack_.push_back(*next);
    }
    return absl::OkStatus();
  }

  absl::Status CycleError(HloInstructionPtr again) const {
    std::string cycle = absl::StrCat(again->name());
    for (auto open = stack_.rbegin(); open != stack_.rend(); ++open) {
      if (!visitor_.IsVisiting(**open)) continue;
      absl::StrAppend(&cycle, "\n ", (*open)->name());
      if (*open == again) break;
    }
    return FailedPrecondition("there is a cycle; each of these runs before the next:\n %s", cycle);
  }

  Visitor& visitor_;
  const DfsOptions options_;
  std::vector<HloInstructionPtr> stack_;
};

}  // namespace

// ---- Instructions ----

template <typename HloInstructionPtr>
absl::Status HloInstruction::Visit(DfsHloVisitorBase<HloInstructionPtr>* visitor) {
  return Dispatch<HloInstructionPtr>(*visitor, this);
}
template absl::Status HloInstruction::Visit(DfsHloVisitor* visitor);
template absl::Status HloInstruction::Visit(ConstDfsHloVisitor* visitor);

absl::Status HloInstruction::Visit(ConstDfsHloVisitor* visitor) const {
  return Dispatch<const HloInstruction*>(*visitor, this);
}

template <typename HloInstructionPtr>
absl::Status HloInstruction::Accept(DfsHloVisitorBase<HloInstructionPtr>* visitor,
                                    bool call_finish_visit, bool ignore_control_predecessors,
                                    bool cross_computation) {
  DfsOptions options{ignore_control_predecessors, cross_computation};
  HILO_RETURN_IF_ERROR(DepthFirstSearch<HloInstructionPtr>(*visitor, options).VisitFrom(this));
  return call_finish_visit ? visitor->FinishVisit(this) : absl::OkStatus();
}
template absl::Status HloInstruction::Accept(DfsHloVisitor* visitor, bool, bool, bool);
template absl::Status HloInstruction::Accept(ConstDfsHloVisitor* visitor, bool, bool, bool);

absl::Status HloInstruction::Accept(ConstDfsHloVisitor* visitor, bool call_finish_visit,
                                    bool ignore_control_predecessors,
                                    bool cross_computation) const {
  // A visitor of const instructions changes none.
  return const_cast<HloInstruction*>(this)->Accept<const HloInstruction*>(
      visitor, call_finish_visit, ignore_control_predecessors, cross_computation);
}

absl::Status HloInstruction::AcceptWithOperandOrder(DfsHloVisitor* visitor,
                                                    CompareFunction operand_order,
                                                    bool call_finish_visit) {
  HILO_RETURN_IF_ERROR(DepthFirstSearch<HloInstruction*>(*visitor, {false, false, operand_order}).VisitFrom(this));
  return call_finish_visit ? visitor->FinishVisit(this) : absl::OkStatus();
}

absl::Status HloInstruction::Accept(
    absl::FunctionRef<absl::Status(HloInstruction*)> visitor_function) {
  FunctionVisitor visitor(visitor_function);
  return Accept(&visitor);
}

absl::Status HloInstruction::Accept(
    absl::FunctionRef<absl::Status(const HloInstruction*)> visitor_function) const {
  ConstFunctionVisitor visitor(visitor_function);
  return Accept(&visitor);
}

// ---- Computations ----

template <typename HloInstructionPtr>
absl::Status HloComputation::Accept(DfsHloVisitorBase<HloInstructionPtr>* visitor) const {
  // Visitors may add and remove instructions.
  std::vector<HloInstruction*> roots;
  for (const auto& instruction : instructions_) {
    const bool is_needed =
        instruction->user_count() > 0 || !instruction->control_successors().empty();
    if (!is_needed && instruction.get() != root_instruction_) roots.push_back(instruction.get());
  }
  roots.push_back(root_instruction_);
  DepthFirstSearch<HloInstructionPtr> search(*visitor, {});
  for (HloInstruction* root : roots) HILO_RETURN_IF_ERROR(search.VisitFrom(root));
  return visitor->FinishVisit(root_instruction_);
}
template absl::Status HloComputation::Accept(DfsHloVisitor* visitor) const;
template absl::Status HloComputation::Accept(ConstDfsHloVisitor* visitor) const;

absl::Status HloComputation::Accept(
    absl::FunctionRef<absl::Status(HloInstruction*)> visitor_function) {
  FunctionVisitor visitor(visitor_function);
  return Accept(&visitor);
}

absl::Status HloComputation::Accept(
    absl::FunctionRef<absl::Status(const HloInstruction*)> visitor_function) const {
  ConstFunctionVisitor visitor(visitor_function);
  return Accept(&visitor);
}

template <typename HloInstructionPtr>
absl::Status HloComputation::AcceptOrdered(DfsHloVisitorBase<HloInstructionPtr>* visitor,
                                           absl::Span<HloInstruction* const> order) const {
  for (HloInstruction* instruction : order) {
    if (instruction->parent() != this) {
      return InvalidArgument("%s is not in computation %s", instruction->name(), name_);
    }
    if (visitor->DidVisit(*instruction)) {
      return InvalidArgument("%s stands twice in the order", instruction->name());
    }
    for (const HloInstruction* operand : instruction->operands()) {
      if (!visitor->DidVisit(*operand)) {
        return InvalidArgument("%s stands before its operand %s", instruction->name(),
                               operand->name());
      }
    }
    HILO_RETURN_IF_ERROR(visitor->Preprocess(instruction));
    HILO_RETURN_IF_ERROR(instruction->Visit(visitor));
    visitor->SetVisited(*instruction);
    HILO_RETURN_IF_ERROR(visitor->Postprocess(instruction));
  }
  return visitor->FinishVisit(root_instruction_);
}
template absl::Status HloComputation::AcceptOrdered(DfsHloVisitor* visitor,
                                                    absl::Span<HloInstruction* const>) const;
template absl::Status HloComputation::AcceptOrdered(ConstDfsHloVisitor* visitor,
                                                    absl::Span<HloInstruction* const>) const;

// ---- Rewriting ----

absl::StatusOr<bool> DfsHloRewriteVisitor::RunOnModule(
    HloModule* module, const absl::flat_hash_set<absl::string_view>& execution_threads) {
  bool is_changed = false;
  for (HloComputation* computation : module->MakeNonfusionComputations(execution_threads)) {
    changed_ = false;
    ResetVisitStates();
    HILO_RETURN_IF_ERROR(computation->Accept(this));
    is_changed = is_changed || changed_;
  }
  changed_ = is_changed;
  return is_changed;
}

absl::Status DfsHloRewriteVisitor::ReplaceWithNewInstruction(
    HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction) {
  MarkAsChanged();
  return old_instruction->parent()->ReplaceWithNewInstruction(old_instruction,
                                                              std::move(new_instruction));
}

absl::StatusOr<bool> DfsHloRewriteVisitor::ReplaceInstruction(HloInstruction* old_instruction,
                                                              HloInstruction* new_instruction,
                                                              bool preserve_sharding) {
  HILO_ASSIGN_OR_RETURN(const bool replaced,
                        old_instruction->parent()->ReplaceInstruction(
                            old_instruction, new_instruction, preserve_sharding));
  MarkAsMaybeChanged(replaced);
  return replaced;
}

absl::Status DfsHloRewriteVisitor::ReplaceInstruction(HloInstruction* old_instruction,
                                                      HloInstruction* new_instruction) {
  return ReplaceInstruction(old_instruction, new_instruction, /*preserve_sharding=*/false)
      .status();
}

}  // namespace xla
