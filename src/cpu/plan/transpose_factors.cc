#include "cpu/plan/transpose_factors.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using passes::Loop;

// Fewer rows are multiplied as fast either way, and for more the copies hardly count.
constexpr int64_t kLeastRows = 12, kMostRows = 96;
// The transpose takes as long as the copies of a step or two.
constexpr int64_t kLeastSteps = 8;

bool IsCandidate(const Loop& loop, const HloInstruction& dot) {
  if (dot.opcode() != HloOpcode::kDot || dot.operand_count() != 2 || dot.shape().is_dynamic() ||
      dot.HasControlDependencies()) {
    return false;
  }
  const HloInstruction& matrix = *dot.operand(1);
  const PrimitiveType type = matrix.shape().element_type();
  const auto& attributes = dot.attributes_as<DotAttributes>();
  const int64_t element = loop.ElementNumber(matrix);
  if (element < 0 || !loop.IsInvariant(element) || (type != F32 && type != F64) ||
      matrix.shape().dimensions_size() != 2 || attributes.rhs_contracting.size() != 1 ||
      attributes.rhs_contracting[0] != 1 || !attributes.rhs_batch.empty()) {
    return false;
  }
  const int64_t rows = ShapeUtil::ElementsIn(dot.shape()) / matrix.shape().dimensions(0);
  return rows >= kLeastRows && rows <= kMostRows;
}

absl::StatusOr<bool> Transpose(Loop& loop) {
  const std::optional<int64_t> steps = passes::CountStepsUp(loop);
  if (!steps.has_value() || *steps < kLeastSteps) return false;
  bool changed = false;
  HloComputation& body = loop.body();
  for (HloInstruction* dot : body.MakeInstructionPostOrder()) {
    if (!IsCandidate(loop, *dot)) continue;
    HloInstruction* matrix = dot->mutable_operand(1);
    const Shape& shape = matrix->shape();
    HloInstruction* transpose = body.AddInstruction(HloInstruction::CreateTranspose(
        ShapeUtil::MakeShape(shape.element_type(), {shape.dimensions(1), shape.dimensions(0)}),
        matrix, {1, 0}));
    HloInstruction* product = body.AddInstruction(
        dot->CloneWithNewOperands(dot->shape(), {dot->mutable_operand(0), transpose}));
    product->mutable_attributes_as<DotAttributes>().rhs_contracting = {0};
    HILO_RETURN_IF_ERROR(dot->ReplaceAllUsesWith(product));
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> TransposeFactors(HloModule& module) {
  return passes::RewriteLoops(module, Transpose);
}

}  // namespace xla::cpu
