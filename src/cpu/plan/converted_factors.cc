#include "cpu/plan/converted_factors.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "codegen/target.h"
#include "passes/expand/dot.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "runtime/library_kernel.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Smaller operands are soon converted, and more rows meet copies of them
// (cpu/kernels/matrix_sides.h).
constexpr int64_t kLeastConverted = 1 << 14, kMostRowsOfConverted = 12;

// Whether numbers become others of the same values that are widened where they are read.
bool IsWidenedExactly(PrimitiveType from, PrimitiveType to, const HloModule& module) {
  const bool is_byte = from == S8 || from == U8;
  if (from == F16) return to == F32 && HasHalves(module);
  return (to == F32 && (is_byte || from == BF16)) || (to == BF16 && is_byte);
}

// Those of two operands.
std::vector<HloInstruction*> DotsIn(HloComputation& computation) {
  std::vector<HloInstruction*> dots;
  for (HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() == HloOpcode::kDot && instruction->operand_count() == 2)
      dots.push_back(instruction);
  }
  return dots;
}

// What an operand is, or is the transpose of for this dot alone.
HloInstruction& Untransposed(HloInstruction& dot, int64_t number) {
  HloInstruction* operand = dot.mutable_operand(number);
  const bool is_own = operand->opcode() == HloOpcode::kTranspose && operand->user_count() == 1;
  return is_own ? *operand->mutable_operand(0) : *operand;
}

// Whether elements are converted for this dot alone, whose library kernel would rather widen them
// where it reads them: few rows meet them, and sums are of F32.
bool IsWidenedFor(const HloInstruction& dot, int64_t number, const HloInstruction& operand) {
  const Shape& other = dot.operand(1 - number)->shape();
  if (operand.opcode() != HloOpcode::kConvert || operand.user_count() != 1 ||
      operand.HasControlDependencies() || other.element_type() != operand.shape().element_type() ||
      !IsWidenedExactly(operand.operand(0)->shape().element_type(), other.element_type(),
                        *dot.parent()->parent()) ||
      passes::SumTypeOfDot(dot) != F32 || ShapeUtil::ElementsIn(operand.shape()) < kLeastConverted)
    return false;
  int64_t rows = 1;
  for (const int64_t d : passes::FreeDimensions(dot, static_cast<int>(1 - number)))
    rows *= other.dimensions(static_cast<int>(d));
  return rows <= kMostRowsOfConverted;
}

bool IsWidened(HloInstruction& dot, int64_t number) {
  return IsWidenedFor(dot, number, Untransposed(dot, number));
}

// The operand with `factor` in place of what it is the transpose of, if it is one, or of itself.
HloInstruction* WithFactor(HloInstruction& dot, int64_t number, HloInstruction* factor) {
  const HloInstruction& operand = *dot.operand(number);
  if (&operand == &Untransposed(dot, number)) return factor;
  const Shape shape = ShapeUtil::ChangeElementType(operand.shape(), factor->shape().element_type());
  return dot.parent()->AddInstruction(operand.CloneWithNewOperands(shape, {factor}));
}

absl::Status ReadNarrow(HloInstruction& dot, int64_t number) {
  HloInstruction* const narrow = Untransposed(dot, number).mutable_operand(0);
  return dot.ReplaceOperandWithDifferentShape(number, WithFactor(dot, number, narrow));
}

// Factors that are scaled along dimensions of which nothing is summed up.
struct ScaledFactor {
  HloInstruction *factor, *scale;        // narrow numbers that are converted, and what has one for
  std::vector<int64_t> scale_in_result;  // each index of these dimensions of the dot's result
};

std::optional<ScaledFactor> FindScaledFactor(HloInstruction& dot, int64_t number) {
  HloInstruction& product = Untransposed(dot, number);
  if (product.opcode() != HloOpcode::kMultiply || product.user_count() != 1 ||
      product.HasControlDependencies() || !dot.shape().is_static())
    return std::nullopt;
  const int side = product.operand(0)->opcode() == HloOpcode::kConvert ? 0 : 1;
  ScaledFactor found = {product.mutable_operand(side), nullptr, {}};
  HloInstruction& stretched = *product.mutable_operand(1 - side);
  if (stretched.opcode() != HloOpcode::kBroadcast || !IsWidenedFor(dot, number, *found.factor) ||
      !ShapeUtil::ElementIsIntegral(found.factor->operand(0)->shape()))
    return std::nullopt;
  found.scale = stretched.mutable_operand(0);
  // Dimensions of the product by those of the operand.
  std::vector<int64_t> from(product.shape().dimensions_size());
  absl::c_iota(from, 0);
  const HloInstruction& operand = *dot.operand(number);
  if (&operand != &product) from.assign(operand.dimensions().begin(), operand.dimensions().end());
  const std::vector<int64_t> to = passes::DimensionsInResult(dot, static_cast<int>(number));
  for (const int64_t d : stretched.dimensions())
    found.scale_in_result.push_back(to[absl::c_find(from, d) - from.begin()]);
  const bool is_free = absl::c_none_of(found.scale_in_result, [](int64_t d) { return d < 0; });
  if (!is_free || !absl::c_is_sorted(found.scale_in_result)) return std::nullopt;
  return found;
}

// Scales sums instead, which are rounded once and as exact. Of an infinite scale the result is one
// infinity where products would be infinities of both signs, whose sum is no number.
absl::Status ScaleSums(HloInstruction& dot, int64_t number, const ScaledFactor& scaled) {
  passes::GraphBuilder b(dot);
  HloInstruction* sides[] = {dot.mutable_operand(0), dot.mutable_operand(1)};
  sides[number] = WithFactor(dot, number, scaled.factor);
  HloInstruction* const sums =
      b.Add(dot.CloneWithNewOperands(ShapeUtil::ChangeElementType(dot.shape(), F32), sides));
  HloInstruction* const scale =
      b.Broadcast(b.Convert(scaled.scale, F32), dot.shape().dimensions(), scaled.scale_in_result);
  return dot.parent()->ReplaceInstruction(
      &dot, b.Convert(b.Binary(HloOpcode::kMultiply, sums, scale), dot.shape().element_type()));
}

// Whether an operand of a dot or convolution is of floating-point numbers that library kernels
// widen in copies.
bool IsWidenedInCopies(const HloInstruction& product, int64_t number) {
  const PrimitiveType type = product.operand(number)->shape().element_type();
  const PrimitiveType sum = passes::SumTypeOfDot(product);
  return primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32 &&
         type != BF16 && sum == F32;
}

}  // namespace

bool HasHalves(const HloModule& module) {
  const auto target = codegen::Target::Of(module.config().debug_options());
  return target.ok() && target->instruction_set != codegen::InstructionSet::kGeneric;
}

absl::StatusOr<bool> FoldConvertsIntoDots(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* dot : DotsIn(*computation)) {
      for (const int64_t number : {0, 1}) {
        if (!IsWidened(*dot, number)) continue;
        HILO_RETURN_IF_ERROR(ReadNarrow(*dot, number));
        changed = true;
      }
    }
  }
  if (changed) HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return changed;
}

absl::StatusOr<bool> MoveScalesBehindDots(HloModule& module) {
  // Scaled factors of BF16 would be rounded.
  if (!module.config().debug_options().xla_allow_excess_precision()) return false;
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* dot : DotsIn(*computation)) {
      for (const int64_t number : {0, 1}) {
        const std::optional<ScaledFactor> scaled = FindScaledFactor(*dot, number);
        if (!scaled.has_value()) continue;
        HILO_RETURN_IF_ERROR(ScaleSums(*dot, number, *scaled));
        changed = true;
        break;
      }
    }
  }
  if (changed) HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return changed;
}

absl::StatusOr<bool> FoldConvertsInLoops(HloModule& module) {
  bool changed = false;
  for (const HloInstruction* loop : passes::FindLoops(module)) {
    std::vector<std::pair<HloInstruction*, int64_t>> widened;
    int64_t bytes = 0;
    for (HloInstruction* dot : DotsIn(*loop->while_body())) {
      for (const int64_t number : {0, 1}) {
        if (!IsWidened(*dot, number)) continue;
        widened.push_back({dot, number});
        bytes += ShapeUtil::ByteSizeOf(dot->operand(number)->shape());
      }
    }
    if (bytes < runtime::kLeastBytesFromMemory) continue;
    for (const auto& [dot, number] : widened) HILO_RETURN_IF_ERROR(ReadNarrow(*dot, number));
    changed = true;
  }
  if (changed) HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return changed;
}

absl::StatusOr<bool> WidenFactors(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* product : computation->MakeInstructionPostOrder()) {
      const HloOpcode opcode = product->opcode();
      if ((opcode != HloOpcode::kDot && opcode != HloOpcode::kConvolution) ||
          product->operand_count() != 2) {
        continue;
      }
      passes::GraphBuilder b(*product);
      for (const int64_t number : {0, 1}) {
        if (!IsWidenedInCopies(*product, number)) continue;
        HILO_RETURN_IF_ERROR(product->ReplaceOperandWithDifferentShape(
            number, b.Convert(product->mutable_operand(number), F32)));
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace xla::cpu
