#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/passes.h"
#include "codegen/program/register_form.h"
#include "passes/cost.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

using passes::Decision;
using Kind = Step::Kind;

// Of a loop of which nobody knows how many steps it takes.
constexpr int64_t kLikelyTrips = 16;
// What each block computes again in registers may cost so much less than its elements, which are
// computed in vectors.
constexpr double kCostOfNumbers = 32;

// What changes a value: calls for all assignments of a step and in it.
void ForEachAssignment(const Step& step, absl::FunctionRef<void(const Assignment&)> visit) {
  absl::c_for_each(step.assignments, visit);
  for (const Block& block : step.blocks) {
    absl::c_for_each(block.assignments, visit);
    for (const Step& inner : block.steps) ForEachAssignment(inner, visit);
  }
}

class Reader {
 public:
  Reader(const Plan& plan, const loops::Strips& strips) : plan_(plan), strips_(strips) {}

  Decision MayRunByUnits(const Step& loop) {
    ForEachAssignment(loop, [&](const Assignment& each) { changing_.insert(each.to); });
    for (const Block& block : loop.blocks) {
      ForEachStep(block, [&](const Step& step) {
        if (step.kind == Kind::kLaunch) changing_.insert(step.writes.begin(), step.writes.end());
        for (int array : step.reads) ++readers_[array];
      });
    }
    FindStacks(loop);
    return Check(loop);
  }

 private:
  bool IsNumber(int array) const { return FitsRegisters(plan_.arrays[array].shape); }

  // Arrays of the state of which each step writes a part, and nobody reads any.
  void FindStacks(const Step& loop) {
    const Block& body = loop.blocks[1];
    for (const Step& step : body.steps) {
      if (step.kind != Kind::kUpdate || readers_[step.reads[0]] != 1 ||
          readers_[step.writes[0]] != 0)
        continue;
      const auto is_next = [&](const Assignment& each) { return each.from == step.writes[0]; };
      const auto next = absl::c_find_if(body.assignments, is_next);
      if (next != body.assignments.end() && next->to == step.reads[0] &&
          absl::c_count_if(body.assignments, is_next) == 1)
        stacks_.insert(next->to);
    }
  }

  Decision Check(const Step& step) const {
    switch (step.kind) {
      case Kind::kCompute:
        if (absl::c_any_of(step.reads, [&](int array) { return ChangesByUnits(array); }))
          return Decision::No("numbers are computed from an array that changes");
        return Decision::Yes();
      case Kind::kLaunch:
        return CheckLaunch(step);
      case Kind::kUpdate:
        return CheckUpdate(step);
      case Kind::kAssign:
      case Kind::kConditional:
      case Kind::kWhile:
        break;
      default:
        return Decision::No("not all steps are kernels");
    }
    Decision all = CheckAssignments(step.assignments);
    for (const Block& block : step.blocks) {
      if (all) all = CheckAssignments(block.assignments);
      for (const Step& inner : block.steps) {
        if (all) all = Check(inner);
      }
    }
    return all;
  }

  bool ChangesByUnits(int array) const { return !IsNumber(array) && changing_.contains(array); }

  Decision CheckLaunch(const Step& launch) const {
    const loops::Kernel& kernel = plan_.kernels[launch.kernel].loops;
    if (loops::StripsOf(kernel) != strips_)
      return Decision::No("units of kernels have different elements");
    if (!launch.assignments.empty()) return Decision::No("an array is updated");
    if (absl::c_any_of(launch.writes, [&](int array) { return IsNumber(array); }))
      return Decision::No("a result is small");
    for (size_t i = 0; i < launch.reads.size(); ++i) {
      const auto& inside = plan_.arrays[launch.reads[i]].inside;
      if (inside.has_value() && !inside->starts.empty())
        return Decision::No("only the function around knows where a slice is");
      if (!ChangesByUnits(launch.reads[i])) continue;
      const HloInstruction& parameter =
          *kernel.computation->parameter_instruction(static_cast<int64_t>(i));
      if (parameter.shape().dimensions() != absl::MakeConstSpan(kernel.sizes) ||
          !loops::IsReadInPlace(parameter))
        return Decision::No("a kernel reads elements that other units change");
    }
    return Decision::Yes();
  }

  // The elements of each unit come to the same place in every window, which is whole but for the
  // first dimensions.
  Decision CheckUpdate(const Step& update) const {
    const auto sizes = update.instruction->shape().dimensions();
    const auto window = update.instruction->operand(1)->shape().dimensions();
    size_t first = 0;
    while (first < window.size() && window[first] == 1) ++first;
    if (!stacks_.contains(update.reads[0]) || !HasElementsOfUnits(update.reads[1]) ||
        window.subspan(first) != sizes.subspan(first))
      return Decision::No("an array is updated");
    return Decision::Yes();
  }

  bool HasElementsOfUnits(int array) const {
    const Shape& shape = plan_.arrays[array].shape;
    return !IsNumber(array) && !shape.is_dynamic() &&
           ShapeUtil::ElementsIn(shape) == strips_.elements;
  }

  // Each unit has its part of what is assigned.
  Decision CheckAssignments(const std::vector<Assignment>& assignments) const {
    for (const Assignment& each : assignments) {
      if (!IsNumber(each.to) && !HasElementsOfUnits(each.to) && !stacks_.contains(each.to))
        return Decision::No("arrays of the state differ in size");
    }
    return Decision::Yes();
  }

  const Plan& plan_;
  const loops::Strips strips_;
  absl::flat_hash_set<int> changing_, stacks_;
  absl::flat_hash_map<int, int> readers_;  // how many steps read an array
};

// What a step of a loop costs: in kernels, and in registers.
struct Cost {
  double kernels = 0, numbers = 0;
};
Cost CostOf(const Plan& plan, const Step& step) {
  if (step.kind == Kind::kLaunch) return {loops::CostOf(plan.kernels[step.kernel].loops), 0};
  if (step.kind == Kind::kCompute) return {0, passes::CostOf(*step.instruction)};
  Cost cost;
  for (const Block& block : step.blocks) {
    for (const Step& inner : block.steps) {
      const Cost own = CostOf(plan, inner);
      cost = {cost.kernels + own.kernels, cost.numbers + own.numbers};
    }
  }
  if (step.kind != Kind::kWhile) return cost;
  const auto trips = static_cast<double>(step.trips.value_or(kLikelyTrips));
  return {trips * cost.kernels, trips * cost.numbers};
}

class Blocker {
 public:
  explicit Blocker(Plan& plan) : plan_(plan) {}

  void Visit(Block& block) {
    std::vector<Step> steps;
    for (Step& step : block.steps) {
      if (step.kind == Kind::kWhile && AddFunction(step, steps)) continue;
      for (Block& inner : step.blocks) Visit(inner);
      steps.push_back(std::move(step));
    }
    block.steps = std::move(steps);
  }

 private:
  // False where the loop stays as it is.
  bool AddFunction(Step& loop, std::vector<Step>& steps) {
    const Step* launch = nullptr;
    ForEachStep(loop.blocks[1], [&](const Step& step) {
      if (step.kind == Kind::kLaunch && launch == nullptr) launch = &step;
    });
    if (launch == nullptr || launch->units < 2) return false;
    const auto strips = loops::StripsOf(plan_.kernels[launch->kernel].loops);
    if (!strips.has_value() || !RunsByUnits(plan_, loop, *strips)) return false;
    Step function = {Kind::kFunction, loop.instruction};
    function.strips = *strips;
    function.units = launch->units;
    const Cost cost = CostOf(plan_, loop);
    ShareUnits(cost.kernels, function);
    function.units_of_block = UnitsOfBlock(loop, cost, function.units);
    if (function.least == 0 && function.units_of_block == function.units) return false;
    function.blocks = {{loop.instruction->parent()}};
    MoveInitialArrays(loop, steps);
    RenameNumbers(loop, function.blocks[0].assignments);
    KeepNumbersOnStack(loop);
    function.blocks[0].steps.push_back(std::move(loop));
    steps.push_back(std::move(function));
    return true;
  }

  // So many that their elements fit the first cache, or more where that would compute numbers too
  // often.
  int64_t UnitsOfBlock(const Step& loop, const Cost& cost, int64_t units) const {
    absl::flat_hash_set<int> arrays, assigned;
    ForEachAssignment(loop, [&](const Assignment& each) { assigned.insert(each.from); });
    ForEachStep(loop.blocks[1], [&](const Step& step) {
      if (step.kind != Kind::kLaunch) return;
      arrays.insert(step.reads.begin(), step.reads.end());
      for (int array : step.writes) {
        if (!assigned.contains(array)) arrays.insert(array);
      }
    });
    int64_t bytes = 0;
    for (int array : arrays) bytes += plan_.arrays[array].bytes();
    const auto count = static_cast<double>(units);
    const double fit = static_cast<double>(plan_.target->l1_bytes) / static_cast<double>(bytes);
    const double worth = kCostOfNumbers * cost.numbers / cost.kernels;
    return std::clamp<int64_t>(static_cast<int64_t>(count * std::max(fit, std::min(1.0, worth))), 1,
                               units);
  }

  bool IsNumber(int array) const { return FitsRegisters(plan_.arrays[array].shape); }

  // Arrays of the state begin before the function.
  void MoveInitialArrays(Step& loop, std::vector<Step>& steps) const {
    Step initial = {Kind::kAssign, loop.instruction};
    std::vector<Assignment> numbers;
    for (const Assignment& each : loop.assignments) {
      if (IsNumber(each.to)) {
        numbers.push_back(each);
        continue;
      }
      initial.reads.push_back(each.from);
      initial.writes.push_back(each.to);
      initial.assignments.push_back(each);
      loop.reads[absl::c_find(loop.writes, each.to) - loop.writes.begin()] = each.to;
    }
    loop.assignments = std::move(numbers);
    initial.uninitialized = std::exchange(loop.uninitialized, {});
    if (!initial.assignments.empty() || !initial.uninitialized.empty())
      steps.push_back(std::move(initial));
  }

  // Each thread has the numbers of the state for itself, and hands on the last ones.
  void RenameNumbers(Step& loop, std::vector<Assignment>& last) {
    absl::flat_hash_map<int, int> names;
    for (const Assignment& each : loop.assignments) {
      Array own = plan_.arrays[each.to];
      own.definition = loop.instruction->while_body()->parameter_instruction(0);
      names[each.to] = static_cast<int>(plan_.arrays.size());
      last.push_back({each.to, names[each.to]});
      plan_.arrays.push_back(std::move(own));
    }
    Rename(loop, names);
  }

  static void Rename(Step& step, const absl::flat_hash_map<int, int>& names) {
    const auto rename = [&](int& array) {
      if (const auto found = names.find(array); found != names.end()) array = found->second;
    };
    const auto rename_all = [&](std::vector<Assignment>& assignments) {
      for (Assignment& each : assignments) rename(each.to), rename(each.from);
    };
    absl::c_for_each(step.reads, rename);
    absl::c_for_each(step.writes, rename);
    rename_all(step.assignments);
    rename(step.condition);
    for (Block& block : step.blocks) {
      for (Step& inner : block.steps) Rename(inner, names);
      rename_all(block.assignments);
    }
  }

  void KeepNumbersOnStack(const Step& loop) {
    const auto keep = [&](int array) {
      if (IsNumber(array)) plan_.arrays[array].slot = {Place::kStack, array};
    };
    ForEachAssignment(loop, [&](const Assignment& each) { keep(each.to); });
    for (const Block& block : loop.blocks) {
      ForEachStep(block, [&](const Step& step) {
        if (step.kind == Kind::kCompute) keep(step.writes[0]);
      });
    }
  }

  Plan& plan_;
};

}  // namespace

Decision RunsByUnits(const Plan& plan, const Step& loop, const loops::Strips& strips) {
  return Reader(plan, strips).MayRunByUnits(loop);
}

absl::Status BlockLoops(Plan& plan) {
  Blocker(plan).Visit(plan.entry);
  return absl::OkStatus();
}

}  // namespace xla::program
