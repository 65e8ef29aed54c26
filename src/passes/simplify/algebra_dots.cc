#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "passes/expand/dot.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using Dimensions = std::vector<int64_t>;

// Along these its values are the same.
bool IsStretchedAlong(const HloInstruction& x, int64_t dimension) {
  return x.opcode() == HloOpcode::kBroadcast && x.shape().dimensions(dimension) > 1 &&
         !absl::c_linear_search(x.dimensions(), dimension);
}

// The numbers that those dimensions which are not left out have without them.
Dimensions Renumbered(absl::Span<const int64_t> dimensions, const Dimensions& left_out) {
  Dimensions numbers;
  for (const int64_t d : dimensions) {
    if (absl::c_linear_search(left_out, d)) continue;
    numbers.push_back(d - absl::c_count_if(left_out, [&](int64_t out) { return out < d; }));
  }
  return numbers;
}

// Rows that are all the same are multiplied once.
HloInstruction* StretchResult(HloInstruction& dot) {
  if (!IsProductOfArrays(dot)) return nullptr;
  for (const int side : {0, 1}) {
    HloInstruction* operand = dot.mutable_operand(side);
    const Dimensions in_result = DimensionsInResult(dot, side);
    Dimensions left_out, left_out_of_result;
    for (const int64_t d : FreeDimensions(dot, side)) {
      if (!IsStretchedAlong(*operand, d)) continue;
      left_out.push_back(d);
      left_out_of_result.push_back(in_result[d]);
    }
    if (left_out.empty()) continue;
    GraphBuilder b(dot);
    HloInstruction* sides[] = {dot.mutable_operand(0), dot.mutable_operand(1)};
    sides[side] = b.Broadcast(operand->mutable_operand(0),
                              ShapeUtil::DeleteDimensions(left_out, operand->shape()).dimensions(),
                              Renumbered(operand->dimensions(), left_out));
    HloInstruction* narrow = b.Add(dot.CloneWithNewOperands(
        ShapeUtil::DeleteDimensions(left_out_of_result, dot.shape()), sides));
    auto& numbers = narrow->mutable_attributes_as<DotAttributes>();
    for (auto* list : side == 0 ? std::vector{&numbers.lhs_batch, &numbers.lhs_contracting}
                                : std::vector{&numbers.rhs_batch, &numbers.rhs_contracting}) {
      const Dimensions renumbered = Renumbered(*list, left_out);
      list->assign(renumbered.begin(), renumbered.end());
    }
    Dimensions to;
    for (int64_t d = 0; d < dot.shape().dimensions_size(); ++d) {
      if (!absl::c_linear_search(left_out_of_result, d)) to.push_back(d);
    }
    return b.Broadcast(narrow, dot.shape().dimensions(), to);
  }
  return nullptr;
}

// Zeros and ones.
bool IsMask(const HloInstruction& x) {
  const HloInstruction* source = &x;
  while (source->opcode() == HloOpcode::kBroadcast || source->opcode() == HloOpcode::kReshape ||
         source->opcode() == HloOpcode::kTranspose || source->opcode() == HloOpcode::kConvert) {
    if (source->opcode() == HloOpcode::kConvert &&
        source->operand(0)->shape().element_type() == PRED)
      return true;
    source = source->operand(0);
  }
  return false;
}

// Products that are made of other numbers than those of the operands.
bool RoundsOperands(const HloInstruction& dot) {
  return dot.precision_config().algorithm() != PrecisionConfig::ALG_UNSET &&
         absl::c_any_of(dot.operands(), [](const HloInstruction* operand) {
           return primitive_util::BitWidth(operand->shape().element_type()) >= 32;
         });
}

// The places in the result of those dimensions that are not contracted.
Dimensions PlacesInResult(const HloInstruction& dot, int side) {
  Dimensions places = DimensionsInResult(dot, side);
  std::erase(places, -1);
  return places;
}

// What does not change along the contracted dimensions is multiplied with a sum: zeros and ones,
// whose products are exact, and before the sum what is the same for all rows.
HloInstruction* SumInstead(HloInstruction& dot) {
  if (!IsProductOfArrays(dot) || dot.shape().element_type() == PRED || IsRoundedTwice(dot) ||
      RoundsOperands(dot))
    return nullptr;
  const auto& numbers = dot.attributes_as<DotAttributes>();
  for (const int side : {0, 1}) {
    const auto& contracting = side == 0 ? numbers.lhs_contracting : numbers.rhs_contracting;
    HloInstruction* factor = dot.mutable_operand(side);
    const bool has_rows = !FreeDimensions(dot, side).empty();
    if (contracting.empty() || (has_rows && !IsMask(*factor)) ||
        !absl::c_all_of(contracting, [&](int64_t d) { return IsStretchedAlong(*factor, d); }))
      continue;
    GraphBuilder b(dot);
    const PrimitiveType type = SumTypeOfDot(dot);
    const Dimensions left_out(contracting.begin(), contracting.end());
    factor = b.Broadcast(b.Convert(factor->mutable_operand(0), type),
                         ShapeUtil::DeleteDimensions(left_out, factor->shape()).dimensions(),
                         Renumbered(factor->dimensions(), left_out));
    HloInstruction* summands = b.Convert(dot.mutable_operand(1 - side), type);
    const auto& other = side == 0 ? numbers.rhs_contracting : numbers.lhs_contracting;
    if (!has_rows) {
      const auto& other_batch = side == 0 ? numbers.rhs_batch : numbers.lhs_batch;
      Dimensions to;
      for (const int64_t d : PlacesInResult(dot, side)) to.push_back(other_batch[d]);
      summands = b.Binary(HloOpcode::kMultiply,
                          b.Broadcast(factor, summands->shape().dimensions(), to), summands);
    }
    HloInstruction* result = b.Broadcast(b.Sum(summands, Dimensions(other.begin(), other.end())),
                                         dot.shape().dimensions(), PlacesInResult(dot, 1 - side));
    if (has_rows) {
      result = b.Binary(HloOpcode::kMultiply,
                        b.Broadcast(factor, dot.shape().dimensions(), PlacesInResult(dot, side)),
                        result);
      // No sum that begins with zero is a negative zero.
      result = b.Binary(HloOpcode::kAdd, result, b.Constant(LiteralUtil::Zero(type)));
    }
    return b.Convert(result, dot.shape().element_type());
  }
  return nullptr;
}

constexpr OpcodeRule kDotRules[] = {
    {HloOpcode::kDot, StretchResult},
    {HloOpcode::kDot, SumInstead},
};

}  // namespace

absl::Span<const OpcodeRule> DotRules() { return kDotRules; }

}  // namespace xla::passes
