#include "cpu/describe.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/loops/kernel.h"
#include "cpu/plan/library.h"
#include "ir/source_place.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using program::Step;
using Lines = std::vector<std::string>;

// The first few places that it comes from, and how many more there are.
std::string SourcesText(const HloInstruction& instruction) {
  constexpr size_t kMost = 6;
  const Lines sources = program::SourcesOf(instruction);
  std::string text = absl::StrJoin(absl::MakeConstSpan(sources).subspan(0, kMost), ", ");
  if (sources.size() > kMost)
    absl::StrAppend(&text, " and ", sources.size() - kMost, " more places");
  return text;
}

// The instruction that computes a value, past aliases of it.
const HloInstruction& Source(const HloInstruction& value) {
  const HloInstruction* source = &value;
  while (source->operand_count() > 0 && program::IsAlias(*source) &&
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

Lines LinesOf(const StepNotes& notes) {
  Lines lines;
  const auto add = [&](absl::string_view title, const std::string& text) {
    if (!text.empty()) lines.push_back(absl::StrCat(title, text));
  };
  add("library ", notes.library);
  add("kernel of ", notes.computes);
  add("from ", notes.sources);
  add("not in registers: ", notes.why_not_in_registers);
  for (const StepNotes::Producer& each : notes.reads) {
    lines.push_back(
        absl::StrCat("reads ", each.instruction->name(),
                     each.why_apart.empty() ? "" : ", which is apart: ", each.why_apart));
  }
  return lines;
}

}  // namespace

StepNotes NotesOn(const Step& step, const passes::Decisions& decisions) {
  StepNotes notes;
  if (step.instruction == nullptr || step.kind == Step::Kind::kReturn) return notes;
  const HloInstruction& instruction = *step.instruction;
  if (step.kind == Step::Kind::kCall) notes.library = std::string(LibraryKernelName(instruction));
  notes.sources = SourcesText(instruction);
  if (instruction.opcode() != HloOpcode::kFusion) return notes;
  notes.computes = program::OperationsText(instruction);
  if (const passes::Decision* found = decisions.Find(instruction, instruction))
    notes.why_not_in_registers = found->Why();
  for (const HloInstruction* operand : instruction.operands()) {
    const HloInstruction& producer = Source(*operand);
    const bool may_be_inside =
        producer.opcode() == HloOpcode::kFusion || loops::IsProduct(producer);
    const bool is_known = absl::c_any_of(
        notes.reads, [&](const auto& each) { return each.instruction == &producer; });
    if (may_be_inside && !is_known)
      notes.reads.push_back({&producer, WhyApart(*operand, instruction, decisions)});
  }
  return notes;
}

void Describe(const program::Plan& plan, const passes::Decisions& decisions,
              CompileReport& report) {
  report.program =
      program::ToString(plan, [&](const Step& step) { return LinesOf(NotesOn(step, decisions)); });
  report.arena_bytes = plan.arena_bytes;
  for (const program::Copy& copy : plan.copies) {
    report.copies.push_back(absl::StrCat(ShapeUtil::HumanString(plan.arrays[copy.from].shape), " ",
                                         plan.NameOf(copy.from), " to ", plan.NameOf(copy.to), ": ",
                                         copy.shares.Why()));
  }
  for (const program::Array& array : plan.arrays) {
    if (array.in_memory && !array.inside.has_value())
      report.bytes[std::string(program::PlaceName(array.slot.place))] += array.bytes();
  }
}

}  // namespace xla::cpu
