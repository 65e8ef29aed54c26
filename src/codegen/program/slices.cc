#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "codegen/program/passes.h"
#include "codegen/program/register_form.h"
#include "runtime/memory.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

bool IsReshape(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReshape || instruction.opcode() == HloOpcode::kBitcast;
}

bool IsRowMajor(const Shape& shape) {
  return !shape.has_layout() || LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
}

// The slice that is all a fusion computes, of an operand, or null.
const HloInstruction* OnlySlice(const HloInstruction& fusion) {
  const HloInstruction* slice = fusion.fused_instructions_computation()->root_instruction();
  while (IsReshape(*slice)) slice = slice->operand(0);
  if (slice->opcode() != HloOpcode::kSlice && slice->opcode() != HloOpcode::kDynamicSlice)
    return nullptr;
  const HloInstruction* source = slice->operand(0);
  while (IsReshape(*source)) source = source->operand(0);
  return source->opcode() == HloOpcode::kParameter ? slice : nullptr;
}

// Whether the elements of a part of an array, whose indices are adjacent, are so in memory: behind
// dimensions with one index there is one with several, and all others are whole.
bool IsInOnePiece(const Shape& whole, const Shape& part) {
  if (!IsRowMajor(whole) || !IsRowMajor(part)) return false;
  int d = 0;
  while (d < part.dimensions_size() && part.dimensions(d) == 1) ++d;
  for (++d; d < part.dimensions_size(); ++d) {
    if (part.dimensions(d) != whole.dimensions(d)) return false;
  }
  return true;
}
bool IsInOnePiece(const HloInstruction& slice) {
  for (int d = 0; slice.opcode() == HloOpcode::kSlice && d < slice.shape().dimensions_size(); ++d) {
    if (slice.shape().dimensions(d) > 1 && slice.slice_strides(d) != 1) return false;
  }
  return IsInOnePiece(slice.operand(0)->shape(), slice.shape());
}

// Of the dimensions of an array, from the last one, how many bytes an index is.
template <typename Visit>
void ForEachIndex(const Shape& whole, const Visit& visit) {
  int64_t bytes = primitive_util::ByteWidth(whole.element_type());
  for (int d = whole.dimensions_size() - 1; d >= 0; bytes *= whole.dimensions(d--)) visit(d, bytes);
}

// Adds that a part begins at `start`, of indices up to `most`; `array` has it when the program
// runs.
void AddStart(const HloInstruction& start, int array, int64_t most, int64_t bytes, Inside& inside) {
  if (most == 0) return;
  if (start.opcode() == HloOpcode::kConstant) {
    const int64_t index = start.literal().GetIntegralAsS64({}).value_or(0);
    inside.offset += std::clamp<int64_t>(index, 0, most) * bytes;
  } else {
    inside.starts.push_back({array, most, bytes});
  }
}

// Where a slice in one piece lies; `step` launches the fusion that computes it.
Inside PlaceOf(const HloInstruction& slice, const Step& step) {
  const HloInstruction* source = slice.operand(0);
  while (IsReshape(*source)) source = source->operand(0);
  const Shape& whole = slice.operand(0)->shape();
  Inside inside = {step.reads[source->parameter_number()]};
  ForEachIndex(whole, [&](int d, int64_t bytes) {
    if (slice.opcode() == HloOpcode::kSlice) {
      inside.offset += slice.slice_starts(d) * bytes;
      return;
    }
    const HloInstruction& start = *slice.operand(1 + d);
    const bool is_constant = start.opcode() == HloOpcode::kConstant;
    AddStart(start, is_constant ? -1 : step.reads[start.parameter_number()],
             whole.dimensions(d) - slice.shape().dimensions(d), bytes, inside);
  });
  return inside;
}

// Where the part that an update stores in one piece lies in its result.
Inside PlaceOf(const Plan& plan, const Step& update) {
  const Shape &whole = update.instruction->shape(), &part = update.instruction->operand(1)->shape();
  Inside inside = {update.writes[0]};
  ForEachIndex(whole, [&](int d, int64_t bytes) {
    const int start = update.reads[2 + d];
    AddStart(*plan.arrays[start].definition, start, whole.dimensions(d) - part.dimensions(d), bytes,
             inside);
  });
  return inside;
}

// How arrays are used.
class Uses {
 public:
  explicit Uses(const Plan& plan) : of_(plan.arrays.size()) { Visit(plan.entry, 0); }

  // Whether a slice can lie in another array: that one keeps its value, nobody gets the slice's
  // memory or its value as his own, and what reads it is in the function that knows where it is.
  // Kernels that read both would have to be asked where they read.
  bool AllowAlias(int slice, const Inside& inside) const {
    if (!AllowPlace(slice, inside) || of_[inside.base].is_assigned) return false;
    return absl::c_none_of(of_[slice].steps, [&](const Step* step) {
      return step->instruction->opcode() == HloOpcode::kFusion &&
             absl::c_linear_search(step->reads, inside.base) &&
             !absl::c_linear_search(step->writes, slice);
    });
  }

  // Whether an array can lie there as far as it alone is concerned.
  bool AllowPlace(int array, const Inside& inside) const {
    const Use& part = of_[array];
    if (part.is_assigned || part.is_returned) return false;
    if (!inside.starts.empty() && !absl::c_all_of(part.functions, [&](int function) {
          return function == part.functions[0];
        }))
      return false;
    return !part.is_called || IsAligned(inside);
  }

  bool IsReadBySteps(int array) const { return of_[array].is_read; }

 private:
  struct Use {
    bool is_assigned = false, is_returned = false;
    bool is_read = false;    // or nothing but assigned
    bool is_called = false;  // by a library kernel, which wants it to be aligned
    std::vector<int> functions = {};
    std::vector<const Step*> steps = {};
  };

  void Visit(const std::vector<Assignment>& assignments) {
    for (const Assignment& each : assignments)
      of_[each.from].is_assigned = of_[each.to].is_assigned = true;
  }

  void Visit(const Block& block, int function) {
    for (const Step& step : block.steps) {
      for (const std::vector<int>* arrays : {&step.reads, &step.writes}) {
        for (int array : *arrays) Visit(step, function, of_[array]);
      }
      for (int array : step.reads) of_[array].is_read = true;
      Visit(step.assignments);
      for (const Block& inner : step.blocks)
        Visit(inner, step.kind == Kind::kFunction ? ++functions_ : function);
    }
    Visit(block.assignments);
  }

  static void Visit(const Step& step, int function, Use& use) {
    use.functions.push_back(function);
    use.is_returned |= step.kind == Kind::kReturn;
    if (step.kind == Kind::kLaunch || step.kind == Kind::kCall) use.steps.push_back(&step);
    use.is_called |=
        step.kind == Kind::kCall && step.instruction->opcode() != HloOpcode::kConcatenate;
  }

  std::vector<Use> of_;
  int functions_ = 0;
};

// The starts of a slice that a fusion computes itself are no scalars that the program knows.
bool KnowsStarts(const HloInstruction& slice) {
  return slice.opcode() == HloOpcode::kSlice ||
         absl::c_all_of(absl::MakeConstSpan(slice.operands()).subspan(1),
                        [](const HloInstruction* start) {
                          return start->opcode() == HloOpcode::kParameter ||
                                 start->opcode() == HloOpcode::kConstant;
                        });
}

class UpdateAliaser {
 public:
  explicit UpdateAliaser(Plan& plan) : plan_(plan), uses_(plan) {
    for (const Array& array : plan.arrays) {
      if (array.inside.has_value()) has_parts_.insert(array.inside->base);
    }
  }

  void Visit(Block& block) {
    for (Step& step : block.steps) {
      // Threads that have units of a function store the part that belongs to theirs.
      if (step.kind == Kind::kFunction && step.units > 0) continue;
      for (Block& inner : step.blocks) Visit(inner);
    }
    Order order;
    for (size_t i = 0; i < block.steps.size(); ++i) {
      if (const auto definition = FindDefinition(block.steps, i); definition.has_value())
        Alias(block.steps[i], i, *definition, order);
    }
    if (!order.gone.empty()) Reorder(std::move(order), block.steps);
  }

 private:
  // So far in front of an update, what it stores is looked for.
  static constexpr size_t kMostSteps = 1000;

  // The step that computes what an update stores, and those behind it that compute where: they can
  // be done before.
  struct Definition {
    size_t first;
    std::vector<size_t> of_starts;
  };
  // What is done in front of a step, first steps that there are and then others.
  struct Order {
    absl::flat_hash_map<size_t, size_t> earlier;  // of a step, in front of which one
    absl::flat_hash_map<size_t, std::vector<Step>> before;
    absl::flat_hash_set<size_t> gone;
  };

  // Nothing where the step cannot store what it computes as well.
  std::optional<Definition> FindDefinition(const std::vector<Step>& steps, size_t at) const {
    const Step& update = steps[at];
    if (update.kind != Kind::kUpdate || update.assignments.size() != 1) return std::nullopt;
    const int part = update.reads[1];
    const Array& array = plan_.arrays[part];
    const Shape& window = update.instruction->operand(1)->shape();
    // What lies in the array would have to be found again wherever the array is.
    if (has_parts_.contains(part)) return std::nullopt;
    if (FitsRegisters(array.shape) || array.inside.has_value() || !IsRowMajor(array.shape) ||
        !IsInOnePiece(update.instruction->shape(), window) || uses_.IsReadBySteps(update.writes[0]))
      return std::nullopt;
    const Inside inside = PlaceOf(plan_, update);
    if (!uses_.AllowPlace(part, inside)) return std::nullopt;
    std::vector<int> wanted;
    for (const Inside::Start& start : inside.starts) wanted.push_back(start.index);
    Definition found = {at, {}};
    while (found.first > 0 && at - found.first < kMostSteps) {
      const Step& step = steps[--found.first];
      if (Touches(step, {update.reads[0]})) return std::nullopt;
      const bool is_wanted = absl::c_any_of(
          wanted, [&](int array) { return absl::c_linear_search(step.writes, array); });
      if (absl::c_linear_search(step.writes, part)) {
        const bool computes = step.kind == Kind::kLaunch || step.kind == Kind::kCall;
        return computes && step.beside < 0 && !is_wanted ? std::optional(found) : std::nullopt;
      }
      if (!is_wanted) continue;
      if (step.kind != Kind::kCompute || step.memory_operand >= 0) return std::nullopt;
      found.of_starts.push_back(found.first);
      wanted.insert(wanted.end(), step.reads.begin(), step.reads.end());
    }
    return std::nullopt;
  }

  // Puts the beginning of an update in front of the step that computes what it stores, which is all
  // that there is to do.
  void Alias(const Step& update, size_t at, const Definition& definition, Order& order) {
    Inside inside = PlaceOf(plan_, update);
    Step begin = {Kind::kAssign, update.instruction, {update.reads[0]}, update.writes};
    begin.assignments = update.assignments;
    Step place = {Kind::kSlice, update.instruction, update.writes, {update.reads[1]}};
    for (const Inside::Start& start : inside.starts) place.reads.push_back(start.index);
    plan_.arrays[update.reads[1]].inside = std::move(inside);
    std::vector<Step>& before = order.before[definition.first];
    before.push_back(std::move(begin));
    before.push_back(std::move(place));
    for (const size_t i : definition.of_starts) {
      size_t& earlier = order.earlier.try_emplace(i, definition.first).first->second;
      earlier = std::min(earlier, definition.first);
    }
    order.gone.insert(at);
  }

  static void Reorder(Order order, std::vector<Step>& steps) {
    absl::flat_hash_map<size_t, std::vector<size_t>> moved;
    for (const auto& [step, first] : order.earlier) moved[first].push_back(step);
    std::vector<Step> ordered;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (const auto earlier = moved.find(i); earlier != moved.end()) {
        absl::c_sort(earlier->second);
        for (const size_t k : earlier->second) ordered.push_back(std::move(steps[k]));
      }
      if (const auto before = order.before.find(i); before != order.before.end())
        absl::c_move(before->second, std::back_inserter(ordered));
      if (!order.gone.contains(i) && !order.earlier.contains(i))
        ordered.push_back(std::move(steps[i]));
    }
    steps = std::move(ordered);
  }

  Plan& plan_;
  const Uses uses_;
  absl::flat_hash_set<int> has_parts_;  // arrays in which others lie
};

}  // namespace

absl::Status AliasUpdates(Plan& plan) {
  UpdateAliaser(plan).Visit(plan.entry);
  return absl::OkStatus();
}

bool IsAligned(const Inside& inside) {
  return inside.offset % runtime::kAlignment == 0 &&
         absl::c_all_of(inside.starts, [](const Inside::Start& start) {
           return start.bytes % runtime::kAlignment == 0;
         });
}

absl::Status AliasSlices(Plan& plan) {
  const Uses uses(plan);
  ForEachStep(plan.entry, [&](Step& step) {
    if (step.kind != Kind::kLaunch || !step.assignments.empty() || step.writes.size() != 1) return;
    Array& array = plan.arrays[step.writes[0]];
    const HloInstruction* slice = OnlySlice(*step.instruction);
    if (slice == nullptr || FitsRegisters(array.shape) || !KnowsStarts(*slice) ||
        !IsInOnePiece(*slice))
      return;
    Inside inside = PlaceOf(*slice, step);
    if (plan.arrays[inside.base].inside.has_value() || !uses.AllowAlias(step.writes[0], inside))
      return;
    step.kind = Kind::kSlice;
    step.reads = {inside.base};
    for (const Inside::Start& start : inside.starts) step.reads.push_back(start.index);
    array.inside = std::move(inside);
  });
  return absl::OkStatus();
}

}  // namespace xla::program
