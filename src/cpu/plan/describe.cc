#include "cpu/plan/describe.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "cpu/emit/registers.h"
#include "cpu/plan/library.h"
#include "ir/control_flow.h"
#include "ir/source_place.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

std::string KindOf(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kFusion:
      return "kernel";
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
      return std::string(HloOpcodeString(instruction.opcode()));
    case HloOpcode::kDynamicUpdateSlice:
      return HasRegisterForm(instruction) ? "in registers" : "copy";
    default:
      break;
  }
  const absl::string_view library = LibraryKernelName(instruction);
  return library.empty() ? "in registers" : absl::StrCat("library ", library);
}

// Of the instruction or what is fused in it, each place once.
std::vector<std::string> SourcesOf(const HloInstruction& instruction) {
  std::vector<std::string> sources;
  const auto add = [&](const HloInstruction& each) {
    std::string source = SourcePlaceText(each);
    if (!source.empty() && !absl::c_linear_search(sources, source))
      sources.push_back(std::move(source));
  };
  add(instruction);
  if (instruction.opcode() == HloOpcode::kFusion) {
    for (const HloInstruction* fused :
         instruction.fused_instructions_computation()->MakeInstructionPostOrder())
      add(*fused);
  }
  return sources;
}

std::vector<std::string> OperationsOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kFusion)
    return {std::string(HloOpcodeString(instruction.opcode()))};
  std::vector<std::string> operations;
  for (const HloInstruction* fused :
       instruction.fused_instructions_computation()->MakeInstructionPostOrder()) {
    if (fused->opcode() != HloOpcode::kParameter && fused->opcode() != HloOpcode::kTuple)
      operations.emplace_back(HloOpcodeString(fused->opcode()));
  }
  return operations;
}

// The instruction that computes a value, past other names of it.
const HloInstruction& Source(const HloInstruction& value) {
  const HloInstruction* source = &value;
  while (source->operand_count() > 0 && IsOtherName(*source) &&
         source->opcode() != HloOpcode::kTuple) {
    source = source->operand(0);
  }
  return *source;
}

// Why what computes an operand is no part of the fusion that reads it. What stands between the two
// may be the reason; empty where nobody tried.
std::string WhyApart(const HloInstruction& operand, const HloInstruction& reader,
                     const passes::Decisions& decisions) {
  const HloInstruction& source = Source(operand);
  for (const HloInstruction* value = &operand;; value = value->operand(0)) {
    if (const passes::Decision* found = decisions.Find(*value, reader)) return found->Why();
    if (value == &source) return "";
  }
}

CompileReport::Step StepOf(const HloInstruction& instruction, const passes::Decisions& decisions) {
  CompileReport::Step step = {std::string(instruction.parent()->name()),
                              std::string(instruction.name()), KindOf(instruction),
                              OperationsOf(instruction), SourcesOf(instruction)};
  if (instruction.opcode() != HloOpcode::kFusion) return step;
  if (const passes::Decision* found = decisions.Find(instruction, instruction))
    step.why_in_memory = found->Why();
  for (const HloInstruction* operand : instruction.operands()) {
    const HloInstruction& producer = Source(*operand);
    const bool is_known = absl::c_any_of(
        step.producers, [&](const auto& other) { return other.name == producer.name(); });
    if (producer.opcode() == HloOpcode::kFusion && !is_known)
      step.producers.push_back(
          {std::string(producer.name()), WhyApart(*operand, instruction, decisions)});
  }
  return step;
}

void DescribeSteps(const HloComputation& computation, const MemoryPlan& plan,
                   const passes::Decisions& decisions, CompileReport& report) {
  std::vector<const HloComputation*> callees;
  for (const HloInstruction* instruction : plan.Order(computation)) {
    if (IsOtherName(*instruction) || instruction->opcode() == HloOpcode::kConstant) continue;
    report.steps.push_back(StepOf(*instruction, decisions));
    if (!IsLoopOrConditional(*instruction)) continue;
    callees.insert(callees.end(), instruction->called_computations().begin(),
                   instruction->called_computations().end());
  }
  for (const HloComputation* callee : callees) DescribeSteps(*callee, plan, decisions, report);
}

std::string PlaceName(Place place) {
  switch (place) {
    case Place::kParameter:
      return "parameter";
    case Place::kResult:
      return "result";
    case Place::kConstant:
      return "constant";
    case Place::kArena:
      return "arena";
  }
  return "";
}

}  // namespace

void Describe(const HloModule& module, const MemoryPlan& plan, const passes::Decisions& decisions,
              CompileReport& report) {
  DescribeSteps(*module.entry_computation(), plan, decisions, report);
  for (const Copy& copy : plan.copies()) {
    const Variable &from = plan.variable(copy.from), &to = plan.variable(copy.to);
    report.copies.push_back({std::string(from.definition->name()),
                             std::string(to.definition->name()), ShapeUtil::HumanString(from.shape),
                             copy.shares.Why()});
  }
  for (int i = 0; i < plan.variable_count(); ++i) {
    const Variable& variable = plan.variable(i);
    report.buffers.push_back(
        {std::string(variable.definition->name()), ShapeUtil::HumanString(variable.shape),
         PlaceName(variable.slot.place), variable.slot.number, variable.slot.offset,
         ShapeUtil::ByteSizeOf(variable.shape), variable.begin, variable.end});
  }
}

}  // namespace xla::cpu
