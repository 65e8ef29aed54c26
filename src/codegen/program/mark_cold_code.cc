#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/passes.h"
#include "codegen/program/work.h"
#include "passes/cost.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

// Cold code together takes at most this part of the time of a run, as far as costs tell.
constexpr double kShareOfColdCode = 1.0 / 64;

// In elements of f32 that are read or written in vectors: to begin a kernel, and a step of a
// function.
constexpr double kCostOfLaunch = 256, kCostOfStep = 32;
// In libraries.
constexpr double kAdditionsOfElement = 8;

// A kernel or a function.
struct Part {
  bool* is_cold;
  double cost = 0;
  bool may_be_hot = false;  // whatever its cost: nobody knows how often it runs
};

class ColdCode {
 public:
  explicit ColdCode(Plan& plan) : plan_(plan) {
    for (Kernel& kernel : plan.kernels) {
      parts_.push_back({&kernel.is_cold});
      costs_.push_back(kCostOfLaunch + loops::CostOf(kernel.loops));
    }
    VisitFunction(plan.entry, {});
  }

  void Mark() {
    const bool wants_all_cold =
        plan_.module->config().debug_options().xla_backend_optimization_level() == 0;
    for (const Part& part : parts_) all_ += part.cost;
    absl::c_stable_sort(parts_, [](const Part& x, const Part& y) { return x.cost < y.cost; });
    double cold = 0;
    for (Part& part : parts_) {
      cold += part.cost;
      *part.is_cold = wants_all_cold || (!part.may_be_hot && cold <= kShareOfColdCode * all_);
    }
  }

 private:
  // How often steps run, where that is known; otherwise how often at least, but for loops that have
  // no step at all.
  struct Times {
    double least = 1;
    bool is_known = true;
  };

  void VisitFunction(Block& block, Times times) {
    const size_t function = parts_.size();
    parts_.push_back({&block.is_cold});
    Visit(block, times, function);
  }

  void Visit(Block& block, Times times, size_t function) {
    for (Step& step : block.steps) {
      Add(function, CostInFunction(step), times);
      switch (step.kind) {
        case Kind::kLaunch:
          Add(step.kernel, costs_[step.kernel], times);
          break;
        case Kind::kCall: {
          const runtime::Work work = WorkOf(plan_, step);
          all_ += times.least *
                  std::max(work.additions / kAdditionsOfElement, work.bytes / sizeof(float));
          if (step.kernel >= 0) parts_[step.kernel].may_be_hot = true;
          break;
        }
        case Kind::kFunction:
          VisitFunction(step.blocks[0], times);
          break;
        default:
          for (Block& inner : step.blocks) Visit(inner, InSteps(step, times), function);
      }
    }
  }

  static Times InSteps(const Step& step, Times times) {
    if (step.kind != Kind::kWhile) return times;
    return {times.least * static_cast<double>(step.trips.value_or(1)),
            times.is_known && step.trips.has_value()};
  }

  // Without kernels and library calls.
  static double CostInFunction(const Step& step) {
    return kCostOfStep + (step.kind == Kind::kCompute ? passes::CostOf(*step.instruction) : 0);
  }

  void Add(size_t part, double cost, Times times) {
    parts_[part].cost += times.least * cost;
    parts_[part].may_be_hot |= !times.is_known;
  }

  Plan& plan_;
  std::vector<Part> parts_;    // kernels first
  std::vector<double> costs_;  // of a launch of each kernel
  double all_ = 0;
};

}  // namespace

absl::Status MarkColdCode(Plan& plan) {
  ColdCode(plan).Mark();
  return absl::OkStatus();
}

}  // namespace xla::program
