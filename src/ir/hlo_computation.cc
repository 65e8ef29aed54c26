#include "xla/hlo/ir/hlo_computation.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "ir/instruction_printer.h"
#include "ir/name_uniquer.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {

HloInstruction* HloComputation::Builder::AddInstruction(
    std::unique_ptr<HloInstruction> instruction) {
  instructions_.push_back(std::move(instruction));
  return instructions_.back().get();
}

HloInstruction* HloComputation::Builder::AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                                        std::optional<absl::string_view> new_name) {
  if (new_name.has_value()) instruction->SetAndSanitizeName(*new_name);
  return AddInstruction(std::move(instruction));
}

absl::StatusOr<HloInstruction*> HloComputation::Builder::AddParameter(
    std::unique_ptr<HloInstruction> parameter) {
  const int64_t next = absl::c_count_if(instructions_, [](const auto& each) {
    return each->opcode() == HloOpcode::kParameter;
  });
  if (parameter->opcode() != HloOpcode::kParameter || parameter->parameter_number() != next) {
    return InvalidArgument("%s is not parameter %d", parameter->name(), next);
  }
  return AddInstruction(std::move(parameter));
}

absl::Status HloComputation::Builder::ForEachInstruction(
    absl::FunctionRef<absl::Status(const HloInstruction*)> visitor) const {
  for (const auto& instruction : instructions_) HILO_RETURN_IF_ERROR(visitor(instruction.get()));
  return absl::OkStatus();
}

std::unique_ptr<HloComputation> HloComputation::Builder::Build(HloInstruction* root_instruction) {
  NameUniquer names;
  for (auto& instruction : instructions_) {
    instruction->set_name(names.GetUniqueName(instruction->name()));
  }
  absl::StatusOr<std::unique_ptr<HloComputation>> computation =
      Create(name_, std::move(instructions_), root_instruction);
  CHECK_OK(computation.status());
  instructions_.clear();
  return *std::move(computation);
}

absl::StatusOr<std::unique_ptr<HloComputation>> HloComputation::Create(
    absl::string_view name, std::vector<std::unique_ptr<HloInstruction>> instructions,
    HloInstruction* root) {
  if (instructions.empty()) return InvalidArgument("computation %s has no instructions", name);
  const int64_t parameter_count =
      absl::c_count_if(instructions, [](const std::unique_ptr<HloInstruction>& instruction) {
        return instruction->opcode() == HloOpcode::kParameter;
      });
  std::vector<bool> seen(parameter_count, false);
  for (const auto& instruction : instructions) {
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    const int64_t number = instruction->parameter_number();
    if (number < 0 || number >= parameter_count) {
      return InvalidArgument("computation %s: parameter %s has number %d, but there are %d parameters",
                             name, instruction->name(), number, parameter_count);
    }
    if (seen[number]) {
      return InvalidArgument("computation %s: two parameters have number %d", name, number);
    }
    seen[number] = true;
  }
  if (root == nullptr) root = instructions.back().get();
  return std::unique_ptr<HloComputation>(new HloComputation(name, std::move(instructions), root));
}

HloComputation::HloComputation(absl::string_view name,
                               std::vector<std::unique_ptr<HloInstruction>> instructions,
                               HloInstruction* root)
    : name_(name), root_instruction_(root) {
  instructions_.reserve(instructions.size());
  for (auto& instruction : instructions) AdoptInstruction(std::move(instruction));
}

bool HloComputationPtrComparator::operator()(const HloComputation* lhs,
                                             const HloComputation* rhs) const {
  if (lhs == nullptr || rhs == nullptr) return lhs == nullptr && rhs != nullptr;
  const auto module_id = [](const HloComputation* computation) {
    return computation->parent() == nullptr ? -1 : computation->parent()->unique_id();
  };
  return std::make_pair(module_id(lhs), lhs->unique_id()) <
         std::make_pair(module_id(rhs), rhs->unique_id());
}

HloComputation::~HloComputation() {
  // All that lies within the computation dies together: looking up each edge by itself would take
  // quadratic time.
  const auto is_inside = [this](const HloInstruction* neighbour) {
    return neighbour == nullptr || neighbour->parent() == this;
  };
  for (const auto& instruction : instructions_) {
    auto& operands = instruction->operands_;
    operands.erase(std::remove_if(operands.begin(), operands.end(), is_inside), operands.end());
    std::erase_if(instruction->users_, is_inside);
    std::erase_if(instruction->control_predecessors_, is_inside);
    std::erase_if(instruction->control_successors_, is_inside);
  }
}

HloInstruction* HloComputation::AdoptInstruction(std::unique_ptr<HloInstruction> instruction) {
  HloInstruction* added = instruction.get();
  added->set_parent(this);
  if (added->local_id() < 0) {
    added->SetUniqueId(next_instruction_id_++);
  } else {
    next_instruction_id_ = std::max(next_instruction_id_, int64_t{added->local_id()} + 1);
  }
  if (added->opcode() == HloOpcode::kParameter) {
    const size_t number = static_cast<size_t>(added->parameter_number());
    if (parameters_.size() <= number) parameters_.resize(number + 1);
    parameters_[number] = added;
  }
  instructions_.push_back(std::move(instruction));
  return added;
}

NameUniquer& HloComputation::names() {
  if (names_ == nullptr) {
    names_ = std::make_unique<NameUniquer>();
    for (const auto& instruction : instructions_) names_->GetUniqueName(instruction->name());
  }
  return *names_;
}

void HloComputation::SetAndSanitizeName(absl::string_view name) { name_ = SanitizeName(name); }

HloInstruction* HloComputation::AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                               absl::string_view new_name) {
  CHECK(instruction->opcode() != HloOpcode::kParameter) << "use AddParameter";
  if (!new_name.empty()) instruction->SetAndSanitizeName(new_name);
  instruction->set_name(names().GetUniqueName(instruction->name()));
  instruction->SetUniqueId(-1);
  return AdoptInstruction(std::move(instruction));
}

HloInstruction* HloComputation::AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                               const OpMetadata* metadata) {
  return AddInstruction(std::move(instruction), metadata, nullptr);
}

HloInstruction* HloComputation::AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                               const OpMetadata* metadata,
                                               const FrontendAttributes* frontend_attributes) {
  if (metadata != nullptr) instruction->set_metadata(*metadata);
  if (frontend_attributes != nullptr) instruction->set_frontend_attributes(*frontend_attributes);
  return AddInstruction(std::move(instruction));
}

HloInstruction* HloComputation::AddParameter(std::unique_ptr<HloInstruction> parameter) {
  CHECK(parameter->opcode() == HloOpcode::kParameter);
  CHECK_EQ(parameter->parameter_number(), num_parameters());
  parameter->set_name(names().GetUniqueName(parameter->name()));
  parameter->SetUniqueId(-1);
  return AdoptInstruction(std::move(parameter));
}

absl::Status HloComputation::RemoveInstruction(HloInstruction* instruction) {
  if (instruction->opcode() == HloOpcode::kParameter) {
    return FailedPrecondition("parameter %s cannot be removed", instruction->name());
  }
  if (instruction->user_count() != 0) {
    return FailedPrecondition("%s has users and cannot be removed", instruction->name());
  }
  return ForceRemoveInstruction(instruction);
}

absl::Status HloComputation::ForceRemoveInstruction(HloInstruction* instruction) {
  if (instruction == root_instruction_) {
    return FailedPrecondition("the root %s cannot be removed", instruction->name());
  }
  if (instruction->parent() != this) {
    return NotFound("%s is not in computation %s", instruction->name(), name_);
  }
  AbandonInstruction(instruction);
  return absl::OkStatus();
}

void HloComputation::AbandonInstruction(HloInstruction* instruction) {
  // What was made last is often the first to go.
  const auto found =
      std::find_if(instructions_.rbegin(), instructions_.rend(),
                   [&](const auto& candidate) { return candidate.get() == instruction; });
  CHECK(found != instructions_.rend()) << instruction->name();
  instruction->CutOff();
  instruction->set_parent(nullptr);
  instruction->MarkAsDead();
  removed_.push_back(std::move(*found));
  instructions_.erase(std::next(found).base());
}

void HloComputation::RemoveInstructionsIf(
    absl::FunctionRef<bool(const HloInstruction*)> is_removed) {
  const auto kept = std::stable_partition(
      instructions_.begin(), instructions_.end(),
      [&](const auto& instruction) { return !is_removed(instruction.get()); });
  absl::flat_hash_set<const HloInstruction*> removed;
  absl::flat_hash_set<HloInstruction*> shortened;  // with users among the removed
  for (auto each = kept; each != instructions_.end(); ++each) {
    HloInstruction& instruction = **each;
    removed.insert(&instruction);
    CHECK(&instruction != root_instruction_) << instruction.name();
    shortened.insert(instruction.operands_.begin(), instruction.operands_.end());
    instruction.operands_.clear();
    instruction.CutControlEdges();
    instruction.set_parent(nullptr);
    instruction.MarkAsDead();
  }
  for (HloInstruction* operand : shortened) {
    if (operand == nullptr) continue;
    std::erase_if(operand->users_,
                  [&](const HloInstruction* user) { return removed.contains(user); });
  }
  removed_.insert(removed_.end(), std::make_move_iterator(kept),
                  std::make_move_iterator(instructions_.end()));
  instructions_.erase(kept, instructions_.end());
}

bool HloComputation::IsSafelyRemovable(const HloInstruction* instruction,
                                       bool ignore_control_dependency) const {
  if (!ignore_control_dependency && instruction->HasControlDependencies()) return false;
  return instruction->opcode() != HloOpcode::kParameter || IsFusionComputation();
}

absl::Status HloComputation::RemoveInstructionAndUnusedOperands(
    HloInstruction* instruction, std::optional<absl::FunctionRef<void(HloInstruction*)>> cleanup,
    bool ignore_control_dependencies) {
  std::vector<HloInstruction*> worklist = {instruction};
  absl::flat_hash_set<HloInstruction*> removed;
  while (!worklist.empty()) {
    HloInstruction* item = worklist.back();
    worklist.pop_back();
    const bool is_first = item == instruction;
    if (item == nullptr || removed.contains(item) || item->user_count() != 0 ||
        item == root_instruction_ || item->opcode() == HloOpcode::kParameter ||
        (!is_first && item->HasSideEffect()) ||
        (!is_first && !IsSafelyRemovable(item, ignore_control_dependencies))) {
      continue;
    }
    if (ignore_control_dependencies) HILO_RETURN_IF_ERROR(item->SafelyDropAllControlDependencies());
    const HloInstruction::InstructionVector operands = item->operands();
    if (cleanup.has_value()) (*cleanup)(item);
    HILO_RETURN_IF_ERROR(RemoveInstruction(item));
    removed.insert(item);
    worklist.insert(worklist.end(), operands.begin(), operands.end());
  }
  return absl::OkStatus();
}

void HloComputation::set_root_instruction(HloInstruction* root, bool accept_different_shape) {
  CHECK(accept_different_shape || root_instruction_ == nullptr ||
        ShapeUtil::Compatible(root->shape(), root_instruction_->shape()))
      << root->shape().ToString() << " against " << root_instruction_->shape().ToString();
  root_instruction_ = root;
}

HloInstruction* HloComputation::parameter_instruction(int64_t number) const {
  return parameters_.at(number);
}

HloInstruction* HloComputation::GetInstructionWithName(absl::string_view name) const {
  for (const auto& instruction : instructions_) {
    if (instruction->name() == name) return instruction.get();
  }
  return nullptr;
}

namespace {

class PostOrder {
 public:
  explicit PostOrder(int64_t expected_count) { seen_.reserve(expected_count); }

  // Appends what is needed for `start` and is not there yet, then `start`.
  void Append(HloInstruction* start, std::vector<HloInstruction*>* order) {
    std::vector<Visit> stack = {{start}};
    while (!stack.empty()) {
      HloInstruction* const current = stack.back().instruction;
      if (stack.back().is_open) {
        order->push_back(current);
        stack.pop_back();
        continue;
      }
      if (!seen_.insert(current).second) {
        stack.pop_back();
        continue;
      }
      stack.back().is_open = true;
      // Last pushed is first visited: control predecessors, then operands from the first on.
      const auto& operands = current->operands();
      for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand)
        stack.push_back({*operand});
      for (HloInstruction* before : current->control_predecessors()) stack.push_back({before});
    }
  }

 private:
  struct Visit {
    HloInstruction* instruction;
    bool is_open = false;  // what it needs is on the stack above it, or done
  };
  absl::flat_hash_set<const HloInstruction*> seen_;
};

}  // namespace

std::vector<HloInstruction*> HloComputation::MakeInstructionPostOrder() const {
  std::vector<HloInstruction*> order;
  order.reserve(instructions_.size());
  PostOrder search(instruction_count());
  for (const auto& start : instructions_) {
    if (start->user_count() == 0) search.Append(start.get(), &order);
  }
  return order;
}

std::vector<HloInstruction*> HloComputation::MakeInstructionPostOrderWithReshapeFirst() const {
  // From the last to the first: what is left for the end of this stands at the start.
  absl::flat_hash_map<const HloInstruction*, int64_t> waiting;  // for users and control successors
  std::vector<HloInstruction*> ready, ready_reshapes, order;
  const auto add = [&](HloInstruction* instruction) {
    (instruction->opcode() == HloOpcode::kReshape ? ready_reshapes : ready).push_back(instruction);
  };
  const std::vector<HloInstruction*> plain = MakeInstructionPostOrder();
  for (HloInstruction* instruction : plain) {
    waiting[instruction] = instruction->user_count() +
                           static_cast<int64_t>(instruction->control_successors().size());
    if (waiting[instruction] == 0) add(instruction);
  }
  while (!ready.empty() || !ready_reshapes.empty()) {
    std::vector<HloInstruction*>& from = ready.empty() ? ready_reshapes : ready;
    HloInstruction* const instruction = from.back();
    from.pop_back();
    order.push_back(instruction);
    for (HloInstruction* operand : instruction->unique_operands()) {
      if (--waiting[operand] == 0) add(operand);
    }
    for (HloInstruction* before : instruction->control_predecessors()) {
      if (--waiting[before] == 0) add(before);
    }
  }
  absl::c_reverse(order);
  return order;
}

std::vector<HloInstruction*> HloComputation::MakeInstructionPostOrderFrom(
    HloInstruction& instruction) const {
  std::vector<HloInstruction*> order;
  PostOrder(instruction_count()).Append(&instruction, &order);
  return order;
}

void HloComputation::ForEachInstructionPostOrder(
    absl::FunctionRef<void(HloInstruction*)> function) const {
  for (HloInstruction* instruction : MakeInstructionPostOrder()) function(instruction);
}

namespace {

// The instructions of a computation that call others, in the order of the text: the one thing that printing and reading
// back does not change.
std::vector<const HloInstruction*> Callers(const HloComputation& computation) {
  std::vector<const HloInstruction*> callers;
  for (const HloInstruction* instruction : computation.instructions()) {
    if (!instruction->called_computations().empty()) callers.push_back(instruction);
  }
  if (callers.size() < 2) return callers;
  callers.clear();
  for (const HloInstruction* instruction : PrintOrder(computation)) {
    if (!instruction->called_computations().empty()) callers.push_back(instruction);
  }
  return callers;
}

}  // namespace

void AppendEmbeddedComputations(const HloComputation& computation,
                                absl::flat_hash_set<const HloComputation*>* seen,
                                std::vector<HloComputation*>* order) {
  struct Frame {
    HloComputation* computation;
    bool is_open = false;
    std::vector<const HloInstruction*> callers = {};
    size_t next_caller = 0;
  };
  std::vector<Frame> stack;
  // The first one ends up on top. One that is called again before its turn has come is pushed again.
  const auto push_callees = [&](const HloInstruction& caller) {
    const auto& callees = caller.called_computations();
    for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee) {
      if (!seen->contains(*callee)) stack.push_back({*callee});
    }
  };
  for (const HloInstruction* start : Callers(computation)) {
    push_callees(*start);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (!top.is_open && !seen->insert(top.computation).second) {
        stack.pop_back();
      } else if (!top.is_open) {
        top.is_open = true;
        top.callers = Callers(*top.computation);
      } else if (top.next_caller == top.callers.size()) {
        order->push_back(top.computation);
        stack.pop_back();
      } else {
        push_callees(*top.callers[top.next_caller++]);
      }
    }
  }
}

std::vector<HloComputation*> HloComputation::MakeEmbeddedComputationsList() const {
  absl::flat_hash_set<const HloComputation*> seen;
  std::vector<HloComputation*> order;
  AppendEmbeddedComputations(*this, &seen, &order);
  return order;
}

ProgramShape HloComputation::ComputeProgramShape(bool include_ids) const {
  ProgramShape shape;
  for (const HloInstruction* parameter : parameters_) {
    shape.AddParameter(parameter->shape(), include_ids ? std::string(parameter->name()) : "");
  }
  *shape.mutable_result() = root_instruction_->shape();
  return shape;
}

bool HloComputation::IsEntryComputation() const {
  return parent_ != nullptr && parent_->entry_computation() == this;
}

bool HloComputation::HasSideEffect() const { return SideEffects().Has(*this); }

}  // namespace xla
