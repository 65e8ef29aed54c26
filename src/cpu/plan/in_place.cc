#include "cpu/plan/in_place.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using passes::Decision;

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
bool KernelReadsWhereItWrites(const HloComputation& kernel,
                              const absl::flat_hash_set<int64_t>& read, int64_t leaf) {
  absl::flat_hash_set<const HloInstruction*> depending;
  const HloInstruction* root = kernel.root_instruction();
  const HloInstruction* result = root->opcode() == HloOpcode::kTuple ? root->operand(leaf) : root;
  for (const HloInstruction* instruction : kernel.MakeInstructionPostOrder()) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      if (!read.contains(instruction->parameter_number())) continue;
      if (!ShapeUtil::SameDimensions(instruction->shape(), result->shape())) return false;
      depending.insert(instruction);
      continue;
    }
    const bool depends =
        absl::c_any_of(instruction->operands(),
                       [&](const HloInstruction* operand) { return depending.contains(operand); });
    if (!depends || (instruction == root && root->opcode() == HloOpcode::kTuple)) continue;
    if (!instruction->IsElementwise() || instruction->opcode() == HloOpcode::kMap) return false;
    depending.insert(instruction);
  }
  return depending.contains(result);
}

class Finder {
 public:
  Finder(const HloComputation& entry, const MemoryPlan& plan)
      : entry_(entry), plan_(plan), results_(plan.VariablesOf(*entry.root_instruction())) {
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      for (int variable : plan.VariablesOf(*parameter)) parameters_.push_back(variable);
    }
  }

  Decision MayShare(int64_t result, int64_t parameter) const {
    if (result >= static_cast<int64_t>(results_.size()) ||
        parameter >= static_cast<int64_t>(parameters_.size()))
      return Decision::No("one of them has dynamic sizes");
    const int read = parameters_[parameter], written = results_[result];
    if (read == written) return Decision::Yes();
    // What is a result itself is read at the very end.
    if (absl::c_linear_search(results_, read))
      return Decision::No("the parameter is another result as well");
    const Slot place = {Place::kResult, result};
    // What lies elsewhere comes there at the very end.
    if (plan_.variable(written).slot != place) return Decision::Yes();
    const int64_t last_read = plan_.variable(read).end;
    const int64_t first_written = plan_.variable(written).begin;
    if (last_read < first_written) return Decision::Yes();
    if (last_read > first_written)
      return Decision::No("the parameter is read after the result is written");
    const HloInstruction* both = LastReader(read);
    if (both != nullptr && ReadsWhereItWrites(*both, read, place)) return Decision::Yes();
    return Decision::No("what writes the result reads other places of the parameter");
  }

 private:
  const HloInstruction* LastReader(int variable) const {
    const HloInstruction* last = nullptr;
    for (const HloInstruction* instruction : plan_.Order(entry_)) {
      if (IsOtherName(*instruction)) continue;
      for (const HloInstruction* operand : instruction->operands()) {
        if (absl::c_linear_search(plan_.VariablesOf(*operand), variable)) last = instruction;
      }
    }
    return last;
  }

  bool ReadsWhereItWrites(const HloInstruction& instruction, int read, const Slot& place) const {
    const std::vector<int>& own = plan_.VariablesOf(instruction);
    const auto written =
        absl::c_find_if(own, [&](int variable) { return plan_.variable(variable).slot == place; });
    if (written == own.end()) return false;
    const int64_t leaf = written - own.begin();
    // A loop's state begins as what it is given.
    if (instruction.opcode() == HloOpcode::kWhile)
      return plan_.VariablesOf(*instruction.operand(0))[leaf] == read;
    if (instruction.opcode() != HloOpcode::kFusion) {
      return instruction.IsElementwise() && instruction.opcode() != HloOpcode::kMap &&
             instruction.shape().IsArray();
    }
    absl::flat_hash_set<int64_t> operands;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const std::vector<int>& variables = plan_.VariablesOf(*instruction.operand(i));
      if (!absl::c_linear_search(variables, read)) continue;
      if (variables.size() != 1) return false;
      operands.insert(i);
    }
    return KernelReadsWhereItWrites(*instruction.fused_instructions_computation(), operands, leaf);
  }

  const HloComputation& entry_;
  const MemoryPlan& plan_;
  const std::vector<int>& results_;
  std::vector<int> parameters_;
};

}  // namespace

std::vector<std::pair<int64_t, int64_t>> FindInPlace(const HloModule& module,
                                                     const HloModule& compiled,
                                                     const MemoryPlan& plan,
                                                     CompileReport* report) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  if (module.input_output_alias_config().empty()) return pairs;
  const HloComputation& entry = *module.entry_computation();
  const Finder finder(*compiled.entry_computation(), plan);
  module.input_output_alias_config().ForEachAlias(
      [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) {
        const int64_t result = ArrayNumber(entry.root_instruction()->shape(), output);
        int64_t parameter = ArrayNumber(
            entry.parameter_instruction(alias.parameter_number)->shape(), alias.parameter_index);
        if (result < 0 || parameter < 0) return;
        for (int64_t i = 0; i < alias.parameter_number; ++i) {
          ShapeUtil::ForEachSubshape(
              entry.parameter_instruction(i)->shape(),
              [&](const Shape& part, const ShapeIndex&) { parameter += part.IsArray(); });
        }
        const Decision shares = finder.MayShare(result, parameter);
        if (shares) pairs.push_back({result, parameter});
        if (report != nullptr) report->aliases.push_back({result, parameter, shares.Why()});
      });
  return pairs;
}

}  // namespace xla::cpu
