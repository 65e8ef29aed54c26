#include "xla/hlo/ir/hlo_computation.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/clone_context.h"
#include "ir/graph.h"
#include "ir/instruction_printer.h"
#include "ir/name_uniquer.h"
#include "ir/records.h"
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
  if (added->unique_id() < 0) {
    added->SetUniqueId(next_instruction_id_++);
  } else {
    next_instruction_id_ = std::max(next_instruction_id_, added->unique_id() + 1);
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
  if (instruction == root_instruction_) {
    return FailedPrecondition("the root %s cannot be removed", instruction->name());
  }
  if (instruction->user_count() != 0) {
    return FailedPrecondition("%s has users and cannot be removed", instruction->name());
  }
  if (instruction->opcode() == HloOpcode::kParameter) {
    return FailedPrecondition("parameter %s cannot be removed", instruction->name());
  }
  const auto found = absl::c_find_if(
      instructions_, [&](const auto& candidate) { return candidate.get() == instruction; });
  if (found == instructions_.end()) {
    return NotFound("%s is not in computation %s", instruction->name(), name_);
  }
  instruction->DetachFromOperandsAndUsers();
  instructions_.erase(found);
  return absl::OkStatus();
}

absl::Status HloComputation::RemoveInstructionAndUnusedOperands(HloInstruction* instruction) {
  std::vector<HloInstruction*> worklist = {instruction};
  absl::flat_hash_set<HloInstruction*> removed;
  while (!worklist.empty()) {
    HloInstruction* item = worklist.back();
    worklist.pop_back();
    if (removed.contains(item) || item->user_count() != 0 || item == root_instruction_ ||
        item->opcode() == HloOpcode::kParameter ||
        (item != instruction && item->HasSideEffect())) {
      continue;
    }
    const HloInstruction::InstructionVector operands = item->operands();
    HILO_RETURN_IF_ERROR(RemoveInstruction(item));
    removed.insert(item);
    worklist.insert(worklist.end(), operands.begin(), operands.end());
  }
  return absl::OkStatus();
}

absl::Status HloComputation::ReplaceInstruction(HloInstruction* old_instruction,
                                                HloInstruction* new_instruction) {
  HILO_RETURN_IF_ERROR(old_instruction->ReplaceAllUsesWith(new_instruction));
  return RemoveInstructionAndUnusedOperands(old_instruction);
}

absl::Status HloComputation::ReplaceWithNewInstruction(
    HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction) {
  old_instruction->SetupDerivedInstruction(new_instruction.get());
  return ReplaceInstruction(old_instruction, AddInstruction(std::move(new_instruction)));
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

std::vector<HloInstruction*> HloComputation::MakeInstructionPostOrder() const {
  enum class State : uint8_t { kNew, kOpen, kDone };
  absl::flat_hash_map<const HloInstruction*, State> states;
  states.reserve(instructions_.size());
  std::vector<HloInstruction*> order;
  order.reserve(instructions_.size());
  std::vector<HloInstruction*> stack;
  for (const auto& start : instructions_) {
    if (start->user_count() != 0) continue;
    stack.push_back(start.get());
    while (!stack.empty()) {
      HloInstruction* current = stack.back();
      State& state = states[current];
      if (state != State::kNew) {
        stack.pop_back();
        if (state == State::kOpen) order.push_back(current);
        state = State::kDone;
        continue;
      }
      state = State::kOpen;
      // Last pushed is first visited: control predecessors, then operands from the first to the last.
      const auto& operands = current->operands();
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
      const auto& before = current->control_predecessors();
      stack.insert(stack.end(), before.begin(), before.end());
    }
  }
  return order;
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

std::unique_ptr<HloComputation> HloComputation::Clone(const std::string& suffix,
                                                      HloCloneContext* context) const {
  HloCloneContext local;
  HloCloneContext& clones = context == nullptr ? local : *context;
  std::vector<std::unique_ptr<HloInstruction>> instructions;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> by_old;
  const std::vector<HloInstruction*> order = MakeInstructionPostOrder();
  for (const HloInstruction* old : order) {
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : old->operands()) operands.push_back(by_old.at(operand));
    auto clone = old->CloneWithNewOperands(old->shape(), operands, &clones);
    clone->SetUniqueId(old->unique_id());
    for (const HloInstruction* before : old->control_predecessors()) {
      clone->control_predecessors_.push_back(by_old.at(before));
      by_old.at(before)->control_successors_.push_back(clone.get());
    }
    by_old[old] = clone.get();
    instructions.push_back(std::move(clone));
  }
  // Keep the order in which instructions were added: post order depends on it.
  absl::flat_hash_map<const HloInstruction*, size_t> position;
  for (const auto& old : instructions_) position[by_old.at(old.get())] = position.size();
  absl::c_sort(instructions, [&](const auto& a, const auto& b) {
    return position.at(a.get()) < position.at(b.get());
  });
  auto clone = std::unique_ptr<HloComputation>(
      new HloComputation(suffix.empty() ? name_ : absl::StrCat(name_, ".", suffix),
                         std::move(instructions), by_old.at(root_instruction_)));
  clone->execution_thread_ = execution_thread_;
  clone->is_fusion_ = is_fusion_;
  clones.MapComputation(this, clone.get());
  return clone;
}

namespace {

using ComputationPair = std::pair<const HloComputation*, const HloComputation*>;

// Computations that are equal if all that is still to be compared is equal, in groups. Each links to another of its
// group or, if it stands for the group, to none.
class EqualityGroups {
 public:
  // False if the two are in one group already.
  bool Unite(const HloComputation* a, const HloComputation* b) {
    a = Representative(a);
    b = Representative(b);
    if (a == b) return false;
    links_[a] = b;
    return true;
  }

 private:
  const HloComputation* Representative(const HloComputation* computation) {
    auto link = links_.find(computation);
    while (link != links_.end()) {
      const auto next = links_.find(link->second);
      if (next == links_.end()) return link->second;
      link->second = next->second;  // halves the way for the next time
      link = next;
    }
    return computation;
  }

  absl::flat_hash_map<const HloComputation*, const HloComputation*> links_;
};

// Compares all but the called computations, which are added to `callees`.
bool EqualUpToCallees(const HloComputation& computation, const HloComputation& other,
                      bool is_layout_sensitive, std::vector<ComputationPair>* callees) {
  const auto shapes_equal = [&](const Shape& a, const Shape& b) {
    return Shape::Equal().IgnoreLayout(!is_layout_sensitive)(a, b);
  };
  const std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
  const std::vector<HloInstruction*> other_order = other.MakeInstructionPostOrder();
  if (order.size() != other_order.size()) return false;
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> counterpart;
  for (size_t i = 0; i < order.size(); ++i) {
    const HloInstruction& a = *order[i];
    const HloInstruction& b = *other_order[i];
    if (a.opcode() != b.opcode() || !shapes_equal(a.shape(), b.shape()) ||
        a.operand_count() != b.operand_count() ||
        a.called_computations().size() != b.called_computations().size() ||
        !AttributesEqual(a.attributes(), b.attributes()) ||
        a.raw_backend_config_string() != b.raw_backend_config_string()) {
      return false;
    }
    for (int64_t operand = 0; operand < a.operand_count(); ++operand) {
      if (counterpart.at(a.operand(operand)) != b.operand(operand)) return false;
    }
    for (size_t callee = 0; callee < a.called_computations().size(); ++callee) {
      callees->push_back({a.called_computations()[callee], b.called_computations()[callee]});
    }
    counterpart[&a] = &b;
  }
  return counterpart.at(computation.root_instruction()) == other.root_instruction();
}

}  // namespace

bool HloComputation::Equal(const HloComputation& other, bool is_layout_sensitive) const {
  std::vector<ComputationPair> waiting = {{this, &other}};
  EqualityGroups groups;
  while (!waiting.empty()) {
    const auto [a, b] = waiting.back();
    waiting.pop_back();
    if (groups.Unite(a, b) && !EqualUpToCallees(*a, *b, is_layout_sensitive, &waiting)) return false;
  }
  return true;
}

}  // namespace xla
