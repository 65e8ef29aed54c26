#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/program/in_place.h"
#include "codegen/program/passes.h"

namespace xla::program {
namespace {

// So much of what was stored last is not in the cache yet: loads wait for stores of the step
// before, which costs more than a copy.
constexpr int64_t kBufferedBytes = 2048;

using Kind = Step::Kind;

class LivenessFinder {
 public:
  explicit LivenessFinder(const Plan& plan) : plan_(plan) {
    found_.lives.resize(plan.arrays.size());
    current_.resize(plan.arrays.size());
    for (int parameter : plan.parameters) Begin(parameter, 0);
  }

  Liveness Find() {
    Visit(plan_.entry);
    return std::move(found_);
  }

 private:
  // The branch of a conditional that is visited, and where the conditional begins.
  struct Branch {
    int64_t conditional, begin;
  };

  void Begin(int array, int64_t begin) { Begin(array, begin, begin); }
  void Begin(int array, int64_t begin, int64_t end) {
    current_[array] = found_.lives[array].size();
    found_.lives[array].push_back({begin, end});
  }
  void Use(int array, int64_t time) {
    if (const auto& inside = plan_.arrays[array].inside; inside.has_value())
      Use(inside->base, time);
    if (found_.lives[array].empty()) return;  // a constant
    // On the way to a branch, the branches before it do not run.
    int64_t begin = found_.lives[array][current_[array]].begin;
    for (const Branch& branch : branches_) {
      if (begin > branch.conditional) continue;
      Extend(array, {begin, branch.conditional});
      begin = branch.begin;
    }
    Extend(array, {begin, time});
  }

  // The value lives during this interval as well, which begins no sooner than the value does.
  void Extend(int array, const Interval& more) {
    std::vector<Interval>& lives = found_.lives[array];
    for (size_t i = current_[array]; i < lives.size(); ++i) {
      if (lives[i].end < more.begin || more.end < lives[i].begin) continue;
      lives[i].end = std::max(lives[i].end, more.end);
      while (i + 1 < lives.size() && lives[i + 1].begin <= lives[i].end) {
        lives[i].end = std::max(lives[i].end, lives[i + 1].end);
        lives.erase(lives.begin() + static_cast<int64_t>(i) + 1);
      }
      return;
    }
    lives.push_back(more);
  }

  void Visit(const Block& block) {
    for (const Step& step : block.steps) {
      now_ += 2;
      found_.times[&step] = now_;
      Visit(step);
    }
    now_ += 2;
  }

  void Visit(const Step& step) {
    switch (step.kind) {
      case Kind::kFunction:
        return VisitFunction(step);
      case Kind::kRepeat:
        return Visit(step.blocks[0]);
      case Kind::kWhile:
        return VisitWhile(step);
      case Kind::kConditional:
        return VisitConditional(step);
      case Kind::kAssign:
        return Assign(step);
      default:
        break;
    }
    for (int array : step.writes) Begin(array, now_ + 1);
    for (const Assignment& each : step.assignments)
      found_.copy_related.push_back({each.from, each.to, -1});
    for (int array : step.reads) {
      // What is read while the result is written must not share its memory.
      const bool is_updated = !step.assignments.empty() &&
                              absl::c_count(step.reads, array) ==
                                  absl::c_count_if(step.assignments, [&](const auto& each) {
                                    return each.from == array;
                                  });
      Use(array, is_updated ? now_ : now_ + 1);
      if (step.instruction->opcode() != HloOpcode::kFusion || step.kind == Kind::kSlice) continue;
      for (int result : step.writes) {
        if (plan_.arrays[array].bytes() > kBufferedBytes && ReadsWhereItWrites(step, array, result))
          found_.in_place.push_back({array, result, now_ + 1});
      }
    }
    if (step.instruction->opcode() == HloOpcode::kConcatenate && step.kind == Kind::kCall)
      found_.concatenated.push_back({&step, now_ + 1});
  }

  // All copies that are made then are made at once.
  void Assign(const Step& step) {
    for (int array : step.reads) Use(array, now_);
    for (int array : step.uninitialized) Begin(array, now_, now_ + 1);
    for (const Assignment& each : step.assignments) {
      Begin(each.to, now_, now_ + 1);
      found_.copy_related.push_back({each.from, each.to, now_});
    }
  }

  void VisitFunction(const Step& function) {
    const int64_t begin = now_;
    Visit(function.blocks[0]);
    for (const Assignment& each : function.blocks[0].assignments) {
      Use(each.from, now_);
      Begin(each.to, now_ + 1);
    }
    if (function.units > 0) found_.functions_of_units.push_back({begin, now_ + 1});
  }

  void VisitWhile(const Step& loop) {
    Assign(loop);
    Visit(loop.blocks[0]);
    Use(loop.condition, now_);
    // The loop may end here, and then the state is its result.
    for (int array : loop.writes) Use(array, now_);
    Visit(loop.blocks[1]);
    const std::vector<Assignment>& next = loop.blocks[1].assignments;
    for (int array : loop.writes) {
      if (absl::c_none_of(next, [&](const Assignment& each) { return each.to == array; }))
        Use(array, now_ + 1);  // the same all the time
    }
    // What other elements of the state become is read before any is written.
    for (const Assignment& each : next) Use(each.from, now_);
    for (const Assignment& each : next) {
      // Between its last use in the body and here, the old state is dead.
      Begin(each.to, now_, now_ + 1);
      found_.copy_related.push_back({each.from, each.to, now_});
    }
  }

  void VisitConditional(const Step& conditional) {
    Use(conditional.condition, now_);
    std::vector<CopyRelated> copy_related;
    const int64_t begin = now_;
    for (const Block& branch : conditional.blocks) {
      branches_.push_back({begin, now_ + 1});
      Visit(branch);
      for (const Assignment& each : branch.assignments) {
        Use(each.from, now_);
        copy_related.push_back({each.from, each.to, now_});
      }
      // What all branches hand on.
      for (int array : conditional.writes) Use(array, now_);
      branches_.pop_back();
    }
    // The results are written at the end of each branch.
    for (const CopyRelated& each : copy_related) Begin(each.to, each.time);
    found_.copy_related.insert(found_.copy_related.end(), copy_related.begin(), copy_related.end());
  }

  const Plan& plan_;
  Liveness found_;
  std::vector<size_t> current_;  // of each array, where the lives of its present value begin
  std::vector<Branch> branches_;
  int64_t now_ = 0;
};

}  // namespace

Liveness FindLiveness(const Plan& plan) { return LivenessFinder(plan).Find(); }

}  // namespace xla::program
