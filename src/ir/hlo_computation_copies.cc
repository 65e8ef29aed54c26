// Copies of computations, and when two are equal.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "xla/hlo/ir/hlo_clone_context.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {

std::unique_ptr<HloComputation> HloComputation::Clone(const std::string& suffix,
                                                      HloCloneContext* context) const {
  return CloneWithReplacements(nullptr, {}, context, suffix);
}

namespace {

// Makes the copies of a computation in which some instructions are replaced.
class Copier {
 public:
  Copier(const HloComputation::Replacements* replacements, HloCloneContext& context)
      : replacements_(replacements), context_(context) {}

  // What stands in place of the instruction, null for nothing.
  const HloInstruction* Replaced(const HloInstruction* instruction) const {
    if (replacements_ == nullptr) return instruction;
    const auto found = replacements_->find(instruction);
    return found == replacements_->end() ? instruction : found->second.get();
  }

  HloInstruction* CopyOf(const HloInstruction* instruction) const {
    return copies_.at(Replaced(instruction));
  }

  // Copies the instruction and before it all that it needs.
  void Copy(const HloInstruction* instruction) {
    std::vector<const HloInstruction*> stack = {instruction};
    while (!stack.empty()) {
      const HloInstruction* top = stack.back();
      if (copies_.contains(top)) {
        stack.pop_back();
      } else if (is_open_.insert(top).second) {
        for (const HloInstruction* operand : top->operands()) {
          CHECK(Replaced(operand) != nullptr) << operand->name() << " is used by " << top->name();
          stack.push_back(Replaced(operand));
        }
        for (const HloInstruction* before : top->control_predecessors()) {
          if (Replaced(before) != nullptr) stack.push_back(Replaced(before));
        }
      } else {
        CopyNow(*top);
        stack.pop_back();
      }
    }
  }

  std::vector<std::unique_ptr<HloInstruction>> Take(
      absl::Span<const HloInstruction* const> order) {
    std::vector<std::unique_ptr<HloInstruction>> taken;
    for (const HloInstruction* original : order) {
      const auto found = owned_.find(original);
      if (found == owned_.end()) continue;
      taken.push_back(std::move(found->second));
      owned_.erase(found);
    }
    // What replacements brought along: wherever it is, users follow by their edges.
    for (const HloInstruction* original : made_) {
      const auto found = owned_.find(original);
      if (found != owned_.end()) taken.push_back(std::move(found->second));
    }
    return taken;
  }

 private:
  void CopyNow(const HloInstruction& original) {
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : original.operands()) operands.push_back(CopyOf(operand));
    auto copy = original.CloneWithNewOperands(original.shape(), operands, &context_);
    copy->SetUniqueId(original.local_id());
    for (const HloInstruction* before : original.control_predecessors()) {
      if (Replaced(before) == nullptr) continue;
      CHECK_OK(CopyOf(before)->AddControlDependencyTo(copy.get()));
    }
    copies_[&original] = copy.get();
    owned_[&original] = std::move(copy);
    made_.push_back(&original);
  }

  const HloComputation::Replacements* replacements_;
  HloCloneContext& context_;
  absl::flat_hash_set<const HloInstruction*> is_open_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies_;
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<HloInstruction>> owned_;
  std::vector<const HloInstruction*> made_;
};

}  // namespace

std::unique_ptr<HloComputation> HloComputation::CloneWithReplacements(
    const Replacements* replacements, absl::Span<const HloInstruction* const> extra_parameters,
    HloCloneContext* context, const std::string& suffix, const HloInstruction* new_root) const {
  HloCloneContext local;
  HloCloneContext& clones = context == nullptr ? local : *context;
  Copier copier(replacements, clones);
  // The order in which instructions were added, as post order depends on it.
  std::vector<const HloInstruction*> order(extra_parameters.begin(), extra_parameters.end());
  for (const auto& instruction : instructions_) {
    const HloInstruction* replaced = copier.Replaced(instruction.get());
    if (replaced != nullptr) order.push_back(replaced);
  }
  for (const HloInstruction* instruction : order) copier.Copy(instruction);
  HloInstruction* root = copier.CopyOf(new_root == nullptr ? root_instruction_ : new_root);
  auto clone = std::unique_ptr<HloComputation>(
      new HloComputation(suffix.empty() ? name_ : absl::StrCat(name_, ".", suffix),
                         copier.Take(order), root));
  clone->execution_thread_ = execution_thread_;
  clone->is_fusion_ = is_fusion_;
  clones.MapComputation(this, clone.get());
  return clone;
}

std::unique_ptr<HloComputation> HloComputation::CloneWithReplacementPairs(
    Replacement r1, HloCloneContext* context, const std::string& suffix) const {
  Replacements replacements;
  replacements.insert(std::move(r1));
  return CloneWithReplacements(&replacements, {}, context, suffix);
}

std::unique_ptr<HloComputation> HloComputation::CloneWithReplacementPairs(
    Replacement r1, Replacement r2, HloCloneContext* context, const std::string& suffix) const {
  Replacements replacements;
  replacements.insert(std::move(r1));
  replacements.insert(std::move(r2));
  return CloneWithReplacements(&replacements, {}, context, suffix);
}

std::unique_ptr<HloComputation> HloComputation::CloneWithReplacementPairs(
    Replacement r1, Replacement r2, Replacement r3, HloCloneContext* context,
    const std::string& suffix) const {
  Replacements replacements;
  replacements.insert(std::move(r1));
  replacements.insert(std::move(r2));
  replacements.insert(std::move(r3));
  return CloneWithReplacements(&replacements, {}, context, suffix);
}

// ---- Equality ----

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
                      bool is_layout_sensitive, bool with_channel_ids,
                      std::vector<ComputationPair>* callees) {
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
        !SameAttributes(a, b, with_channel_ids) ||
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

bool StructurallyEqual(const HloComputation& computation, const HloComputation& other,
                       bool is_layout_sensitive, bool with_channel_ids) {
  std::vector<ComputationPair> waiting = {{&computation, &other}};
  EqualityGroups groups;
  while (!waiting.empty()) {
    const auto [a, b] = waiting.back();
    waiting.pop_back();
    if (groups.Unite(a, b) &&
        !EqualUpToCallees(*a, *b, is_layout_sensitive, with_channel_ids, &waiting)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool HloComputation::Equal(const HloComputation& other, bool is_layout_sensitive) const {
  return StructurallyEqual(*this, other, is_layout_sensitive, /*with_channel_ids=*/true);
}

bool HloComputation::EqualIgnoringChannelIdValues(const HloComputation& other,
                                                  bool is_layout_sensitive) const {
  return StructurallyEqual(*this, other, is_layout_sensitive, /*with_channel_ids=*/false);
}

bool HloComputation::Equal(
    const HloComputation& other, bool is_layout_sensitive,
    std::optional<absl::FunctionRef<bool(const HloComputation*, const HloComputation*)>>
        computations_comparator) const {
  if (!computations_comparator.has_value()) return Equal(other, is_layout_sensitive);
  std::vector<ComputationPair> callees;
  return EqualUpToCallees(*this, other, is_layout_sensitive, /*with_channel_ids=*/true, &callees) &&
         absl::c_all_of(callees, [&](const ComputationPair& pair) {
           return (*computations_comparator)(pair.first, pair.second);
         });
}

}  // namespace xla
