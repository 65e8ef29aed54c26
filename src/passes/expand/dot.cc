#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using Dimensions = std::vector<int64_t>;

// Dimensions that are neither batch dimensions nor contracted.
Dimensions Free(const Shape& shape, absl::Span<const int64_t> batch,
                absl::Span<const int64_t> contracting) {
  Dimensions free;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d))
      free.push_back(d);
  }
  return free;
}

// Sums are rounded once: those of narrow types are made in f32.
PrimitiveType SumType(PrimitiveType result) {
  return primitive_util::IsFloatingPointType(result) && primitive_util::BitWidth(result) < 32
             ? F32
             : result;
}

HloComputation* MakeSum(HloModule& module, PrimitiveType type) {
  const Shape scalar = ShapeUtil::MakeShape(type, {});
  HloComputation::Builder builder("sum");
  HloInstruction* x = builder.AddInstruction(HloInstruction::CreateParameter(0, scalar, "x"));
  HloInstruction* y = builder.AddInstruction(HloInstruction::CreateParameter(1, scalar, "y"));
  builder.AddInstruction(HloInstruction::CreateBinary(scalar, HloOpcode::kAdd, x, y));
  return module.AddEmbeddedComputation(builder.Build());
}

// Sums of products of reals that become integers are rounded in between, which sums of elements are
// not.
bool IsRoundedTwice(const HloInstruction& dot) {
  return ShapeUtil::ElementIsIntegral(dot.shape()) &&
         !ShapeUtil::ElementIsIntegral(dot.operand(0)->shape());
}

// Both sides are stretched to (batch, free of the left, contracted, free of the right) and
// multiplied; the contracted dimensions are summed up. They come before those of the left where
// that is the order in which the left lies in memory and nothing is free on the right.
absl::Status ExpandDot(HloInstruction& dot) {
  HloComputation& computation = *dot.parent();
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const PrimitiveType type = SumType(dot.shape().element_type());
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const Dimensions lhs_free = Free(lhs, numbers.lhs_batch, numbers.lhs_contracting);
  const Dimensions rhs_free = Free(rhs, numbers.rhs_batch, numbers.rhs_contracting);

  Dimensions sizes, lhs_to(lhs.dimensions_size()), rhs_to(rhs.dimensions_size()), contracted;
  const auto append = [&](const Shape& shape, int64_t d) {
    sizes.push_back(shape.dimensions(d));
    return static_cast<int64_t>(sizes.size()) - 1;
  };
  for (size_t i = 0; i < numbers.lhs_batch.size(); ++i)
    rhs_to[numbers.rhs_batch[i]] = lhs_to[numbers.lhs_batch[i]] = append(lhs, numbers.lhs_batch[i]);
  const bool has_columns =
      rhs_free.empty() && !lhs_free.empty() && lhs_free.back() == lhs.dimensions_size() - 1;
  const auto append_free = [&] {
    for (int64_t d : lhs_free) lhs_to[d] = append(lhs, d);
  };
  if (!has_columns) append_free();
  for (size_t i = 0; i < numbers.lhs_contracting.size(); ++i) {
    contracted.push_back(append(lhs, numbers.lhs_contracting[i]));
    lhs_to[numbers.lhs_contracting[i]] = rhs_to[numbers.rhs_contracting[i]] = contracted.back();
  }
  if (has_columns) append_free();
  for (int64_t d : rhs_free) rhs_to[d] = append(rhs, d);

  const Shape whole = ShapeUtil::MakeShape(type, sizes);
  const auto stretch = [&](HloInstruction* side, const Dimensions& to) {
    if (side->shape().element_type() != type) {
      Shape converted = side->shape();
      converted.set_element_type(type);
      side = computation.AddInstruction(HloInstruction::CreateConvert(converted, side));
    }
    return computation.AddInstruction(HloInstruction::CreateBroadcast(whole, side, to));
  };
  HloInstruction* left = stretch(dot.mutable_operand(0), lhs_to);
  HloInstruction* right = stretch(dot.mutable_operand(1), rhs_to);
  HloInstruction* result = computation.AddInstruction(
      HloInstruction::CreateBinary(whole, HloOpcode::kMultiply, left, right));
  Shape sum_shape = dot.shape();
  sum_shape.set_element_type(type);
  if (!contracted.empty()) {
    HloInstruction* zero =
        computation.AddInstruction(HloInstruction::CreateConstant(LiteralUtil::Zero(type)));
    result = computation.AddInstruction(HloInstruction::CreateReduce(
        sum_shape, result, zero, contracted, MakeSum(*computation.parent(), type)));
  }
  if (sum_shape.element_type() != dot.shape().element_type())
    result = computation.AddInstruction(HloInstruction::CreateConvert(dot.shape(), result));
  return computation.ReplaceInstruction(&dot, result);
}

}  // namespace

absl::StatusOr<bool> ExpandDotsIf(absl::FunctionRef<bool(const HloInstruction&)> should_expand,
                                  HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kDot || instruction->operand_count() != 2 ||
          instruction->shape().is_dynamic() || IsRoundedTwice(*instruction) ||
          !should_expand(*instruction)) {
        continue;
      }
      HILO_RETURN_IF_ERROR(ExpandDot(*instruction));
      changed = true;
    }
  }
  return changed;
}

absl::StatusOr<bool> ExpandDots(HloModule& module) {
  return ExpandDotsIf([](const HloInstruction&) { return true; }, module);
}

}  // namespace xla::passes
