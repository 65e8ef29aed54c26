// Exchanges between devices go on beside what does not need their results.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/program/passes.h"
#include "codegen/program/plan.h"
#include "codegen/program/work.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::program {

bool Touches(const Step& step, const std::vector<int>& arrays) {
  const auto has = [&](int array) { return absl::c_linear_search(arrays, array); };
  const auto assigns = [&](const Assignment& each) { return has(each.from) || has(each.to); };
  if (absl::c_any_of(step.reads, has) || absl::c_any_of(step.writes, has) ||
      absl::c_any_of(step.assignments, assigns))
    return true;
  return absl::c_any_of(step.blocks, [&](const Block& block) {
    return absl::c_any_of(block.assignments, assigns) ||
           absl::c_any_of(block.steps, [&](const Step& inner) { return Touches(inner, arrays); });
  });
}

namespace {

using Kind = Step::Kind;

// Whoever begins an exchange wakes a thread, which short ones are not worth; nor is it where little
// is done meanwhile (in bytes moved, or additions).
constexpr int64_t kLeastBytes = 1 << 16;
constexpr double kLeastWork = 1 << 20;

bool IsExchange(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

// Whether others see when the step runs: all devices exchange what they do in the same order.
bool HasOrder(const Step& step) {
  if (step.kind == Kind::kCall) {
    const HloInstruction& call = *step.instruction;
    if (call.opcode() == HloOpcode::kCustomCall || call.IsCollective() ||
        call.HasSideEffectNoRecurse())
      return true;
  }
  return absl::c_any_of(step.blocks,
                        [](const Block& block) { return absl::c_any_of(block.steps, HasOrder); });
}

class Overlapper {
 public:
  explicit Overlapper(Plan& plan) : plan_(plan) {
    for (const HloComputation* computation : plan.module->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (instruction->channel_id().has_value()) ++users_of_channel_[*instruction->channel_id()];
      }
    }
  }

  void Visit(Block& block) {
    for (size_t i = 0; i < block.steps.size(); ++i) {
      for (Block& inner : block.steps[i].blocks) Visit(inner);
      if (MayGoOn(block.steps[i])) i = Overlap(block.steps, i);
    }
  }

 private:
  // Instructions that share a channel would have to take turns.
  bool MayGoOn(const Step& step) const {
    if (step.kind != Kind::kCall || !IsExchange(*step.instruction)) return false;
    if (const auto channel = step.instruction->channel_id();
        channel.has_value() && users_of_channel_.at(*channel) > 1)
      return false;
    int64_t bytes = 0;
    for (int array : step.reads) bytes += plan_.arrays[array].bytes();
    return bytes >= kLeastBytes;
  }

  double WorkIn(const Step& step) const {
    const runtime::Work work = WorkOf(plan_, step);
    double sum = std::max<double>(work.bytes, work.additions);
    double inner = 0;
    for (const Block& block : step.blocks) {
      for (const Step& each : block.steps) inner += WorkIn(each);
    }
    return sum + inner * static_cast<double>(step.trips.value_or(1));
  }

  // Begins the exchange as early as its operands are there, and waits for it when its results are
  // needed. Gives the place behind the beginning or, where it is left alone, that of the step.
  size_t Overlap(std::vector<Step>& steps, size_t place) {
    const Step& exchange = steps[place];
    size_t begin = place, end = place + 1;
    double work = 0;
    while (begin > 0 && !Gives(steps[begin - 1], exchange.reads) && !HasOrder(steps[begin - 1]))
      work += WorkIn(steps[--begin]);
    while (end < steps.size() && !Touches(steps[end], exchange.writes) &&
           !Updates(steps[end], exchange.reads))
      work += WorkIn(steps[end++]);
    if (work < kLeastWork) return place;
    Step awaited = {Kind::kAwait, exchange.instruction};
    awaited.reads = exchange.reads;
    awaited.reads.insert(awaited.reads.end(), exchange.writes.begin(), exchange.writes.end());
    steps[place].beside = awaited.beside = count_++;
    steps.insert(steps.begin() + static_cast<int64_t>(end), std::move(awaited));
    std::rotate(steps.begin() + static_cast<int64_t>(begin),
                steps.begin() + static_cast<int64_t>(place),
                steps.begin() + static_cast<int64_t>(place) + 1);
    return place;
  }

  // Whether one of the arrays is to be overwritten with what becomes of it.
  static bool Updates(const Step& step, const std::vector<int>& arrays) {
    return absl::c_any_of(step.assignments, [&](const Assignment& each) {
      return absl::c_linear_search(arrays, each.from);
    });
  }

  // Whether one of the arrays is there behind the step, but not before it.
  static bool Gives(const Step& step, const std::vector<int>& arrays) {
    if (step.kind == Kind::kAwait) return Touches(step, arrays);
    const auto has = [&](int array) { return absl::c_linear_search(arrays, array); };
    return absl::c_any_of(step.writes, has) || absl::c_any_of(step.blocks, [&](const Block& block) {
             return absl::c_any_of(block.steps,
                                   [&](const Step& inner) { return Gives(inner, arrays); });
           });
  }

  Plan& plan_;
  std::map<int64_t, int> users_of_channel_;
  int64_t count_ = 0;
};

}  // namespace

absl::Status OverlapCollectives(Plan& plan) {
  Overlapper(plan).Visit(plan.entry);
  return absl::OkStatus();
}

}  // namespace xla::program
