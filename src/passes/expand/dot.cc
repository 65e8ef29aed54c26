#include "passes/expand/dot.h"

#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using Dimensions = std::vector<int64_t>;

constexpr int64_t kMostSummands = 4;
// The same of integers of 8 and 16 bits; reductions add whole groups of four as fast.
constexpr int64_t kMostNarrowSummands = 9, kGroup = 4;

int64_t DepthOf(const HloInstruction& dot) {
  int64_t depth = 1;
  for (int64_t d : dot.attributes_as<DotAttributes>().lhs_contracting)
    depth *= dot.operand(0)->shape().dimensions(d);
  return depth;
}

// Whether elements that are adjacent in memory differ along one of these dimensions.
bool AreAdjacentAlong(const Dimensions& dimensions, const Shape& shape) {
  for (int64_t d = shape.dimensions_size(); d-- > 0;) {
    if (shape.dimensions(d) > 1) return absl::c_linear_search(dimensions, d);
  }
  return false;
}

// What one side contributes to summand `number` of each element of the result: its slice there,
// whose other dimensions are those of the result that `to` says.
HloInstruction* Factor(GraphBuilder& b, HloInstruction* side, const Dimensions& contracting,
                       int64_t number, const Dimensions& to, const Shape& result) {
  const Shape& shape = side->shape();
  Dimensions starts(shape.dimensions_size(), 0), strides(shape.dimensions_size(), 1);
  Dimensions limits(shape.dimensions().begin(), shape.dimensions().end());
  for (size_t i = contracting.size(); i-- > 0;) {
    const int64_t d = contracting[i], size = shape.dimensions(d);
    starts[d] = number % size, limits[d] = number % size + 1;
    number /= size;
  }
  Shape sliced = shape;
  Dimensions rest, rest_to;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    sliced.set_dimensions(static_cast<int>(d), limits[d] - starts[d]);
    if (absl::c_linear_search(contracting, d)) continue;
    rest.push_back(shape.dimensions(d));
    rest_to.push_back(to[d]);
  }
  HloInstruction* slice = b.Add(HloInstruction::CreateSlice(sliced, side, starts, limits, strides));
  return b.Broadcast(b.Reshape(slice, rest), result.dimensions(), rest_to);
}

// Few summands are added one by one.
absl::Status ExpandShallowDot(HloInstruction& dot) {
  GraphBuilder b(dot);
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const PrimitiveType type = SumTypeOfDot(dot);
  HloInstruction* const sides[] = {b.Convert(dot.mutable_operand(0), type),
                                   b.Convert(dot.mutable_operand(1), type)};
  const Dimensions* const contracting[] = {&numbers.lhs_contracting, &numbers.rhs_contracting};
  const Dimensions to[] = {DimensionsInResult(dot, 0), DimensionsInResult(dot, 1)};
  HloInstruction* sum = nullptr;
  for (int64_t number = 0; number < DepthOf(dot); ++number) {
    HloInstruction* factors[2];
    for (int side : {0, 1})
      factors[side] = Factor(b, sides[side], *contracting[side], number, to[side], dot.shape());
    HloInstruction* product = b.Binary(HloOpcode::kMultiply, factors[0], factors[1]);
    sum = sum == nullptr ? product : b.Binary(HloOpcode::kAdd, sum, product);
  }
  return dot.parent()->ReplaceInstruction(&dot, b.Convert(sum, dot.shape().element_type()));
}

// Where contracted dimensions stand among the free ones of both sides.
enum class Place { kFirst, kBetween, kLast };

// Sums that are computed at once should read adjacent elements: along the free dimensions of the
// right, or of the left where the right has none; or else each sum should.
Place PlaceOfContracted(const HloInstruction& dot) {
  constexpr int64_t kLeastDepthOfRows = 8;
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const Shape &lhs = dot.operand(0)->shape(), &rhs = dot.operand(1)->shape();
  const bool has_columns =
      absl::c_any_of(FreeDimensions(dot, 1), [&](int64_t d) { return rhs.dimensions(d) > 1; });
  if (!has_columns)
    return AreAdjacentAlong(FreeDimensions(dot, 0), lhs) ? Place::kFirst : Place::kBetween;
  return DepthOf(dot) >= kLeastDepthOfRows && AreAdjacentAlong(numbers.rhs_contracting, rhs)
             ? Place::kLast
             : Place::kBetween;
}

// Both sides are stretched to all dimensions, those of the result in its order, and multiplied; the
// contracted dimensions are summed up.
absl::Status ExpandDot(HloInstruction& dot) {
  GraphBuilder b(dot);
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const PrimitiveType type = SumTypeOfDot(dot);
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const Dimensions lhs_free = FreeDimensions(dot, 0);
  const Dimensions rhs_free = FreeDimensions(dot, 1);

  Dimensions sizes, lhs_to(lhs.dimensions_size()), rhs_to(rhs.dimensions_size()), contracted;
  const auto append = [&](const Shape& shape, int64_t d) {
    sizes.push_back(shape.dimensions(d));
    return static_cast<int64_t>(sizes.size()) - 1;
  };
  for (size_t i = 0; i < numbers.lhs_batch.size(); ++i)
    rhs_to[numbers.rhs_batch[i]] = lhs_to[numbers.lhs_batch[i]] = append(lhs, numbers.lhs_batch[i]);
  const Place place = PlaceOfContracted(dot);
  const auto append_contracted = [&] {
    for (size_t i = 0; i < numbers.lhs_contracting.size(); ++i) {
      contracted.push_back(append(lhs, numbers.lhs_contracting[i]));
      lhs_to[numbers.lhs_contracting[i]] = rhs_to[numbers.rhs_contracting[i]] = contracted.back();
    }
  };
  if (place == Place::kFirst) append_contracted();
  for (int64_t d : lhs_free) lhs_to[d] = append(lhs, d);
  if (place == Place::kBetween) append_contracted();
  for (int64_t d : rhs_free) rhs_to[d] = append(rhs, d);
  if (place == Place::kLast) append_contracted();

  HloInstruction* left = b.Broadcast(b.Convert(dot.mutable_operand(0), type), sizes, lhs_to);
  HloInstruction* right = b.Broadcast(b.Convert(dot.mutable_operand(1), type), sizes, rhs_to);
  HloInstruction* result = b.Binary(HloOpcode::kMultiply, left, right);
  if (!contracted.empty()) result = b.Sum(result, contracted);
  return dot.parent()->ReplaceInstruction(&dot, b.Convert(result, dot.shape().element_type()));
}

}  // namespace

std::vector<int64_t> FreeDimensions(const HloInstruction& dot, int side) {
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const auto& batch = side == 0 ? numbers.lhs_batch : numbers.rhs_batch;
  const auto& contracting = side == 0 ? numbers.lhs_contracting : numbers.rhs_contracting;
  Dimensions free;
  for (int64_t d = 0; d < dot.operand(side)->shape().dimensions_size(); ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d))
      free.push_back(d);
  }
  return free;
}

std::vector<int64_t> DimensionsInResult(const HloInstruction& dot, int side) {
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const auto& batch = side == 0 ? numbers.lhs_batch : numbers.rhs_batch;
  Dimensions numbers_in_result(dot.operand(side)->shape().dimensions_size(), -1);
  int64_t next = 0;
  for (const int64_t d : batch) numbers_in_result[d] = next++;
  if (side == 1) next += static_cast<int64_t>(FreeDimensions(dot, 0).size());
  for (const int64_t d : FreeDimensions(dot, side)) numbers_in_result[d] = next++;
  return numbers_in_result;
}

PrimitiveType SumTypeOfDot(const HloInstruction& dot) {
  const PrimitiveType result = dot.shape().element_type();
  return primitive_util::IsFloatingPointType(result) && primitive_util::BitWidth(result) < 32
             ? F32
             : result;
}

bool IsRoundedTwice(const HloInstruction& dot) {
  return ShapeUtil::ElementIsIntegral(dot.shape()) &&
         !ShapeUtil::ElementIsIntegral(dot.operand(0)->shape());
}

bool IsShallowDot(const HloInstruction& dot) {
  const auto& numbers = dot.attributes_as<DotAttributes>();
  const Shape& lhs = dot.operand(0)->shape();
  const int64_t depth = DepthOf(dot);
  const bool is_narrow = ShapeUtil::ElementIsIntegral(lhs) &&
                         primitive_util::BitWidth(lhs.element_type()) <= 16 &&
                         depth <= kMostNarrowSummands && depth % kGroup != 0;
  return depth > 0 && (depth <= kMostSummands || is_narrow) &&
         !AreAdjacentAlong(numbers.lhs_batch, dot.operand(0)->shape()) &&
         !AreAdjacentAlong(numbers.rhs_batch, dot.operand(1)->shape());
}

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
      HILO_RETURN_IF_ERROR(IsShallowDot(*instruction) ? ExpandShallowDot(*instruction)
                                                      : ExpandDot(*instruction));
      changed = true;
    }
  }
  return changed;
}

absl::StatusOr<bool> ExpandDots(HloModule& module) {
  return ExpandDotsIf([](const HloInstruction&) { return true; }, module);
}

}  // namespace xla::passes
