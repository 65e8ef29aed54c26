#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/stream.h"
#include "codegen/program/in_place.h"
#include "codegen/program/passes.h"
#include "codegen/program/work.h"
#include "runtime/memory.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

// Smaller arrays are not worth the question.
constexpr int64_t kLeastBytesStreamed = 1 << 20;

// Where memory begins.
using Memory = std::tuple<Place, int64_t, int64_t>;

// What happens in memory at a step, or when copies are made.
struct Moment {
  struct Use {
    Memory memory;
    int64_t bytes;
    bool is_read;
  };
  const Step* step;  // a launch whose results may be streamed, or null
  std::vector<Use> uses;
  double work;  // bytes that are moved
};

// Moments that are repeated.
struct Loop {
  size_t begin, end;
};

class ResultStreamer {
 public:
  explicit ResultStreamer(Plan& plan) : plan_(plan) {
    Visit(plan.entry, /*in_units=*/false);
    loops_.push_back({0, moments_.size()});  // the program, whose next run follows
    for (const Alias& alias : FindInPlace(*plan.module, plan)) {
      if (alias.shares) in_place_.insert(plan.results[alias.result]);
    }
  }

  void Run() {
    std::vector<std::vector<Decisions>> kernels(plan_.kernels.size());
    for (size_t i = 0; i < moments_.size(); ++i) {
      const Step* step = moments_[i].step;
      if (step == nullptr) continue;
      std::vector<Decisions>& results = kernels[step->kernel];
      results.resize(step->writes.size());
      for (size_t r = 0; r < step->writes.size(); ++r)
        ++(Pays(i, step->writes[r]) ? results[r].streamed : results[r].kept);
    }
    for (size_t k = 0; k < kernels.size(); ++k) {
      loops::Kernel& kernel = plan_.kernels[k].loops;
      for (size_t r = 0; r < kernels[k].size(); ++r) {
        if (kernels[k][r].kept == 0) loops::Stream(kernel, static_cast<int64_t>(r));
      }
    }
  }

 private:
  // Of the launches of a kernel.
  struct Decisions {
    int streamed = 0, kept = 0;
  };

  // ---- The moments of the program, in order

  void Visit(const Block& block, bool in_units) {
    for (const Step& step : block.steps) {
      VisitCopies(step.copies);
      if (step.blocks.empty()) {
        VisitStep(step, in_units);
        continue;
      }
      const size_t begin = moments_.size();
      for (const Block& inner : step.blocks)
        Visit(inner, in_units || (step.kind == Kind::kFunction && step.units > 0));
      if (step.kind == Kind::kWhile) loops_.push_back({begin, moments_.size()});
    }
    VisitCopies(block.copies);
  }

  void VisitStep(const Step& step, bool in_units) {
    const bool is_launch = step.kind == Kind::kLaunch && step.kernel >= 0;
    Moment& moment = moments_.emplace_back();
    moment.step = is_launch && !in_units ? &step : nullptr;
    moment.work = WorkOf(plan_, step).bytes;
    // What is updated stays where it is but for a few elements.
    const auto is_updated = [&](int array) {
      return absl::c_any_of(step.assignments,
                            [&](const Assignment& each) { return each.from == array; });
    };
    for (int array : step.reads) {
      if (!is_updated(array)) AddUse(array, true, moment);
    }
    for (int array : step.writes) AddUse(array, false, moment);
  }

  void VisitCopies(const Copies& copies) {
    if (copies.empty()) return;
    Moment& moment = moments_.emplace_back();
    moment.step = nullptr;
    moment.work = WorkOf(plan_, copies).bytes;
    for (const std::vector<Assignment>& group : copies) {
      for (const Assignment& each : group) {
        AddUse(each.from, true, moment);
        AddUse(each.to, false, moment);
      }
    }
  }

  Memory MemoryOf(int array) const {
    const Slot& slot = plan_.arrays[plan_.BaseOf(array)].slot;
    return {slot.place, slot.number, slot.offset};
  }

  void AddUse(int array, bool is_read, Moment& moment) const {
    if (plan_.arrays[plan_.BaseOf(array)].slot.place == Place::kUnassigned) return;
    moment.uses.push_back({MemoryOf(array), plan_.arrays[array].bytes(), is_read});
  }

  // ---- What pays

  // Whether all that lies in memory begins at lines of the cache.
  bool IsAligned(int array) const {
    const std::optional<Inside>& inside = plan_.arrays[array].inside;
    if (inside.has_value() && !program::IsAligned(*inside)) return false;
    const Slot& slot = plan_.arrays[plan_.BaseOf(array)].slot;
    return (slot.place == Place::kArena || slot.place == Place::kResult ||
            slot.place == Place::kParameter) &&
           slot.offset % runtime::kAlignment == 0;
  }

  // Whether what a moment writes is gone from the caches anyway before somebody reads it.
  bool Pays(size_t moment, int array) const {
    if (plan_.arrays[array].bytes() < kLeastBytesStreamed || !IsAligned(array)) return false;
    // What is read at the place where it is written is in the caches.
    const Memory memory = MemoryOf(array);
    if (in_place_.contains(array) || Reads(moments_[moment], memory)) return false;
    Traffic traffic;
    Add(moments_[moment], traffic);
    size_t begin = moment, end = moment + 1;  // of the moments that are visited
    for (const Loop& loop : loops_) {
      if (loop.begin > moment || loop.end <= moment) continue;
      for (const auto& [first, last] : {Loop{end, loop.end}, Loop{loop.begin, begin}}) {
        for (size_t i = first; i < last; ++i) {
          if (IsEnough(traffic)) return true;
          if (Reads(moments_[i], memory)) return false;
          Add(moments_[i], traffic);
        }
      }
      begin = loop.begin, end = loop.end;
    }
    return IsEnough(traffic);
  }

  struct Traffic {
    absl::flat_hash_set<Memory> seen;
    double bytes = 0;
  };

  static bool Reads(const Moment& moment, const Memory& memory) {
    return absl::c_any_of(
        moment.uses, [&](const Moment::Use& use) { return use.is_read && use.memory == memory; });
  }

  static void Add(const Moment& moment, Traffic& traffic) {
    double bytes = 0;
    for (const Moment::Use& use : moment.uses) {
      if (traffic.seen.insert(use.memory).second) bytes += static_cast<double>(use.bytes);
    }
    traffic.bytes += std::min(bytes, moment.work);
  }

  bool IsEnough(const Traffic& traffic) const {
    return traffic.bytes >= static_cast<double>(plan_.target->last_level_bytes);
  }

  Plan& plan_;
  std::vector<Moment> moments_;
  std::vector<Loop> loops_;            // inner ones first
  absl::flat_hash_set<int> in_place_;  // results that may have the memory of parameters
};

}  // namespace

absl::Status StreamResults(Plan& plan) {
  ResultStreamer(plan).Run();
  return absl::OkStatus();
}

}  // namespace xla::program
