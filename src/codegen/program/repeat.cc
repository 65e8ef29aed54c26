#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "codegen/program/passes.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

// Fewer launches take no more code than a loop over a table.
constexpr size_t kMinLaunches = 4;

// Tables hold places that are known when the program is compiled.
bool IsPlaceKnown(const Plan& plan, int array) {
  const Array& each = plan.arrays[array];
  return each.slot.place != Place::kStack &&
         (!each.inside.has_value() || each.inside->starts.empty());
}

bool CanRepeat(const Plan& plan, const Step& first, const Step& other) {
  const auto is_known = [&](int array) { return IsPlaceKnown(plan, array); };
  return first.kind == Kind::kLaunch && other.kind == Kind::kLaunch && other.region < 0 &&
         first.kernel == other.kernel && first.units == other.units && first.least == other.least &&
         other.copies.empty() && absl::c_all_of(other.reads, is_known) &&
         absl::c_all_of(other.writes, is_known);
}

void Join(const Plan& plan, Block& block) {
  std::vector<Step> steps;
  for (auto first = block.steps.begin(); first != block.steps.end();) {
    for (Block& inner : first->blocks) Join(plan, inner);
    auto end = std::next(first);
    while (first->copies.empty() && CanRepeat(plan, *first, *first) && end != block.steps.end() &&
           CanRepeat(plan, *first, *end))
      ++end;
    if (static_cast<size_t>(end - first) < kMinLaunches) end = std::next(first);
    if (end == std::next(first)) {
      steps.push_back(std::move(*first));
    } else {
      Step& repeat = steps.emplace_back(Step{Kind::kRepeat});
      repeat.blocks.push_back({block.computation});
      std::move(first, end, std::back_inserter(repeat.blocks[0].steps));
    }
    first = end;
  }
  block.steps = std::move(steps);
}

}  // namespace

absl::Status JoinLaunches(Plan& plan) {
  Join(plan, plan.entry);
  return absl::OkStatus();
}

}  // namespace xla::program
