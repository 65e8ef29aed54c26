#include "cpu/plan/fusion_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"

namespace xla::cpu {
namespace {

// What more need may be needed all over the computation, and so may what is made of one number.
constexpr int64_t kMostUsers = 4;
constexpr double kLeastWork = 3;

class Orderer {
 public:
  explicit Orderer(const HloComputation& computation)
      : instructions_(computation.MakeInstructionPostOrder()), nodes_(instructions_.size()) {
    constexpr double kMostWork = 1e300;
    for (size_t i = 0; i < instructions_.size(); ++i) numbers_.emplace(instructions_[i], i);
    for (size_t i = 0; i < instructions_.size(); ++i) {
      for (const HloInstruction* operand : instructions_[i]->operands())
        nodes_[i].work += nodes_[numbers_.at(operand)].work;
      nodes_[i].work = std::min(nodes_[i].work, kMostWork);
    }
  }

  std::vector<HloInstruction*> Run() {
    for (size_t i = instructions_.size(); i-- > 0;) {
      waiting_.push_back(i);
      while (!waiting_.empty()) Visit(waiting_.back());
    }
    absl::c_reverse(order_);
    return std::move(order_);
  }

 private:
  struct Node {
    double work = 1;       // instructions that it needs, counted as often as they are needed
    size_t next_user = 0;  // all before this one are done
    bool is_done = false;
  };

  // Users and control successors.
  HloInstruction* User(const HloInstruction& instruction, size_t i) const {
    const size_t users = instruction.users().size();
    if (i < users) return instruction.users()[i];
    const auto& successors = instruction.control_successors();
    return i - users < successors.size() ? successors[i - users] : nullptr;
  }

  // The first of its users that is not done.
  std::optional<size_t> NextUser(size_t i) {
    Node& node = nodes_[i];
    while (const HloInstruction* user = User(*instructions_[i], node.next_user)) {
      const size_t number = numbers_.at(user);
      if (!nodes_[number].is_done) return number;
      ++node.next_user;
    }
    return std::nullopt;
  }

  // The last one waiting: another user comes first or, where all are done, it is done and its
  // operands wait.
  void Visit(size_t i) {
    Node& node = nodes_[i];
    HloInstruction* const instruction = instructions_[i];
    if (node.is_done) return waiting_.pop_back();
    if (const std::optional<size_t> user = NextUser(i)) return waiting_.push_back(*user);
    node.is_done = true;
    order_.push_back(instruction);
    waiting_.pop_back();
    const size_t first = waiting_.size();
    for (const HloInstruction* operand : instruction->operands()) {
      const size_t number = numbers_.at(operand);
      const bool is_shared_nearby =
          operand->user_count() <= kMostUsers && nodes_[number].work >= kLeastWork;
      if (is_shared_nearby || !NextUser(number).has_value()) waiting_.push_back(number);
    }
    std::stable_sort(waiting_.begin() + static_cast<ptrdiff_t>(first), waiting_.end(),
                     [this](size_t a, size_t b) { return nodes_[a].work > nodes_[b].work; });
  }

  const std::vector<HloInstruction*> instructions_;
  absl::flat_hash_map<const HloInstruction*, size_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<size_t> waiting_;
  std::vector<HloInstruction*> order_;
};

}  // namespace

std::vector<HloInstruction*> OrderOfFewNeeded(const HloComputation& computation) {
  return Orderer(computation).Run();
}

}  // namespace xla::cpu
