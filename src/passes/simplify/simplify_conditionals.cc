#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "passes/simplify/inline.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Branches of at most so many operations on scalars are computed both: that is less than a jump
// that was not foreseen.
constexpr int64_t kFewOperations = 8;

// Branch 0 of a PRED stands for true; an index out of range takes the last branch.
std::optional<int64_t> KnownBranch(const HloInstruction& conditional) {
  const HloInstruction& selector = *conditional.operand(0);
  const std::optional<int64_t> value = KnownInteger(selector);
  if (!value.has_value()) return std::nullopt;
  if (selector.shape().element_type() == PRED) return *value != 0 ? 0 : 1;
  const int64_t last = conditional.branch_count() - 1;
  return *value < 0 || *value > last ? last : *value;
}

// The branch that runs in any case, or -1.
int64_t OnlyBranch(const HloInstruction& conditional) {
  if (conditional.branch_count() == 1) return 0;
  if (const std::optional<int64_t> known = KnownBranch(conditional); known.has_value())
    return *known;
  for (int branch = 1; branch < conditional.branch_count(); ++branch) {
    if (conditional.operand(branch + 1) != conditional.operand(1) ||
        *conditional.branch_computation(branch) != *conditional.branch_computation(0)) {
      return -1;
    }
  }
  return 0;
}

bool IsCheapScalar(const HloInstruction& instruction) {
  return ShapeUtil::IsScalar(instruction.shape()) && instruction.IsElementwise() &&
         instruction.called_computations().empty() && CostOfElement(instruction) <= 1 &&
         !primitive_util::IsComplexType(instruction.shape().element_type());
}

bool IsCheapBranch(const HloComputation& branch) {
  int64_t operations = 0;
  for (const HloInstruction* instruction : branch.instructions()) {
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kGetTupleElement:
      case HloOpcode::kTuple:
        continue;
      default:
        if (instruction->HasControlDependencies() || !IsCheapScalar(*instruction)) return false;
        ++operations;
    }
  }
  return operations <= kFewOperations;
}

bool HasOnlyScalars(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() && shape.dimensions_size() == 0;
  return absl::c_all_of(shape.tuple_shapes(), [](const Shape& part) {
    return part.IsArray() && part.dimensions_size() == 0;
  });
}

bool CanSelect(const HloInstruction& conditional) {
  return conditional.operand(0)->shape().element_type() == PRED &&
         HasOnlyScalars(conditional.shape()) &&
         absl::c_all_of(conditional.branch_computations(),
                        [](const HloComputation* branch) { return IsCheapBranch(*branch); });
}

// Both branches, and a choice between their results.
absl::StatusOr<HloInstruction*> SelectBranch(HloInstruction& conditional) {
  GraphBuilder b(conditional);
  HloInstruction* results[2];
  for (int branch : {0, 1}) {
    HILO_ASSIGN_OR_RETURN(results[branch],
                          CloneInto(*conditional.parent(), *conditional.branch_computation(branch),
                                    {conditional.mutable_operand(branch + 1)}));
  }
  HloInstruction* predicate = conditional.mutable_operand(0);
  if (!conditional.shape().IsTuple()) return b.Select(predicate, results[0], results[1]);
  std::vector<HloInstruction*> parts;
  for (int i = 0; i < conditional.shape().tuple_shapes_size(); ++i)
    parts.push_back(b.Select(predicate, b.Part(results[0], i), b.Part(results[1], i)));
  return b.Tuple(parts);
}

absl::StatusOr<HloInstruction*> SimplifyConditional(HloInstruction& conditional) {
  if (const int64_t only = OnlyBranch(conditional); only >= 0) {
    // Side effects come after all that the branch is given, which only the conditional says.
    const auto& branch = *conditional.branch_computation(static_cast<int32_t>(only));
    if (branch.HasSideEffect()) return nullptr;
    return CloneInto(*conditional.parent(), branch, {conditional.mutable_operand(only + 1)});
  }
  return CanSelect(conditional) ? SelectBranch(conditional) : nullptr;
}

}  // namespace

absl::StatusOr<bool> SimplifyConditionals(HloModule& module) {
  return ReplaceEach(module, [](HloInstruction& instruction) -> absl::StatusOr<HloInstruction*> {
    if (instruction.opcode() != HloOpcode::kConditional || instruction.HasControlDependencies())
      return nullptr;
    return SimplifyConditional(instruction);
  });
}

}  // namespace xla::passes
