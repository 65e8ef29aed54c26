#include <cstddef>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/program/passes.h"
#include "codegen/program/register_form.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

class Chooser {
 public:
  explicit Chooser(Plan& plan) : plan_(plan), function_of_(plan.arrays.size(), 0) {}

  void Visit(Block& block, int function) {
    for (Step& step : block.steps) Visit(step, function);
    for (const Assignment& each : block.assignments) Read(each.from, function);
  }

 private:
  void Visit(Step& step, int function) {
    switch (step.kind) {
      case Kind::kFunction: {
        const int number = ++functions_;
        Visit(step.blocks[0], number);
        for (const Assignment& each : step.blocks[0].assignments) Define(each.to, number);
        return;
      }
      case Kind::kRepeat:
        return Visit(step.blocks[0], function);
      case Kind::kCompute:
        for (int i = 0; i < static_cast<int>(step.reads.size()); ++i) {
          if (i == step.memory_operand)
            plan_.arrays[step.reads[i]].in_memory = true;
          else
            Read(step.reads[i], function);
        }
        return Define(step.writes[0], function);
      case Kind::kUpdate:
        for (size_t i = 1; i < step.reads.size(); ++i) Read(step.reads[i], function);
        if (!IsOneRow(step.instruction->operand(1)->shape()) ||
            !plan_.arrays[step.reads[1]].in_register)
          step.memory_operand = 1;
        for (int i = 0; i <= step.memory_operand || i == 0; ++i)
          plan_.arrays[step.reads[i]].in_memory = true;
        return;
      case Kind::kSlice:
        plan_.arrays[step.reads[0]].in_memory = true;
        for (size_t i = 1; i < step.reads.size(); ++i) Read(step.reads[i], function);
        return;
      case Kind::kLaunch:
      case Kind::kCall:
      case Kind::kAwait:
        for (int array : step.reads) plan_.arrays[array].in_memory = true;
        return;
      case Kind::kAssign:
      case Kind::kWhile:
      case Kind::kConditional:
      case Kind::kReturn:
        break;
    }
    for (int array : step.reads) Read(array, function);
    for (const Assignment& each : step.assignments) Define(each.to, function);
    for (Block& block : step.blocks) {
      Visit(block, function);
      if (step.condition >= 0) Read(step.condition, function);
    }
    if (step.kind == Kind::kConditional) {
      for (const Assignment& each : step.blocks[0].assignments) Define(each.to, function);
    }
  }

  static bool IsOneRow(const Shape& window) {
    for (int d = 0; d + 1 < window.dimensions_size(); ++d) {
      if (window.dimensions(d) != 1) return false;
    }
    return true;
  }

  void Define(int array, int function) {
    Array& each = plan_.arrays[array];
    function_of_[array] = function;
    if (!FitsRegisters(each.shape)) return;
    each.in_register = true;
    each.in_memory = false;
  }

  // Registers do not outlast a function.
  void Read(int array, int function) {
    if (function_of_[array] != function) plan_.arrays[array].in_memory = true;
  }

  Plan& plan_;
  std::vector<int> function_of_;  // the number of the function that defines an array
  int functions_ = 0;
};

// Gives results their values as soon as these are in registers: if all waited for the end, none of
// them could be used for anything else. Results that may take the place of parameters do wait,
// since until then these may be read, and so do those that lie in memory as well, which others may
// not take before.
void GiveResultsEarly(Plan& plan) {
  if (!plan.module->input_output_alias_config().empty()) return;
  std::vector<Step>& steps = plan.entry.steps;
  absl::flat_hash_map<int, size_t> defined_by;
  std::vector<std::vector<size_t>> following(steps.size());
  std::vector<bool> is_early(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != Kind::kReturn) {
      for (int array : steps[i].writes) defined_by[array] = i;
      continue;
    }
    const auto found = defined_by.find(steps[i].reads[0]);
    if (found == defined_by.end()) continue;
    const Array& array = plan.arrays[found->first];
    is_early[i] = array.in_register && !array.in_memory;
    if (is_early[i]) following[found->second].push_back(i);
  }
  std::vector<Step> ordered;
  ordered.reserve(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (is_early[i]) continue;
    ordered.push_back(std::move(steps[i]));
    for (size_t result : following[i]) ordered.push_back(std::move(steps[result]));
  }
  steps = std::move(ordered);
}

}  // namespace

absl::Status ChooseRegisters(Plan& plan) {
  Chooser(plan).Visit(plan.entry, 0);
  GiveResultsEarly(plan);
  return absl::OkStatus();
}

}  // namespace xla::program
