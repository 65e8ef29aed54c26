#include "cpu/plan/allocate_loop_outputs.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "codegen/program/register_form.h"
#include "eval/known_calls.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {
namespace {

using passes::CountedIndex;
using passes::Counter;
using passes::Loop;

// The elements of a loop's state that its steps do nothing with but update them.
class Outputs {
 public:
  explicit Outputs(const Loop& loop) : loop_(loop), elements_(loop.size()) {
    for (const HloComputation* computation : {&loop.body(), &loop.condition()}) {
      for (const HloInstruction* user : computation->parameter_instruction(0)->users())
        ++elements_[user->tuple_index()];
    }
    for (int64_t i = 0; i < loop.size(); ++i) ++next_[loop.next(i)];
  }

  // The updates that make the next value of element i of its last one, if that is all that a step
  // does with them.
  std::vector<const HloInstruction*> UpdatesOf(int64_t i) const {
    std::vector<const HloInstruction*> updates;
    const HloInstruction* value = loop_.next(i);
    bool is_read_once = next_.at(value) == 1 && value->user_count() == 1;
    while (value->opcode() == HloOpcode::kDynamicUpdateSlice && is_read_once) {
      updates.push_back(value);
      is_read_once = value->operand(0) != value->operand(1);
      value = value->operand(0);
      is_read_once = is_read_once && value->user_count() == 1;
    }
    const bool is_only_element = loop_.ElementNumber(*value) == i && elements_[i] == 1;
    if (!is_only_element || !is_read_once) updates.clear();
    return updates;
  }

 private:
  const Loop& loop_;
  std::vector<int> elements_;  // how many instructions are each of the state
  absl::flat_hash_map<const HloInstruction*, int> next_;  // of how many each is the next value
};

// The dimension of which an update has a part, while it has all of the others; -1 if there are more
// of them, or none.
int DimensionOfPart(const HloInstruction& update) {
  const Shape &whole = update.shape(), &part = update.operand(1)->shape();
  int found = -1;
  for (int d = 0; d < whole.dimensions_size(); ++d) {
    if (part.dimensions(d) == whole.dimensions(d)) continue;
    if (found >= 0) return -1;
    found = d;
  }
  return found;
}

// Whether parts of `part` indices that begin at `starts` in a step, together with those of all
// other steps, leave out no index of `size`. Where a part would begin or end outside, it is moved.
bool LeaveOutNone(std::vector<CountedIndex> starts, const Counter& counter, int64_t part,
                  int64_t size) {
  absl::c_sort(
      starts, [](const CountedIndex& x, const CountedIndex& y) { return x.constant < y.constant; });
  const int64_t factor = starts[0].factor;
  for (size_t k = 0; k + 1 < starts.size(); ++k) {
    if (starts[k + 1].factor != factor || starts[k + 1].constant - starts[k].constant > part)
      return false;
  }
  const int64_t least = starts.front().constant, most = starts.back().constant;
  const int64_t last = counter.first + (counter.steps - 1) * counter.step;
  return std::abs(factor) * counter.step <= most - least + part &&
         std::min(factor * counter.first, factor * last) + least <= 0 &&
         std::max(factor * counter.first, factor * last) + most + part >= size;
}

bool IsOverwritten(const Loop& loop, const Counter& counter,
                   const std::vector<const HloInstruction*>& updates) {
  if (updates.empty() || updates[0]->shape().is_dynamic()) return false;
  const int d = DimensionOfPart(*updates[0]);
  if (d < 0) return false;
  const int64_t part = updates[0]->operand(1)->shape().dimensions(d);
  std::vector<CountedIndex> starts;
  for (const HloInstruction* update : updates) {
    const std::optional<CountedIndex> start =
        passes::FindCountedIndex(loop, counter, *update->operand(2 + d));
    if (DimensionOfPart(*update) != d || update->operand(1)->shape().dimensions(d) != part ||
        !start.has_value()) {
      return false;
    }
    starts.push_back(*start);
  }
  return LeaveOutNone(std::move(starts), counter, part, updates[0]->shape().dimensions(d));
}

absl::StatusOr<bool> Allocate(Loop& loop) {
  const std::optional<Counter> counter = passes::FindCounter(loop);
  if (!counter.has_value()) return false;
  HloInstruction& instruction = loop.instruction();
  HloComputation& outside = *instruction.parent();
  const Outputs outputs(loop);
  bool changed = false;
  std::vector<HloInstruction*> state;
  for (int64_t i = 0; i < loop.size(); ++i) {
    HloInstruction* initial = loop.initial(i);
    if (initial->shape().IsArray() && !program::FitsRegisters(initial->shape()) &&
        !eval::IsUninitialized(*initial) && IsOverwritten(loop, *counter, outputs.UpdatesOf(i))) {
      initial = outside.AddInstruction(
          HloInstruction::CreateCustomCall(initial->shape(), {}, eval::kUninitialized));
      changed = true;
    }
    state.push_back(initial);
  }
  if (changed) {
    HILO_RETURN_IF_ERROR(instruction.ReplaceOperandWith(
        0, outside.AddInstruction(HloInstruction::CreateTuple(state))));
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> AllocateLoopOutputs(HloModule& module) {
  return passes::RewriteLoops(module, Allocate);
}

}  // namespace xla::cpu
