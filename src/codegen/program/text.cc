#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/program/plan.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

class Printer {
 public:
  Printer(const Plan& plan, Notes notes) : plan_(plan), notes_(notes) {}

  std::vector<Line> Print() {
    Add(0, absl::StrCat("program of ", plan_.module->name()));
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const Array& array = plan_.arrays[i];
      Add(1, absl::StrCat(plan_.NameOf(static_cast<int>(i)), ": ",
                          ShapeUtil::HumanString(array.shape), " ", ResidenceOf(array)));
    }
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      if (plan_.kernels[i].is_cold) Add(1, absl::StrCat("kernel ", i, " is cold"));
    }
    Add(0, plan_.entry.is_cold ? "cold entry" : "entry");
    Print(plan_.entry, 1);
    return std::move(lines_);
  }

 private:
  void Add(int depth, std::string text) { lines_.push_back({depth, std::move(text), step_}); }

  std::string ResidenceOf(const Array& array) const {
    if (!array.in_memory) return array.in_register ? "register" : "uninitialized";
    if (array.inside.has_value()) {
      std::string text =
          absl::StrCat("in ", plan_.NameOf(array.inside->base), " + ", array.inside->offset);
      for (const Inside::Start& start : array.inside->starts)
        absl::StrAppend(&text, " + ", start.bytes, " ", plan_.NameOf(start.index));
      return text;
    }
    std::string text = array.in_register ? "register and " : "";
    absl::StrAppend(&text, PlaceName(array.slot.place));
    if (array.slot.place == Place::kUnassigned || array.slot.place == Place::kStack) return text;
    if (array.slot.place != Place::kArena) absl::StrAppend(&text, " ", array.slot.number);
    if (array.slot.place == Place::kArena || array.slot.offset > 0)
      absl::StrAppend(&text, " + ", array.slot.offset);
    if (array.end > 0) absl::StrAppend(&text, " from ", array.begin, " to ", array.end);
    return text;
  }

  std::string Names(const std::vector<int>& arrays) const {
    return absl::StrJoin(arrays, ", ", [&](std::string* text, int array) {
      absl::StrAppend(text, plan_.NameOf(array));
    });
  }

  void Print(const std::vector<Assignment>& assignments, const Copies& copies, int depth) {
    std::vector<int> copied;
    for (const std::vector<Assignment>& group : copies) {
      std::vector<int> to, from;
      for (const Assignment& each : group) to.push_back(each.to), from.push_back(each.from);
      copied.insert(copied.end(), to.begin(), to.end());
      Add(depth, absl::StrCat(Names(to), to.size() > 1 ? " = exchange " : " = copy ", Names(from)));
    }
    for (const Assignment& each : assignments) {
      if (absl::c_linear_search(copied, each.to)) continue;
      Add(depth,
          absl::StrCat(plan_.NameOf(each.to), plan_.arrays[each.to].in_register ? " = " : " is ",
                       plan_.NameOf(each.from)));
    }
  }

  void PrintEnd(int region, int depth) {
    if (region >= 0)
      Add(depth, absl::StrCat("region ", region, " of ", plan_.regions[region].name));
  }

  void Print(const Block& block, int depth) {
    const Step* const around = step_;
    for (const Step& step : block.steps) {
      step_ = &step;
      Print(step.assignments, step.copies, depth);
      for (int array : step.uninitialized)
        Add(depth, absl::StrCat(plan_.NameOf(array), " is uninitialized"));
      PrintEnd(step.copied, depth);
      if (step.kind != Kind::kAssign) Add(depth, TextOf(step));
      for (const std::string& note : notes_(step)) Add(depth + 2, note);
      for (size_t i = 0; i < step.blocks.size(); ++i) {
        const bool is_part = step.kind == Kind::kFunction || step.kind == Kind::kRepeat;
        if (!is_part) Add(depth + 1, TitleOf(step, i));
        Print(step.blocks[i], is_part ? depth + 1 : depth + 2);
      }
      PrintEnd(step.region, depth);
    }
    step_ = around;
    Print(block.assignments, block.copies, depth);
    PrintEnd(block.copied, depth);
  }

  std::string TitleOf(const Step& step, size_t block) const {
    if (step.kind == Kind::kConditional) return absl::StrCat("branch ", block);
    return block == 0 ? absl::StrCat("test ", plan_.NameOf(step.condition)) : "do";
  }

  std::string TextOf(const Step& step) const {
    if (step.kind == Kind::kRepeat) return "repeat";
    if (step.kind == Kind::kReturn)
      return absl::StrCat("return ", step.result, " = ", Names(step.reads));
    std::string text = Names(step.writes);
    if (!step.writes.empty()) absl::StrAppend(&text, " = ");
    switch (step.kind) {
      case Kind::kLaunch:
        absl::StrAppend(&text, "launch");
        break;
      case Kind::kCall:
        absl::StrAppend(&text, step.beside < 0 ? "call " : "begin ");
        break;
      case Kind::kAwait:
        absl::StrAppend(&text, "await ");
        break;
      case Kind::kSlice:
        absl::StrAppend(&text, "slice");
        break;
      case Kind::kUpdate:
        absl::StrAppend(&text, "update");
        break;
      case Kind::kWhile:
        absl::StrAppend(&text, "while");
        if (step.trips.has_value()) absl::StrAppend(&text, " ", *step.trips, " times");
        return text;
      case Kind::kFunction:
        text = step.blocks[0].is_cold ? "cold function" : "function";
        break;
      case Kind::kConditional:
        return absl::StrCat(text, "select ", plan_.NameOf(step.condition));
      default:
        break;
    }
    if (step.kind == Kind::kCompute || step.kind == Kind::kCall || step.kind == Kind::kAwait)
      absl::StrAppend(&text, HloOpcodeString(step.instruction->opcode()));
    if (step.kernel >= 0) absl::StrAppend(&text, " kernel ", step.kernel);
    std::vector<std::string> reads;
    for (size_t i = 0; i < step.reads.size(); ++i) {
      const bool is_moved = !step.offsets.empty() && step.offsets[i] > 0;
      reads.push_back(plan_.NameOf(step.reads[i]));
      if (is_moved) absl::StrAppend(&reads.back(), " + ", step.offsets[i]);
    }
    if (step.kind != Kind::kFunction) absl::StrAppend(&text, "(", absl::StrJoin(reads, ", "), ")");
    if (step.memory_operand >= 0) absl::StrAppend(&text, " from memory");
    if (step.units > 1) absl::StrAppend(&text, " in ", step.units, " units");
    if (step.units_of_block > 0) absl::StrAppend(&text, " by ", step.units_of_block);
    if (step.least > 0) absl::StrAppend(&text, ", threads take ", step.least);
    return text;
  }

  const Plan& plan_;
  Notes notes_;
  const Step* step_ = nullptr;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> ToLines(const Plan& plan) {
  return Printer(plan, [](const Step&) { return std::vector<std::string>(); }).Print();
}

std::string ToString(const Plan& plan, Notes notes) {
  std::string text;
  for (const Line& line : Printer(plan, notes).Print())
    absl::StrAppend(&text, std::string(2 * line.depth, ' '), line.text, "\n");
  return text;
}

std::string ToString(const Plan& plan) {
  return ToString(plan, [](const Step&) { return std::vector<std::string>(); });
}

}  // namespace xla::program
