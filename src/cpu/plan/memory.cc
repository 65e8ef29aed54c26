#include "cpu/plan/memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "cpu/emit/registers.h"
#include "cpu/plan/outline.h"
#include "runtime/program.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using passes::Decision;

// A stretch of the timeline, both ends included. Each instruction has two points: it reads at the
// first and writes at the second.
struct Interval {
  int64_t begin, end;
};

// Whether both live at some point other than `except`.
bool Overlap(const std::vector<Interval>& x, const std::vector<Interval>& y, int64_t except = -1) {
  for (const Interval& a : x) {
    for (const Interval& b : y) {
      const int64_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
      if (begin <= end && !(begin == except && end == except)) return true;
    }
  }
  return false;
}

void MergeOverlapping(std::vector<Interval>& lives) {
  absl::c_sort(lives, [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  size_t last = 0;
  for (size_t i = 1; i < lives.size(); ++i) {
    if (lives[i].begin <= lives[last].end) {
      lives[last].end = std::max(lives[last].end, lives[i].end);
    } else {
      lives[++last] = lives[i];
    }
  }
  lives.resize(last + 1);
}

constexpr size_t kMaxComparedGroups = 2000;

struct Preference {
  int from, to;
  int64_t handover;
};

// A concatenation whose operands are parts of its result one after the other in memory.
struct Joining {
  std::vector<int> operands;
  int result;
  int64_t time;
};

// Variables that share memory.
struct AliasSet {
  std::vector<Interval> lives;
  int64_t bytes = 0;
  bool is_fixed = false;    // a parameter or constant: not to be written
  bool is_aligned = false;  // read or written by what wants whole arrays to be
  bool has_slot = false;
  Slot slot;
  int inside = -1;     // a variable of the group in whose memory this one lies,
  int64_t offset = 0;  // so far from its beginning
};

size_t CountLeaves(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? 1 : 0;
  size_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += CountLeaves(element);
  return count;
}

// Which leaf of the tuple a get-tuple-element begins with.
size_t FirstLeaf(const HloInstruction& element) {
  const Shape& tuple = element.operand(0)->shape();
  size_t first = 0;
  for (int64_t i = 0; i < element.tuple_index(); ++i)
    first += CountLeaves(tuple.tuple_shapes(static_cast<int>(i)));
  return first;
}

// Kernels read and write elements wherever they lie.
bool WantsAlignedArrays(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFusion:
      return false;
    default:
      return !HasRegisterForm(instruction);
  }
}

// Whether the operands of a concatenation are its result one after the other.
bool JoinsInMemory(const HloInstruction& concatenate) {
  const absl::Span<const int64_t> sizes = concatenate.shape().dimensions();
  return absl::c_all_of(sizes.first(concatenate.dimensions(0)),
                        [](int64_t size) { return size == 1; });
}

}  // namespace

std::vector<Shape> ArrayLeaves(const Shape& shape) {
  std::vector<Shape> leaves;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) leaves.push_back(part);
  });
  return leaves;
}

bool IsOtherName(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReshape:
    case HloOpcode::kAddDependency:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kDomain:
    case HloOpcode::kAfterAll:
    case HloOpcode::kParameter:
      return true;
    default:
      return false;
  }
}

int64_t UpdatedOperand(const HloInstruction& instruction, int64_t leaf) {
  switch (instruction.opcode()) {
    case HloOpcode::kCholesky:
    case HloOpcode::kDynamicUpdateSlice:
      return 0;
    case HloOpcode::kTriangularSolve:
      return 1;
    case HloOpcode::kFusion: {
      const HloInstruction& root =
          *instruction.fused_instructions_computation()->root_instruction();
      const bool is_updated =
          IsUpdatedInPlace(root, leaf) && root.operand(leaf)->opcode() == HloOpcode::kParameter;
      return is_updated ? root.operand(leaf)->parameter_number() : -1;
    }
    default:
      return -1;
  }
}

class MemoryPlan::Maker {
 public:
  explicit Maker(const HloModule& module) : module_(module) {}

  absl::StatusOr<MemoryPlan> Make() {
    const HloComputation& entry = *module_.entry_computation();
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      for (const Shape& leaf : ArrayLeaves(parameter->shape())) {
        const int variable = NewVariable(leaf, *parameter);
        groups_[variable].is_fixed = true;
        SetSlot(variable, {Place::kParameter, plan_.parameter_count_++});
        plan_.leaves_[parameter].push_back(variable);
      }
      plan_.leaves_[parameter];
    }
    HILO_RETURN_IF_ERROR(Walk(entry));
    const std::vector<int>& results = plan_.leaves_.at(entry.root_instruction());
    for (int variable : results) Use(variable, now_ + 2);
    ShareMemory();
    for (size_t i = 0; i < results.size(); ++i) {
      AliasSet& group = groups_[Find(results[i])];
      if (!group.has_slot && !group.is_fixed && group.inside < 0)
        SetSlot(results[i], {Place::kResult, static_cast<int64_t>(i)});
    }
    LayOutArena();
    for (size_t v = 0; v < plan_.variables_.size(); ++v) {
      const AliasSet& group = groups_[Find(static_cast<int>(v))];
      Variable& variable = plan_.variables_[v];
      variable.slot = SlotOf(static_cast<int>(v));
      if (group.lives.empty()) continue;
      variable.begin = group.lives[0].begin;
      for (const Interval& life : group.lives) {
        variable.begin = std::min(variable.begin, life.begin);
        variable.end = std::max(variable.end, life.end);
      }
    }
    return std::move(plan_);
  }

 private:
  int NewVariable(Shape shape, const HloInstruction& definition) {
    const int number = static_cast<int>(plan_.variables_.size());
    parents_.push_back(number);
    groups_.push_back({{{now_ + 1, now_ + 1}}, ShapeUtil::ByteSizeOf(shape)});
    plan_.variables_.push_back({std::move(shape), &definition, {}});
    return number;
  }

  int Find(int variable) {
    while (parents_[variable] != variable)
      variable = parents_[variable] = parents_[parents_[variable]];
    return variable;
  }

  void SetSlot(int variable, Slot slot) {
    AliasSet& group = groups_[Find(variable)];
    group.slot = slot;
    group.has_slot = true;
  }

  Slot SlotOf(int variable) {
    int64_t offset = 0;
    const AliasSet* group = &groups_[Find(variable)];
    for (; group->inside >= 0; group = &groups_[Find(group->inside)]) offset += group->offset;
    Slot slot = group->slot;
    slot.offset += offset;
    return slot;
  }

  void Use(int variable, int64_t time) {
    // Before memory is shared, each variable is a group of its own.
    Interval& life = groups_[variable].lives.back();
    life.end = std::max(life.end, time);
  }

  // Sharing saves a copy: y takes over from x at a time at which both live, since all copies that
  // are made then are made at once.
  void Prefer(int x, int y, int64_t handover = -1) { preferences_.push_back({x, y, handover}); }

  absl::Status Walk(const HloComputation& computation) {
    std::vector<const HloInstruction*>& order = plan_.order_[&computation];
    if (module_.has_schedule() && module_.schedule().is_computation_scheduled(&computation)) {
      for (const HloInstruction* each : module_.schedule().sequence(&computation).instructions())
        order.push_back(each);
    } else {
      for (const HloInstruction* each : computation.MakeInstructionPostOrder())
        order.push_back(each);
    }
    for (const HloInstruction* instruction : std::vector<const HloInstruction*>(order)) {
      now_ += 2;
      HILO_RETURN_IF_ERROR(Visit(*instruction));
    }
    now_ += 2;
    return absl::OkStatus();
  }

  absl::Status Visit(const HloInstruction& instruction) {
    const auto operand = [&](int64_t i) -> const std::vector<int>& {
      return plan_.leaves_.at(instruction.operand(i));
    };
    std::vector<int>& leaves = plan_.leaves_[&instruction];
    switch (instruction.opcode()) {
      case HloOpcode::kParameter:  // set by the caller
        return absl::OkStatus();
      case HloOpcode::kTuple: {
        std::vector<int> all;
        for (int64_t i = 0; i < instruction.operand_count(); ++i)
          all.insert(all.end(), operand(i).begin(), operand(i).end());
        plan_.leaves_[&instruction] = std::move(all);
        return absl::OkStatus();
      }
      case HloOpcode::kGetTupleElement: {
        const auto first = operand(0).begin() + static_cast<int64_t>(FirstLeaf(instruction));
        leaves.assign(first, first + static_cast<int64_t>(CountLeaves(instruction.shape())));
        return absl::OkStatus();
      }
      case HloOpcode::kReshape:
      case HloOpcode::kAddDependency:
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kDomain: {
        const std::vector<int> same = operand(0);
        plan_.leaves_[&instruction] = same;
        return absl::OkStatus();
      }
      case HloOpcode::kAfterAll:
        return absl::OkStatus();
      case HloOpcode::kWhile:
        return VisitWhile(instruction);
      case HloOpcode::kConditional:
        return VisitConditional(instruction);
      case HloOpcode::kConstant: {
        const int variable = NewVariable(instruction.shape(), instruction);
        groups_[variable].is_fixed = true;
        SetSlot(variable, {Place::kConstant, static_cast<int64_t>(plan_.constants_.size())});
        plan_.constants_.push_back(&instruction);
        plan_.leaves_[&instruction] = {variable};
        return absl::OkStatus();
      }
      default:
        break;
    }
    std::vector<int> results;
    absl::flat_hash_set<int64_t> updated;
    for (const Shape& leaf : ArrayLeaves(instruction.shape())) {
      results.push_back(NewVariable(leaf, instruction));
      const int64_t number = UpdatedOperand(instruction, static_cast<int64_t>(results.size()) - 1);
      if (number < 0) continue;
      updated.insert(number);
      Prefer(operand(number)[0], results.back());
    }
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      // What is read while the result is written must not share its memory.
      for (int variable : operand(i)) Use(variable, updated.contains(i) ? now_ : now_ + 1);
    }
    if (WantsAlignedArrays(instruction)) {
      for (int64_t i = 0; i < instruction.operand_count(); ++i) {
        for (int variable : operand(i)) groups_[variable].is_aligned = true;
      }
      for (int variable : results) groups_[variable].is_aligned = true;
    }
    if (instruction.opcode() == HloOpcode::kConcatenate && !HasRegisterForm(instruction) &&
        JoinsInMemory(instruction)) {
      Joining joining = {{}, results[0], now_ + 1};
      for (int64_t i = 0; i < instruction.operand_count(); ++i)
        joining.operands.push_back(operand(i)[0]);
      joinings_.push_back(std::move(joining));
    }
    plan_.leaves_[&instruction] = std::move(results);
    return absl::OkStatus();
  }

  // Which leaf of the parameter of its computation a leaf of a value is, or -1.
  static int64_t LeafOfParameter(const HloInstruction& of, size_t leaf) {
    const HloInstruction* value = &of;
    while (true) {
      switch (value->opcode()) {
        case HloOpcode::kParameter:
          return static_cast<int64_t>(leaf);
        case HloOpcode::kGetTupleElement:
          leaf += FirstLeaf(*value);
          value = value->operand(0);
          break;
        case HloOpcode::kTuple: {
          int64_t i = 0;
          for (; CountLeaves(value->operand(i)->shape()) <= leaf; ++i)
            leaf -= CountLeaves(value->operand(i)->shape());
          value = value->operand(i);
          break;
        }
        default:
          return -1;
      }
    }
  }

  absl::Status VisitWhile(const HloInstruction& loop) {
    const std::vector<int> initial = plan_.leaves_.at(loop.operand(0));
    const HloInstruction& next_state = *loop.while_body()->root_instruction();
    std::vector<int> state;
    for (size_t i = 0; i < initial.size(); ++i) {
      const int variable = initial[i];
      Use(variable, now_);
      const Shape& shape = plan_.variables_[variable].shape;
      if (!FitsRegisters(shape) && LeafOfParameter(next_state, i) == static_cast<int64_t>(i)) {
        state.push_back(variable);
        continue;
      }
      state.push_back(NewVariable(shape, loop));
      groups_[state.back()].lives[0].begin = now_;
      Prefer(variable, state.back(), now_);
    }
    plan_.leaves_[loop.while_condition()->parameter_instruction(0)] = state;
    plan_.leaves_[loop.while_body()->parameter_instruction(0)] = state;
    HILO_RETURN_IF_ERROR(Walk(*loop.while_condition()));
    Use(plan_.leaves_.at(loop.while_condition()->root_instruction())[0], now_);
    // The loop may end here, and then the state is its result.
    for (int variable : state) Use(variable, now_);
    HILO_RETURN_IF_ERROR(Walk(*loop.while_body()));
    const std::vector<int> next = plan_.leaves_.at(loop.while_body()->root_instruction());
    for (size_t i = 0; i < state.size(); ++i) {
      if (next[i] == state[i]) {  // the same all the time
        Use(state[i], now_ + 1);
        continue;
      }
      Use(next[i], now_);
      // Between its last use in the body and here, the old state is dead.
      groups_[state[i]].lives.push_back({now_, now_ + 1});
      Prefer(next[i], state[i], now_);
    }
    plan_.leaves_[&loop] = std::move(state);
    return absl::OkStatus();
  }

  absl::Status VisitConditional(const HloInstruction& conditional) {
    Use(plan_.leaves_.at(conditional.operand(0))[0], now_);
    std::vector<std::vector<int>> values;  // of each branch, and the time at its end
    std::vector<int64_t> ends;
    for (int branch = 0; branch < conditional.branch_count(); ++branch) {
      const HloComputation& computation = *conditional.branch_computation(branch);
      std::vector<int> argument = plan_.leaves_.at(conditional.operand(branch + 1));
      plan_.leaves_[computation.parameter_instruction(0)] = std::move(argument);
      HILO_RETURN_IF_ERROR(Walk(computation));
      values.push_back(plan_.leaves_.at(computation.root_instruction()));
      ends.push_back(now_);
      for (int variable : values.back()) Use(variable, now_);
    }
    std::vector<int> results;
    const std::vector<Shape> leaves = ArrayLeaves(conditional.shape());
    for (size_t i = 0; i < leaves.size(); ++i) {
      const int first = values[0][i];
      if (!FitsRegisters(leaves[i]) &&
          absl::c_all_of(values, [&](const auto& own) { return own[i] == first; })) {
        Use(first, now_);
        results.push_back(first);
        continue;
      }
      results.push_back(NewVariable(leaves[i], conditional));
      groups_[results.back()].lives.clear();
      // The result is written at the end of each branch.
      for (size_t branch = 0; branch < values.size(); ++branch) {
        groups_[results.back()].lives.push_back({ends[branch], ends[branch]});
        Prefer(values[branch][i], results.back(), ends[branch]);
      }
    }
    // Operands of branches that come later must live through the branches before.
    for (int branch = 0; branch < conditional.branch_count(); ++branch) {
      for (int variable : plan_.leaves_.at(conditional.operand(branch + 1))) Use(variable, now_);
    }
    plan_.leaves_[&conditional] = std::move(results);
    return absl::OkStatus();
  }

  void ShareMemory() {
    for (const Preference& preference : preferences_) {
      const int a = Find(preference.from), b = Find(preference.to);
      if (a == b) continue;
      const Decision shares = MayShare(groups_[a], groups_[b], preference.handover);
      if (!shares) {
        NoteCopy(preference.from, preference.to, shares);
        continue;
      }
      groups_[a].lives.insert(groups_[a].lives.end(), groups_[b].lives.begin(),
                              groups_[b].lives.end());
      groups_[a].is_aligned |= groups_[b].is_aligned;
      parents_[b] = a;
    }
    for (const Joining& joining : joinings_) PlaceInside(joining);
  }

  static Decision IsFixed() {
    return Decision::No("what a parameter or a constant holds must stay as it is");
  }
  static Decision IsStillNeeded() {
    return Decision::No("the one is still needed when the other is written");
  }

  static Decision MayShare(const AliasSet& first, const AliasSet& second, int64_t handover) {
    if (first.is_fixed || second.is_fixed) return IsFixed();
    if (first.bytes != second.bytes) return Decision::No("their memory differs in size");
    if (Overlap(first.lives, second.lives, handover)) return IsStillNeeded();
    return Decision::Yes();
  }

  void NoteCopy(int from, int to, const Decision& shares) {
    if (!FitsRegisters(plan_.variables_[to].shape)) plan_.copies_.push_back({from, to, shares});
  }

  // Lets operands of a concatenation lie where they belong in its result, if they have memory of
  // their own that nobody needs afterwards.
  void PlaceInside(const Joining& joining) {
    const int whole = Find(joining.result);
    const std::vector<Interval> lives = groups_[whole].lives;
    int64_t offset = 0;
    for (int operand : joining.operands) {
      const int number = Find(operand);
      AliasSet& part = groups_[number];
      const int64_t bytes = ShapeUtil::ByteSizeOf(plan_.variables_[operand].shape);
      const Decision lies_there = bytes == part.bytes && !IsInside(whole, number)
                                      ? MayLieAt(offset, part, lives, joining.time)
                                      : Decision::No("it shares memory with another array");
      if (lies_there && bytes > 0) {
        part.inside = whole;
        part.offset = offset;
        groups_[whole].lives.insert(groups_[whole].lives.end(), part.lives.begin(),
                                    part.lives.end());
      } else if (!lies_there) {
        NoteCopy(operand, joining.result, lies_there);
      }
      offset += bytes;
    }
    MergeOverlapping(groups_[whole].lives);
  }

  static Decision MayLieAt(int64_t offset, const AliasSet& part, const std::vector<Interval>& lives,
                           int64_t time) {
    if (part.is_fixed) return IsFixed();
    if (part.inside >= 0) return Decision::No("it lies in another array");
    if (part.is_aligned && offset % runtime::kAlignment != 0)
      return Decision::No("its place, $0 bytes behind the beginning, is not aligned",
                          static_cast<double>(offset));
    if (Overlap(part.lives, lives, time)) return IsStillNeeded();
    return Decision::Yes();
  }

  bool IsInside(int group, int other) {
    for (; group >= 0; group = groups_[group].inside < 0 ? -1 : Find(groups_[group].inside)) {
      if (group == other) return true;
    }
    return false;
  }

  // The largest first, each at the lowest place that is free during its life.
  void LayOutArena() {
    std::vector<int> waiting;
    for (size_t v = 0; v < parents_.size(); ++v) {
      if (Find(static_cast<int>(v)) == static_cast<int>(v) && !groups_[v].has_slot &&
          groups_[v].inside < 0)
        waiting.push_back(static_cast<int>(v));
    }
    if (waiting.size() > kMaxComparedGroups) return LayOutInOrderOfTime(std::move(waiting));
    absl::c_stable_sort(waiting, [&](int a, int b) { return groups_[a].bytes > groups_[b].bytes; });
    std::vector<int> placed;
    for (int v : waiting) {
      AliasSet& group = groups_[v];
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (int other : placed) {
        if (Overlap(groups_[other].lives, group.lives))
          taken.push_back(
              {groups_[other].slot.offset, groups_[other].slot.offset + groups_[other].bytes});
      }
      absl::c_sort(taken);
      int64_t offset = 0;
      for (const auto& [begin, end] : taken) {
        if (offset + group.bytes <= begin) break;
        offset = std::max(offset, RoundUp(end));
      }
      SetSlot(v, {Place::kArena, 0, offset});
      placed.push_back(v);
    }
  }

  // So many that comparing all of them would take long: each takes the first room that those before
  // it have left. Lives in several parts count as one from the first to the last.
  void LayOutInOrderOfTime(std::vector<int> waiting) {
    const auto begin = [&](int v) {
      return absl::c_min_element(
                 groups_[v].lives,
                 [](const Interval& x, const Interval& y) { return x.begin < y.begin; })
          ->begin;
    };
    const auto end = [&](int v) {
      return absl::c_max_element(groups_[v].lives,
                                 [](const Interval& x, const Interval& y) { return x.end < y.end; })
          ->end;
    };
    absl::c_stable_sort(waiting, [&](int a, int b) { return begin(a) < begin(b); });
    std::map<int64_t, int64_t> room = {{0, std::numeric_limits<int64_t>::max()}};  // begin to end
    std::multimap<int64_t, int> living;                                            // by their ends
    for (int v : waiting) {
      while (!living.empty() && living.begin()->first < begin(v)) {
        const AliasSet& done = groups_[living.begin()->second];
        FreeRoom(room, done.slot.offset, done.slot.offset + RoundUp(done.bytes));
        living.erase(living.begin());
      }
      const int64_t bytes = RoundUp(groups_[v].bytes);
      auto place = room.begin();
      while (place->second - place->first < bytes) ++place;
      const auto [offset, limit] = *place;
      room.erase(place);
      if (offset + bytes < limit) room[offset + bytes] = limit;
      SetSlot(v, {Place::kArena, 0, offset});
      living.insert({end(v), v});
    }
  }

  static void FreeRoom(std::map<int64_t, int64_t>& room, int64_t begin, int64_t end) {
    if (begin == end) return;
    auto next = room.lower_bound(begin);
    if (next != room.end() && next->first == end) {
      end = next->second;
      next = room.erase(next);
    }
    if (next != room.begin() && std::prev(next)->second == begin) {
      std::prev(next)->second = end;
    } else {
      room[begin] = end;
    }
  }

  static int64_t RoundUp(int64_t bytes) {
    return (bytes + runtime::kAlignment - 1) / runtime::kAlignment * runtime::kAlignment;
  }

  const HloModule& module_;
  MemoryPlan plan_;
  int64_t now_ = 0;
  std::vector<int> parents_;
  std::vector<AliasSet> groups_;
  std::vector<Preference> preferences_;
  std::vector<Joining> joinings_;
};

absl::StatusOr<MemoryPlan> MemoryPlan::Make(const HloModule& module) {
  return Maker(module).Make();
}

}  // namespace xla::cpu
