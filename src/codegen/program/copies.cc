#include <utility>

#include "absl/algorithm/container.h"
#include "codegen/program/passes.h"

namespace xla::program {
namespace {

// What nobody reads any more is written first; what is left then are cycles of arrays of one size.
Copies Ordered(const Plan& plan, const std::vector<Assignment>& assignments) {
  const auto slot = [&](int array) -> const Slot& { return plan.arrays[array].slot; };
  std::vector<Assignment> moves;
  for (const Assignment& each : assignments) {
    const Array& to = plan.arrays[each.to];
    if (!to.in_register && slot(each.from) != to.slot && to.bytes() > 0) moves.push_back(each);
  }
  Copies copies;
  while (!moves.empty()) {
    const auto free = absl::c_find_if(moves, [&](const Assignment& move) {
      return absl::c_none_of(moves, [&](const Assignment& other) {
        return slot(other.from) == slot(move.to) && &other != &move;
      });
    });
    if (free != moves.end()) {
      copies.push_back({*free});
      moves.erase(free);
      continue;
    }
    std::vector<Assignment> cycle = {moves.front()};
    while (true) {
      const auto next = absl::c_find_if(
          moves, [&](const Assignment& move) { return slot(move.to) == slot(cycle.back().from); });
      if (next == moves.end() || slot(next->to) == slot(cycle.front().to)) break;
      cycle.push_back(*next);
    }
    for (const Assignment& done : cycle) {
      moves.erase(
          absl::c_find_if(moves, [&](const Assignment& each) { return each.to == done.to; }));
    }
    copies.push_back(std::move(cycle));
  }
  return copies;
}

}  // namespace

absl::Status OrderCopies(Plan& plan) {
  ForEachStep(plan.entry, [&](Step& step) {
    step.copies = Ordered(plan, step.assignments);
    for (Block& block : step.blocks) block.copies = Ordered(plan, block.assignments);
  });
  // Results that lie where they belong need no copy.
  std::erase_if(plan.entry.steps, [&](const Step& step) {
    if (step.kind != Step::Kind::kReturn) return false;
    const Array& array = plan.arrays[step.reads[0]];
    const Slot place = {Place::kResult, step.result};
    return !array.in_register && array.slot == place;
  });
  return absl::OkStatus();
}

}  // namespace xla::program
