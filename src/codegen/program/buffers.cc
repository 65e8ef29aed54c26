#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "codegen/program/passes.h"
#include "runtime/program.h"

namespace xla::program {
namespace {

using passes::Decision;
using Lives = std::vector<Interval>;

constexpr size_t kMaxSortedSets = 2000;

// Puts intervals in order and makes one of those that have a point in common.
void MergeOverlapping(Lives& lives) {
  absl::c_sort(lives, [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  size_t last = 0;
  for (size_t i = 1; i < lives.size(); ++i) {
    if (lives[i].begin <= lives[last].end) {
      lives[last].end = std::max(lives[last].end, lives[i].end);
    } else {
      lives[++last] = lives[i];
    }
  }
  lives.resize(std::min(lives.size(), last + 1));
}

// Both in order; what is added lies behind more often than not.
void Add(Lives& lives, const Lives& more) {
  const bool is_behind = lives.empty() || more.empty() || lives.back().end < more.front().begin;
  lives.insert(lives.end(), more.begin(), more.end());
  if (!is_behind) MergeOverlapping(lives);
}

// Whether both, which are in order, live at some point other than those.
bool Overlap(const Lives& x, const Lives& y, absl::Span<const int64_t> except = {}) {
  const Lives &few = x.size() < y.size() ? x : y, &many = x.size() < y.size() ? y : x;
  for (const Interval& a : few) {
    auto b = absl::c_lower_bound(
        many, a.begin, [](const Interval& each, int64_t begin) { return each.end < begin; });
    for (; b != many.end() && b->begin <= a.end; ++b) {
      const int64_t begin = std::max(a.begin, b->begin), end = std::min(a.end, b->end);
      if (begin < end || !absl::c_linear_search(except, begin)) return true;
    }
  }
  return false;
}

int64_t RoundUp(int64_t bytes) {
  return (bytes + runtime::kAlignment - 1) / runtime::kAlignment * runtime::kAlignment;
}

// What an array takes of the arena. Caches find a line by the low bits of its address, so that of
// arrays whose elements lie multiples of a page apart a loop could keep only a few lines: pages
// have some lines, of a number that is odd, behind them.
int64_t BytesInArena(int64_t bytes) {
  constexpr int64_t kPage = 4096, kGap = 5 * runtime::kAlignment;
  const int64_t rounded = RoundUp(bytes);
  return rounded % kPage == 0 ? rounded + kGap : rounded;
}

// Arrays that share memory.
struct AliasSet {
  Lives lives;                                  // in order, and apart from each other
  std::vector<const CopyRelated*> successions;  // to or from an array of the set, at some point
  int64_t bytes = 0;
  bool is_fixed = false;    // a parameter or constant, not to be written, or on the stack
  bool is_aligned = false;  // read or written by what wants whole arrays to be
  bool has_slot = false;
  Slot slot = {};
  int inside = -1;     // an array of the set in whose memory this one lies,
  int64_t offset = 0;  // so far from its beginning
};

class Assigner {
 public:
  explicit Assigner(Plan& plan) : plan_(plan), live_(FindLiveness(plan)) {
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const bool has_slot = plan_.arrays[i].slot.place != Place::kUnassigned;
      const bool is_fixed = has_slot || plan_.arrays[i].inside.has_value();
      parents_.push_back(static_cast<int>(i));
      sets_.push_back({live_.lives[i],
                       {},
                       plan_.arrays[i].bytes(),
                       is_fixed,
                       false,
                       is_fixed,
                       plan_.arrays[i].slot});
      MergeOverlapping(sets_.back().lives);
    }
    for (const std::vector<CopyRelated>* related : {&live_.copy_related, &live_.in_place}) {
      for (const CopyRelated& each : *related) {
        if (each.time < 0) continue;
        sets_[each.from].successions.push_back(&each);
        sets_[each.to].successions.push_back(&each);
      }
    }
    // Kernels read and write elements wherever they lie.
    ForEachStep(plan_.entry, [&](const Step& step) {
      if (step.kind != Step::Kind::kCall || step.instruction->opcode() == HloOpcode::kConcatenate)
        return;
      for (int array : step.reads) sets_[plan_.BaseOf(array)].is_aligned = true;
      for (int array : step.writes) sets_[array].is_aligned = true;
    });
  }

  void Run() {
    ShareMemory();
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      const AliasSet& set = sets_[Find(plan_.results[i])];
      if (NeedsMemory(plan_.results[i]) && !set.has_slot && set.inside < 0)
        SetSlot(plan_.results[i], {Place::kResult, static_cast<int64_t>(i)});
    }
    LayOutArena();
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (!NeedsMemory(static_cast<int>(i))) continue;
      const AliasSet& set = sets_[Find(static_cast<int>(i))];
      Array& array = plan_.arrays[i];
      array.slot = SlotOf(static_cast<int>(i));
      if (array.slot.place == Place::kArena)
        plan_.arena_bytes = std::max(plan_.arena_bytes, array.slot.offset + array.bytes());
      if (set.lives.empty()) continue;
      array.begin = FirstOf(set);
      array.end = LastOf(set);
    }
    for (Array& array : plan_.arrays) {
      if (!array.inside.has_value()) continue;
      array.slot = plan_.arrays[array.inside->base].slot;
      array.slot.offset += array.inside->offset;
    }
  }

 private:
  int Find(int array) {
    while (parents_[array] != array) array = parents_[array] = parents_[parents_[array]];
    return array;
  }

  bool NeedsMemory(int array) const {
    return plan_.arrays[array].in_memory && !plan_.arrays[array].inside.has_value() &&
           (plan_.IsReadOnly(array) || !live_.lives[array].empty());
  }

  void SetSlot(int array, Slot slot) {
    AliasSet& set = sets_[Find(array)];
    set.slot = slot;
    set.has_slot = true;
  }

  Slot SlotOf(int array) {
    int64_t offset = 0;
    const AliasSet* set = &sets_[Find(array)];
    for (; set->inside >= 0; set = &sets_[Find(set->inside)]) offset += set->offset;
    Slot slot = set->slot;
    slot.offset += offset;
    return slot;
  }

  static int64_t FirstOf(const AliasSet& set) {
    return set.lives.empty() ? std::numeric_limits<int64_t>::max() : set.lives.front().begin;
  }
  static int64_t LastOf(const AliasSet& set) {
    return set.lives.empty() ? 0 : set.lives.back().end;
  }

  // ---- What shares memory

  void ShareMemory() {
    for (const CopyRelated& each : live_.copy_related) {
      const int a = Find(each.from), b = Find(each.to);
      if (a == b || !NeedsMemory(each.from) || !NeedsMemory(each.to)) continue;
      const Decision shares = MayShare(sets_[a], sets_[b], SuccessionsBetween(a, b));
      if (!shares) {
        NoteCopy(each.from, each.to, shares);
        continue;
      }
      Add(sets_[a].lives, sets_[b].lives);
      sets_[a].successions.insert(sets_[a].successions.end(), sets_[b].successions.begin(),
                                  sets_[b].successions.end());
      sets_[a].is_aligned |= sets_[b].is_aligned;
      parents_[b] = a;
    }
    for (const Interval& function : live_.functions_of_units) KeepDuring(function);
    for (const Concatenated& concatenated : live_.concatenated) PlaceInside(concatenated);
  }

  // When one of the two takes over from the other: the state of a loop in a loop is given to it and
  // comes back, and what is computed of the state element by element is updated before it is the
  // next state.
  std::vector<int64_t> SuccessionsBetween(int a, int b) {
    std::vector<int64_t> times;
    const bool is_shorter = sets_[a].successions.size() < sets_[b].successions.size();
    for (const CopyRelated* each : sets_[is_shorter ? a : b].successions) {
      const int from = Find(each->from), to = Find(each->to);
      if ((from == a && to == b) || (from == b && to == a)) times.push_back(each->time);
    }
    return times;
  }

  // While some threads are at a function's end, others begin.
  void KeepDuring(const Interval& function) {
    for (AliasSet& set : sets_) {
      if (Overlap(set.lives, {function})) Add(set.lives, {function});
    }
  }

  static Decision IsFixed() {
    return Decision::No("what a parameter or a constant holds must stay as it is");
  }
  static Decision IsStillNeeded() {
    return Decision::No("the one is still needed when the other is written");
  }

  static Decision MayShare(const AliasSet& first, const AliasSet& second,
                           absl::Span<const int64_t> common) {
    if (first.is_fixed || second.is_fixed) return IsFixed();
    if (first.bytes != second.bytes) return Decision::No("their memory differs in size");
    if (Overlap(first.lives, second.lives, common)) return IsStillNeeded();
    return Decision::Yes();
  }

  void NoteCopy(int from, int to, const Decision& shares) {
    if (!plan_.arrays[to].in_register) plan_.copies.push_back({from, to, shares});
  }

  // Lets operands of a concatenation lie where they belong in its result, if they have memory of
  // their own that nobody needs afterwards.
  void PlaceInside(const Concatenated& concatenated) {
    const HloInstruction& concatenate = *concatenated.step->instruction;
    const absl::Span<const int64_t> sizes = concatenate.shape().dimensions();
    const bool joins_in_memory = absl::c_all_of(sizes.first(concatenate.dimensions(0)),
                                                [](int64_t size) { return size == 1; });
    if (!joins_in_memory) return;
    const int result = concatenated.step->writes[0];
    const int whole = Find(result);
    const Lives lives = sets_[whole].lives;
    int64_t offset = 0;
    for (int operand : concatenated.step->reads) {
      const int number = Find(operand);
      AliasSet& part = sets_[number];
      const int64_t bytes = plan_.arrays[operand].bytes();
      const Decision lies_there = bytes == part.bytes && !IsInside(whole, number)
                                      ? MayLieAt(offset, part, lives, concatenated.time)
                                      : Decision::No("it shares memory with another array");
      if (lies_there && bytes > 0) {
        part.inside = whole;
        part.offset = offset;
        Add(sets_[whole].lives, part.lives);
      } else if (!lies_there) {
        NoteCopy(operand, result, lies_there);
      }
      offset += bytes;
    }
  }

  static Decision MayLieAt(int64_t offset, const AliasSet& part, const Lives& lives, int64_t time) {
    if (part.is_fixed) return IsFixed();
    if (part.inside >= 0) return Decision::No("it lies in another array");
    if (part.is_aligned && offset % runtime::kAlignment != 0)
      return Decision::No("its place, $0 bytes behind the beginning, is not aligned",
                          static_cast<double>(offset));
    if (Overlap(part.lives, lives, {time})) return IsStillNeeded();
    return Decision::Yes();
  }

  bool IsInside(int set, int other) {
    for (; set >= 0; set = sets_[set].inside < 0 ? -1 : Find(sets_[set].inside)) {
      if (set == other) return true;
    }
    return false;
  }

  // ---- The arena

  // The largest first, each at the lowest place that is free during its life. Where there are so
  // many that comparing all of them would take long, the earliest first, among those that still
  // live.
  void LayOutArena() {
    std::vector<int> waiting;
    for (size_t i = 0; i < parents_.size(); ++i) {
      const int set = static_cast<int>(i);
      if (Find(set) == set && NeedsMemory(set) && !sets_[i].has_slot && sets_[i].inside < 0)
        waiting.push_back(set);
    }
    const bool by_time = waiting.size() > kMaxSortedSets;
    absl::c_stable_sort(waiting, [&](int a, int b) {
      return by_time ? FirstOf(sets_[a]) < FirstOf(sets_[b]) : sets_[a].bytes > sets_[b].bytes;
    });
    // Of those before, there may be thousands: what is compared first lies together.
    struct Placed {
      Interval life;
      int64_t begin, end;
      int set;
    };
    std::vector<Placed> placed;  // by their places
    for (int each : waiting) {
      const AliasSet& set = sets_[each];
      const Interval life = {FirstOf(set), LastOf(set)};
      if (by_time)
        std::erase_if(placed, [&](const auto& other) { return other.life.end < life.begin; });
      const int64_t bytes = BytesInArena(set.bytes);
      int64_t offset = 0;
      for (const Placed& other : placed) {
        if (other.life.end < life.begin || life.end < other.life.begin || other.end <= offset ||
            !Overlap(sets_[other.set].lives, set.lives))
          continue;
        if (offset + bytes <= other.begin) break;
        offset = other.end;
      }
      SetSlot(each, {Place::kArena, 0, offset});
      const auto behind = absl::c_upper_bound(
          placed, offset, [](int64_t begin, const Placed& other) { return begin < other.begin; });
      placed.insert(behind, {life, offset, offset + bytes, each});
    }
  }

  Plan& plan_;
  const Liveness live_;
  std::vector<int> parents_;
  std::vector<AliasSet> sets_;
};

}  // namespace

absl::Status AssignBuffers(Plan& plan) {
  Assigner(plan).Run();
  // Some share memory all the same, as members of larger sets.
  std::erase_if(plan.copies, [&](const Copy& copy) {
    return plan.arrays[copy.from].slot == plan.arrays[copy.to].slot;
  });
  return absl::OkStatus();
}

}  // namespace xla::program
