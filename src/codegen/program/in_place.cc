#include "codegen/program/in_place.h"

#include "absl/algorithm/container.h"
#include "codegen/loops/kernel.h"
#include "ir/graph.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

using passes::Decision;
using Kind = Step::Kind;

// The number of the array at `index` among those of the shape, or -1.
int64_t ArrayNumber(const Shape& shape, const ShapeIndex& index) {
  int64_t number = -1, next = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex& at) {
    if (!part.IsArray()) return;
    if (at == index) number = next;
    ++next;
  });
  return number;
}

// Whether all that a kernel makes of the parameters `read` is computed element by element, and that
// the result `leaf` is among it. Kernels load an element once, before they store results there.
bool KernelReadsWhereItWrites(const HloComputation& kernel, const std::vector<int64_t>& read,
                              int64_t leaf) {
  const HloInstruction& root = *kernel.root_instruction();
  const HloInstruction& result = root.opcode() == HloOpcode::kTuple ? *root.operand(leaf) : root;
  const auto needed = NeededFor({&result});
  bool is_needed = false;
  for (int64_t number : read) {
    const HloInstruction& parameter = *kernel.parameter_instruction(number);
    if (!ShapeUtil::SameDimensions(parameter.shape(), result.shape()) ||
        !loops::IsReadInPlace(parameter))
      return false;
    is_needed |= needed.contains(&parameter);
  }
  return is_needed;
}

class Finder {
 public:
  explicit Finder(const Plan& plan) : plan_(plan) { AddSteps(plan.entry); }

  Decision MayShare(int64_t result, int64_t parameter) const {
    if (result >= static_cast<int64_t>(plan_.results.size()) ||
        parameter >= static_cast<int64_t>(plan_.parameters.size()))
      return Decision::No("one of them has dynamic sizes");
    const int read = plan_.parameters[parameter], written = plan_.results[result];
    if (read == written) return Decision::Yes();
    // What is a result itself is read at the very end.
    if (absl::c_linear_search(plan_.results, read))
      return Decision::No("the parameter is another result as well");
    const Slot place = {Place::kResult, result};
    // What lies elsewhere comes there at the very end.
    if (plan_.arrays[written].slot != place) return Decision::Yes();
    const int64_t last_read = plan_.arrays[read].end;
    const int64_t first_written = plan_.arrays[written].begin;
    if (last_read < first_written) return Decision::Yes();
    if (last_read > first_written)
      return Decision::No("the parameter is read after the result is written");
    const Step* both = LastReader(read);
    if (both != nullptr && WritesThere(*both, read, place)) return Decision::Yes();
    return Decision::No("what writes the result reads other places of the parameter");
  }

 private:
  void AddSteps(const Block& block) {
    for (const Step& step : block.steps) {
      steps_.push_back(&step);
      if (step.kind == Kind::kFunction || step.kind == Kind::kRepeat) AddSteps(step.blocks[0]);
    }
  }

  const Step* LastReader(int array) const {
    const Step* last = nullptr;
    for (const Step* step : steps_) {
      if (absl::c_linear_search(step->reads, array)) last = step;
    }
    return last;
  }

  bool WritesThere(const Step& step, int read, const Slot& place) const {
    const auto written =
        absl::c_find_if(step.writes, [&](int array) { return plan_.arrays[array].slot == place; });
    return written != step.writes.end() && ReadsWhereItWrites(step, read, *written);
  }

  const Plan& plan_;
  std::vector<const Step*> steps_;  // of the entry
};

}  // namespace

bool ReadsWhereItWrites(const Step& step, int read, int written) {
  const int64_t leaf = absl::c_find(step.writes, written) - step.writes.begin();
  // A loop's state begins as what it is given.
  if (step.kind == Kind::kWhile || step.kind == Kind::kAssign) return step.reads[leaf] == read;
  const HloInstruction& instruction = *step.instruction;
  if (instruction.opcode() != HloOpcode::kFusion) {
    return instruction.IsElementwise() && instruction.opcode() != HloOpcode::kMap &&
           instruction.shape().IsArray();
  }
  std::vector<int64_t> operands;
  for (size_t i = 0; i < step.reads.size(); ++i) {
    if (step.reads[i] == read) operands.push_back(static_cast<int64_t>(i));
  }
  return KernelReadsWhereItWrites(*instruction.fused_instructions_computation(), operands, leaf);
}

std::vector<bool> JoinedInPlace(const Plan& plan, const Step& step) {
  std::vector<bool> joined(step.reads.size(), false);
  if (step.instruction->opcode() != HloOpcode::kConcatenate) return joined;
  Slot place = plan.arrays[step.writes[0]].slot;
  for (size_t i = 0; i < joined.size(); ++i) {
    const Array& operand = plan.arrays[step.reads[i]];
    joined[i] = operand.slot == place;
    place.offset += operand.bytes();
  }
  return joined;
}

std::vector<Alias> FindInPlace(const HloModule& module, const Plan& plan) {
  std::vector<Alias> aliases;
  if (module.input_output_alias_config().empty()) return aliases;
  const HloComputation& entry = *module.entry_computation();
  const Finder finder(plan);
  module.input_output_alias_config().ForEachAlias(
      [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) {
        const int64_t result = ArrayNumber(entry.root_instruction()->shape(), output);
        int64_t parameter = ArrayNumber(
            entry.parameter_instruction(alias.parameter_number)->shape(), alias.parameter_index);
        if (result < 0 || parameter < 0) return;
        for (int64_t i = 0; i < alias.parameter_number; ++i)
          parameter +=
              static_cast<int64_t>(ArrayLeaves(entry.parameter_instruction(i)->shape()).size());
        aliases.push_back({result, parameter, finder.MayShare(result, parameter)});
      });
  return aliases;
}

}  // namespace xla::program
