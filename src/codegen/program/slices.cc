#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
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

// Whether the elements of a slice are adjacent in memory: behind dimensions with one index there is
// one with several, and all others are whole.
bool IsInOnePiece(const HloInstruction& slice) {
  const Shape &whole = slice.operand(0)->shape(), &part = slice.shape();
  if (!IsRowMajor(whole) || !IsRowMajor(part)) return false;
  int d = 0;
  while (d < part.dimensions_size() && part.dimensions(d) == 1) ++d;
  if (d < part.dimensions_size() && slice.opcode() == HloOpcode::kSlice &&
      slice.slice_strides(d) != 1)
    return false;
  for (++d; d < part.dimensions_size(); ++d) {
    if (part.dimensions(d) != whole.dimensions(d)) return false;
  }
  return true;
}

// Where a slice in one piece lies; `step` launches the fusion that computes it.
Inside PlaceOf(const HloInstruction& slice, const Step& step) {
  const HloInstruction* source = slice.operand(0);
  while (IsReshape(*source)) source = source->operand(0);
  const Shape& whole = slice.operand(0)->shape();
  Inside inside = {step.reads[source->parameter_number()]};
  int64_t bytes = primitive_util::ByteWidth(whole.element_type());
  for (int d = whole.dimensions_size() - 1; d >= 0; bytes *= whole.dimensions(d--)) {
    if (slice.opcode() == HloOpcode::kSlice) {
      inside.offset += slice.slice_starts(d) * bytes;
      continue;
    }
    const int64_t most = whole.dimensions(d) - slice.shape().dimensions(d);
    const HloInstruction& start = *slice.operand(1 + d);
    if (most == 0) continue;
    if (start.opcode() == HloOpcode::kConstant) {
      const int64_t index = start.literal().GetIntegralAsS64({}).value_or(0);
      inside.offset += std::clamp<int64_t>(index, 0, most) * bytes;
    } else {
      inside.starts.push_back({step.reads[start.parameter_number()], most, bytes});
    }
  }
  return inside;
}

bool IsAligned(const Inside& inside) {
  return inside.offset % runtime::kAlignment == 0 &&
         absl::c_all_of(inside.starts, [](const Inside::Start& start) {
           return start.bytes % runtime::kAlignment == 0;
         });
}

// How arrays are used.
class Uses {
 public:
  explicit Uses(const Plan& plan) : of_(plan.arrays.size()) { Visit(plan.entry, 0); }

  // Whether a slice can lie in another array: that one keeps its value, nobody gets the slice's
  // memory or its value as his own, and what reads it is in the function that knows where it is.
  // Kernels that read both would have to be asked where they read.
  bool AllowAlias(int slice, const Inside& inside) const {
    const Use &part = of_[slice], &whole = of_[inside.base];
    if (part.is_assigned || whole.is_assigned || part.is_returned) return false;
    if (!inside.starts.empty() && !absl::c_all_of(part.functions, [&](int function) {
          return function == part.functions[0];
        }))
      return false;
    if (part.is_called && !IsAligned(inside)) return false;
    return absl::c_none_of(part.steps, [&](const Step* step) {
      return step->instruction->opcode() == HloOpcode::kFusion &&
             absl::c_linear_search(step->reads, inside.base) &&
             !absl::c_linear_search(step->writes, slice);
    });
  }

 private:
  struct Use {
    bool is_assigned = false, is_returned = false;
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

}  // namespace

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
