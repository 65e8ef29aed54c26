#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/passes.h"
#include "codegen/program/work.h"
#include "xla/util.h"

namespace xla::program {
namespace {

using runtime::Region;
using runtime::Work;
using Kind = Step::Kind;

// In nanoseconds, roughly. A stamp takes about 20, so that regions of the least time cost a few
// per cent; what is negligible is rather part of the region behind it.
constexpr double kLeastOfRegion = 2000;
constexpr double kNegligible = 100;
// What an addition on one thread, or a byte in a cache, takes at least.
constexpr double kEach = 0.02;
constexpr double kUnknownTrips = 1000;

absl::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
      return "compute";
    case Kind::kLaunch:
      return "launch";
    case Kind::kCall:
      return "call";
    case Kind::kAwait:
      return "await";
    case Kind::kUpdate:
      return "update";
    case Kind::kWhile:
      return "while";
    case Kind::kConditional:
      return "conditional";
    case Kind::kSlice:
      return "slice";
    case Kind::kFunction:
      return "function";
    case Kind::kAssign:
    case Kind::kReturn:
    case Kind::kRepeat:
      break;
  }
  return "copy";
}

class Marker {
 public:
  // Regions take so many times the least time at least; each step is one where that is 0.
  Marker(Plan& plan, double times)
      : plan_(plan), least_(times * kLeastOfRegion), negligible_(times * kNegligible) {}

  void Run() { Visit(plan_.entry, -1, /*has_all=*/true); }

 private:
  // Adjacent steps that have no region yet.
  struct Group {
    std::vector<Step*> steps;
    double time = 0;
  };

  double TimeOf(const Work& work) const { return kEach * std::max(work.bytes, work.additions); }
  double TimeOf(const Block& block) const {
    double time = TimeOf(WorkOf(plan_, block.copies));
    for (const Step& step : block.steps) time += TimeOf(step);
    return time;
  }
  double TimeOf(const Step& step) const;
  // With all that is in it.
  Work WholeWorkOf(const Step& step) const;
  Work WholeWorkOf(const Block& block) const;

  // Gives regions to a block. Steps that get none, which are not many, are part of the region
  // around them, which this adds them to; their work is the result. Where the block has all of its
  // steps, every one gets a region.
  Work Visit(Block& block, int64_t parent, bool has_all);
  void VisitControlFlow(Step& step, int64_t parent);
  void Close(Group& group, int64_t parent);
  // -1 where it is not worth one.
  int CopyRegion(const Copies& copies, int64_t parent);
  int NewRegion(int64_t parent);
  // That the region has the step, and what is in it.
  void Name(Region& region, const Step& step) const;

  Plan& plan_;
  const double least_, negligible_;
};

double Marker::TimeOf(const Step& step) const {
  double time = TimeOf(WorkOf(plan_, step.copies));
  switch (step.kind) {
    case Kind::kCompute:
      return time + 0.8 + TimeOf(WorkOf(plan_, step));
    case Kind::kLaunch:
      return time + 15 + TimeOf(WorkOf(plan_, step));
    case Kind::kAwait:
      return time + kLeastOfRegion;
    case Kind::kCall: {
      // Nobody knows how long others take.
      const bool is_product =
          step.instruction->opcode() == HloOpcode::kFusion || loops::IsProduct(*step.instruction);
      return time + (is_product ? 60 : kLeastOfRegion) + TimeOf(WorkOf(plan_, step));
    }
    case Kind::kUpdate:
      return time + 3 + TimeOf(WorkOf(plan_, step));
    case Kind::kReturn:
      return time + TimeOf(WorkOf(plan_, step));
    case Kind::kWhile:
      return time + static_cast<double>(step.trips.value_or(kUnknownTrips)) *
                        (TimeOf(step.blocks[0]) + TimeOf(step.blocks[1]));
    case Kind::kConditional: {
      double longest = 0;
      for (const Block& branch : step.blocks) longest = std::max(longest, TimeOf(branch));
      return time + 2 + longest;
    }
    case Kind::kFunction:
    case Kind::kRepeat:
      return time + TimeOf(step.blocks[0]);
    case Kind::kSlice:
      return time + 1;
    case Kind::kAssign:
      break;
  }
  return time;
}

Work Marker::WholeWorkOf(const Block& block) const {
  Work work = WorkOf(plan_, block.copies);
  for (const Step& step : block.steps) work += WholeWorkOf(step);
  return work;
}

Work Marker::WholeWorkOf(const Step& step) const {
  Work work = WorkOf(plan_, step);
  if (step.copied < 0) work += WorkOf(plan_, step.copies);
  if (step.kind == Kind::kConditional) {
    std::vector<Work> branches;
    for (const Block& branch : step.blocks) branches.push_back(WholeWorkOf(branch));
    work += *absl::c_max_element(
        branches, [&](const Work& x, const Work& y) { return TimeOf(x) < TimeOf(y); });
    return work;
  }
  const double times = step.kind == Kind::kWhile ? static_cast<double>(step.trips.value_or(1)) : 1;
  for (const Block& block : step.blocks) work += times * WholeWorkOf(block);
  return work;
}

void Marker::Name(Region& region, const Step& step) const {
  const auto add = [](std::vector<std::string>& list, std::string name) {
    if (!absl::c_linear_search(list, name)) list.push_back(std::move(name));
  };
  if (step.instruction != nullptr && step.kind != Kind::kReturn) {
    for (const HloInstruction* part : PartsOf(*step.instruction))
      region.instructions.push_back(std::string(part->name()));
    for (std::string& source : SourcesOf(*step.instruction)) add(region.sources, source);
  } else if (step.kind == Kind::kReturn) {
    add(region.instructions, plan_.NameOf(step.reads[0]));
  }
  for (const Block& block : step.blocks) {
    for (const Step& inner : block.steps) Name(region, inner);
  }
}

int Marker::NewRegion(int64_t parent) {
  plan_.regions.emplace_back().parent = parent;
  return static_cast<int>(plan_.regions.size()) - 1;
}

int Marker::CopyRegion(const Copies& copies, int64_t parent) {
  const Work work = WorkOf(plan_, copies);
  if (copies.empty() || TimeOf(work) < least_) return -1;
  const int number = NewRegion(parent);
  Region& region = plan_.regions[number];
  region.kind = region.text = "copy";
  region.per_call = work;
  for (const std::vector<Assignment>& group : copies) {
    for (const Assignment& each : group) region.instructions.push_back(plan_.NameOf(each.to));
  }
  region.name = absl::StrCat("copy ", region.instructions[0]);
  return number;
}

void Marker::Close(Group& group, int64_t parent) {
  if (group.steps.empty()) return;
  const int number = NewRegion(parent);
  Region& region = plan_.regions[number];
  const Step& longest = **absl::c_max_element(
      group.steps, [&](const Step* x, const Step* y) { return TimeOf(*x) < TimeOf(*y); });
  const bool is_copy = longest.kind == Kind::kReturn || longest.kind == Kind::kAssign;
  region.kind = std::string(KindName(longest.kind));
  if (longest.kind == Kind::kReturn) {
    region.name = absl::StrCat("copy ", plan_.NameOf(longest.reads[0]));
  } else if (longest.kind == Kind::kAssign && !longest.assignments.empty()) {
    region.name = absl::StrCat("copy ", plan_.NameOf(longest.assignments[0].from));
  } else {
    region.name = std::string(longest.instruction->name());
  }
  region.text = is_copy ? "copy" : OperationsText(*longest.instruction);
  Name(region, longest);
  for (const Step* step : group.steps) {
    if (step != &longest) Name(region, *step);
    region.per_call += WholeWorkOf(*step);
  }
  group.steps.back()->region = number;
  group = Group();
}

void Marker::VisitControlFlow(Step& step, int64_t parent) {
  const int number = NewRegion(parent);
  {
    Region& region = plan_.regions[number];
    region.name = std::string(step.instruction->name());
    region.kind = region.text = std::string(KindName(step.kind));
    region.instructions = {region.name};
    region.sources = SourcesOf(*step.instruction);
  }
  step.region = number;
  step.copied = CopyRegion(step.copies, number);
  Work per_call;
  if (step.copied < 0) per_call = WorkOf(plan_, step.copies);
  std::vector<Work> left;
  for (Block& block : step.blocks) {
    left.push_back(Visit(block, number, /*has_all=*/false));
    block.copied = CopyRegion(block.copies, number);
    if (block.copied < 0) left.back() += WorkOf(plan_, block.copies);
  }
  Region& region = plan_.regions[number];
  if (step.kind == Kind::kWhile) {
    for (const Work& each : left) region.per_trip += each;
  } else {
    per_call += *absl::c_max_element(
        left, [&](const Work& x, const Work& y) { return TimeOf(x) < TimeOf(y); });
  }
  region.per_call = per_call;
}

Work Marker::Visit(Block& block, int64_t parent, bool has_all) {
  const size_t first_region = plan_.regions.size();
  Group group;
  for (Step& step : block.steps) {
    // Stamps are made in it, unless several threads run it.
    if (step.kind == Kind::kFunction && step.units == 0) {
      Close(group, parent);
      Visit(step.blocks[0], parent, /*has_all=*/true);
      continue;
    }
    const double time = TimeOf(step);
    const bool has_region = time >= least_;
    const bool is_control_flow = step.kind == Kind::kWhile || step.kind == Kind::kConditional;
    if (has_region && (is_control_flow || group.time >= negligible_)) Close(group, parent);
    if (has_region && is_control_flow) {
      VisitControlFlow(step, parent);
      continue;
    }
    if (TimeOf(WorkOf(plan_, step.copies)) >= least_ && step.kind != Kind::kAssign) {
      Close(group, parent);
      step.copied = CopyRegion(step.copies, parent);
    }
    group.steps.push_back(&step);
    group.time += time;
    if (group.time >= least_) Close(group, parent);
  }
  const bool has_others = plan_.regions.size() > first_region;
  if (has_all || (has_others && group.time >= negligible_)) Close(group, parent);
  Work left;
  for (const Step* step : group.steps) {
    Name(plan_.regions[parent], *step);
    left += WholeWorkOf(*step);
  }
  return left;
}

}  // namespace

absl::Status MarkRegions(Plan& plan) {
  const auto& options = plan.module->config().debug_options().xla_backend_extra_options();
  const auto wanted = options.find(runtime::kProfileOption);
  if (wanted == options.end()) return absl::OkStatus();
  absl::string_view how = wanted->second;
  int64_t times = how == "steps" ? 0 : 1;
  const bool is_longer = absl::ConsumePrefix(&how, "regions:");
  if (is_longer ? !absl::SimpleAtoi(how, &times) || times < 1
                : how != "regions" && how != "steps") {
    return InvalidArgument(
        "%s of xla_backend_extra_options is \"%s\", not \"regions\", \"regions:N\" with a positive "
        "number or \"steps\"",
        runtime::kProfileOption, wanted->second);
  }
  Marker(plan, static_cast<double>(times)).Run();
  return absl::OkStatus();
}

}  // namespace xla::program
