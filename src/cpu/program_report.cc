#include "cpu/program_report.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/kernel.h"
#include "cpu/describe.h"
#include "ir/source_place.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using program::Step;

absl::string_view KindName(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kCompute:
      return "compute";
    case Step::Kind::kLaunch:
      return "launch";
    case Step::Kind::kSlice:
      return "slice";
    case Step::Kind::kCall:
      return "call";
    case Step::Kind::kAwait:
      return "await";
    case Step::Kind::kUpdate:
      return "update";
    case Step::Kind::kAssign:
      return "assign";
    case Step::Kind::kWhile:
      return "while";
    case Step::Kind::kConditional:
      return "conditional";
    case Step::Kind::kFunction:
      return "function";
    case Step::Kind::kRepeat:
      return "repeat";
    case Step::Kind::kReturn:
      return "return";
  }
  return "";
}

// The union of intervals of addresses that are added and taken away, as a tree over the elementary
// ones between all ends.
class CoveredAddresses {
 public:
  explicit CoveredAddresses(std::vector<int64_t> ends) : ends_(std::move(ends)) {
    absl::c_sort(ends_);
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    nodes_.resize(4 * ends_.size());
  }

  void Add(int64_t begin, int64_t end, int count) {
    if (begin < end) Add(1, 0, ends_.size() - 1, begin, end, count);
  }
  int64_t bytes() const { return ends_.size() < 2 ? 0 : nodes_[1].bytes; }
  // Behind the last one.
  int64_t end() const { return ends_.size() < 2 ? 0 : nodes_[1].end; }

 private:
  struct Node {
    int count = 0;  // of intervals that cover all of it and not all of the node above
    int64_t bytes = 0, end = 0;
  };

  // Node `i` has the elementary intervals [first, last).
  void Add(size_t i, size_t first, size_t last, int64_t begin, int64_t end, int count) {
    if (end <= ends_[first] || ends_[last] <= begin) return;
    const size_t middle = (first + last) / 2;
    if (begin <= ends_[first] && ends_[last] <= end) {
      nodes_[i].count += count;
    } else {
      Add(2 * i, first, middle, begin, end, count);
      Add(2 * i + 1, middle, last, begin, end, count);
    }
    if (nodes_[i].count > 0) {
      nodes_[i].bytes = ends_[last] - ends_[first];
      nodes_[i].end = ends_[last];
    } else if (last - first > 1) {
      nodes_[i].bytes = nodes_[2 * i].bytes + nodes_[2 * i + 1].bytes;
      nodes_[i].end = std::max(nodes_[2 * i].end, nodes_[2 * i + 1].end);
    } else {
      nodes_[i].bytes = nodes_[i].end = 0;
    }
  }

  std::vector<int64_t> ends_;
  std::vector<Node> nodes_;
};

// Arrays may lie in the same memory, or in one another.
std::vector<ProgramReport::Use> UsesOf(const program::Plan& plan,
                                       const program::Liveness& liveness) {
  struct Event {
    int64_t time, begin, end;
    int count;
  };
  std::vector<Event> events;
  std::vector<int64_t> ends;
  for (size_t i = 0; i < plan.arrays.size(); ++i) {
    const program::Array& array = plan.arrays[i];
    if (!array.in_memory || array.slot.place != program::Place::kArena) continue;
    const int64_t begin = array.slot.offset, end = begin + array.bytes();
    ends.insert(ends.end(), {begin, end});
    for (const program::Interval& life : liveness.lives[i]) {
      events.push_back({life.begin, begin, end, 1});
      events.push_back({life.end + 1, begin, end, -1});
    }
  }
  absl::c_stable_sort(events, [](const Event& x, const Event& y) { return x.time < y.time; });
  CoveredAddresses covered(std::move(ends));
  std::vector<ProgramReport::Use> uses = {{0, 0, 0}};
  for (size_t i = 0; i < events.size(); ++i) {
    covered.Add(events[i].begin, events[i].end, events[i].count);
    if (i + 1 < events.size() && events[i + 1].time == events[i].time) continue;
    if (covered.bytes() != uses.back().bytes || covered.end() != uses.back().end)
      uses.push_back({events[i].time, covered.bytes(), covered.end()});
  }
  return uses;
}

class Reporter {
 public:
  Reporter(const program::Plan& plan, const passes::Decisions& decisions)
      : plan_(plan), decisions_(decisions), liveness_(program::FindLiveness(plan)) {}

  ProgramReport Report() {
    report_.module = plan_.module->name();
    report_.target = plan_.target->name;
    AddInstructions();
    AddArrays();
    AddSteps(plan_.entry, -1);
    for (const program::Line& line : program::ToLines(plan_))
      report_.lines.push_back({line.depth, NumberOf(line.step), line.text});
    for (const program::Kernel& kernel : plan_.kernels) {
      report_.kernels.push_back({kernel.computation->ToString(HloPrintOptions::ShortParsable()),
                                 loops::ToString(kernel.loops)});
    }
    for (const program::Copy& copy : plan_.copies)
      report_.copies.push_back({copy.from, copy.to, copy.shares.Why()});
    report_.uses = UsesOf(plan_, liveness_);
    report_.arena_bytes = plan_.arena_bytes;
    return std::move(report_);
  }

 private:
  template <typename Numbers, typename Key>
  static int Find(const Numbers& numbers, const Key* key) {
    const auto found = numbers.find(key);
    return found == numbers.end() ? -1 : found->second;
  }
  int NumberOf(const HloInstruction* instruction) const { return Find(instructions_, instruction); }
  int NumberOf(const HloComputation* computation) const { return Find(computations_, computation); }
  int NumberOf(const Step* step) const { return Find(steps_, step); }

  void AddInstructions() {
    std::vector<HloComputation*> computations = plan_.module->MakeComputationPostOrder();
    absl::c_reverse(computations);
    for (const HloComputation* computation : computations) {
      computations_[computation] = static_cast<int>(computations_.size());
      for (const HloInstruction* each : computation->MakeInstructionPostOrder())
        instructions_[each] = static_cast<int>(instructions_.size());
    }
    for (const HloComputation* computation : computations) {
      report_.computations.push_back({std::string(computation->name()),
                                      NumberOf(computation->root_instruction()),
                                      computation->IsFusionComputation()});
      for (const HloInstruction* each : computation->MakeInstructionPostOrder())
        report_.instructions.push_back(DataOf(*each));
    }
  }

  ProgramReport::Instruction DataOf(const HloInstruction& instruction) const {
    static const auto* const print =
        new HloPrintOptions(HloPrintOptions::ShortParsable().set_print_large_constants(false));
    ProgramReport::Instruction data = {.name = std::string(instruction.name()),
                                       .opcode = std::string(HloOpcodeString(instruction.opcode())),
                                       .shape = ShapeUtil::HumanString(instruction.shape()),
                                       .text = instruction.ToString(*print),
                                       .source = SourcePlaceText(instruction),
                                       .op_name = instruction.metadata().op_name(),
                                       .computation = NumberOf(instruction.parent())};
    if (instruction.shape().IsArray() && instruction.shape().has_layout())
      data.layout = LayoutUtil::HumanString(instruction.shape().layout());
    for (const HloInstruction* operand : instruction.operands())
      data.operands.push_back(NumberOf(operand));
    for (const HloComputation* called : instruction.called_computations())
      data.calls.push_back(NumberOf(called));
    return data;
  }

  void AddArrays() {
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const program::Array& array = plan_.arrays[i];
      report_.arrays.push_back({.name = plan_.NameOf(static_cast<int>(i)),
                                .shape = ShapeUtil::HumanString(array.shape),
                                .place = std::string(program::PlaceName(array.slot.place)),
                                .instruction = NumberOf(array.definition),
                                .bytes = array.bytes(),
                                .number = array.slot.number,
                                .offset = array.slot.offset,
                                .in_register = array.in_register,
                                .in_memory = array.in_memory,
                                .lives = liveness_.lives[i]});
    }
  }

  void AddSteps(const program::Block& block, int parent) {
    for (const Step& step : block.steps) {
      const int number = static_cast<int>(report_.steps.size());
      steps_[&step] = number;
      StepNotes notes = NotesOn(step, decisions_);
      ProgramReport::Step data = {.kind = std::string(KindName(step.kind)),
                                  .instruction = NumberOf(step.instruction),
                                  .parent = parent,
                                  .kernel = step.kernel,
                                  .time = liveness_.times.at(&step),
                                  .reads = step.reads,
                                  .writes = step.writes,
                                  .library = std::move(notes.library),
                                  .computes = std::move(notes.computes),
                                  .why_not_in_registers = std::move(notes.why_not_in_registers)};
      for (StepNotes::Producer& each : notes.reads)
        data.apart.push_back({NumberOf(each.instruction), std::move(each.why_apart)});
      report_.steps.push_back(std::move(data));
      for (const program::Block& inner : step.blocks) AddSteps(inner, number);
    }
  }

  const program::Plan& plan_;
  const passes::Decisions& decisions_;
  const program::Liveness liveness_;
  absl::flat_hash_map<const HloInstruction*, int> instructions_;
  absl::flat_hash_map<const HloComputation*, int> computations_;
  absl::flat_hash_map<const Step*, int> steps_;
  ProgramReport report_;
};

}  // namespace

ProgramReport ReportProgram(const program::Plan& plan, const passes::Decisions& decisions) {
  return Reporter(plan, decisions).Report();
}

}  // namespace xla::cpu
