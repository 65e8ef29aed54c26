#include "passes/simplify/ranges.h"

#include <algorithm>

#include "absl/types/span.h"
#include "passes/simplify/match.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using MaybeRange = std::optional<IntegerRange>;

// Sums of numbers below it, and products of two of them, do not overflow.
constexpr int64_t kFar = int64_t{1} << 31;

bool IsNear(const IntegerRange& range) { return range.least >= -kFar && range.most <= kFar; }

IntegerRange Product(const IntegerRange& x, const IntegerRange& y) {
  const auto [least, most] =
      std::minmax({x.least * y.least, x.least * y.most, x.most * y.least, x.most * y.most});
  return {least, most};
}

// Of a binary operation on numbers that are near.
MaybeRange Computed(HloOpcode opcode, const IntegerRange& x, const IntegerRange& y) {
  switch (opcode) {
    case HloOpcode::kAdd:
      return IntegerRange{x.least + y.least, x.most + y.most};
    case HloOpcode::kSubtract:
      return IntegerRange{x.least - y.most, x.most - y.least};
    case HloOpcode::kMultiply:
      return Product(x, y);
    case HloOpcode::kMaximum:
      return IntegerRange{std::max(x.least, y.least), std::max(x.most, y.most)};
    case HloOpcode::kMinimum:
      return IntegerRange{std::min(x.least, y.least), std::min(x.most, y.most)};
    case HloOpcode::kRemainder:
      if (x.least < 0 || y.least < 1) return std::nullopt;
      return IntegerRange{0, std::min(x.most, y.most - 1)};
    case HloOpcode::kDivide:
      if (x.least < 0 || y.least < 1) return std::nullopt;
      return IntegerRange{x.least / y.most, x.most / y.least};
    default:
      return std::nullopt;
  }
}

// Of the elements of a constant, where these are few.
MaybeRange RangeOf(const HloInstruction& constant) {
  constexpr int64_t kMostElements = 4096;
  const int64_t elements = ShapeUtil::ElementsIn(constant.shape());
  if (elements == 0 || elements > kMostElements || constant.shape().element_type() == U64)
    return std::nullopt;
  const Literal numbers = constant.literal().Convert(S64).value();
  const absl::Span<const int64_t> values = numbers.data<int64_t>();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return IntegerRange{*least, *most};
}

bool Fits(const IntegerRange& range, const HloInstruction& x) {
  const PrimitiveType type = x.shape().element_type();
  if (type == PRED) return range.least >= 0 && range.most <= 1;
  return primitive_util::FitsInIntegralType(range.least, type) &&
         primitive_util::FitsInIntegralType(range.most, type);
}

}  // namespace

std::optional<bool> KnownComparison(Comparison::Direction direction, const IntegerRange& x,
                                    const IntegerRange& y) {
  const auto decided = [](bool is_true, bool is_false) {
    return is_true || is_false ? std::optional(is_true) : std::nullopt;
  };
  const bool are_one = x.least == x.most && y.least == y.most && x.least == y.least;
  const bool differ = x.most < y.least || y.most < x.least;
  switch (direction) {
    case Comparison::Direction::kEq:
      return decided(are_one, differ);
    case Comparison::Direction::kNe:
      return decided(differ, are_one);
    case Comparison::Direction::kLt:
      return decided(x.most < y.least, x.least >= y.most);
    case Comparison::Direction::kLe:
      return decided(x.most <= y.least, x.least > y.most);
    case Comparison::Direction::kGt:
      return decided(x.least > y.most, x.most <= y.least);
    case Comparison::Direction::kGe:
      return decided(x.least >= y.most, x.most < y.least);
  }
  return std::nullopt;
}

MaybeRange IntegerRanges::Of(const HloInstruction& instruction) const {
  if (const auto found = known_.find(&instruction); found != known_.end()) return found->second;
  const std::optional<int64_t> known = KnownInteger(instruction);
  return known.has_value() ? MaybeRange({*known, *known}) : std::nullopt;
}

MaybeRange IntegerRanges::Add(const HloInstruction& instruction) {
  if (!instruction.shape().IsArray() ||
      !(HasIntegers(instruction) || instruction.shape().element_type() == PRED)) {
    return std::nullopt;
  }
  const MaybeRange range = Find(instruction);
  if (!range.has_value() || !Fits(*range, instruction)) return std::nullopt;
  known_[&instruction] = *range;
  return range;
}

MaybeRange IntegerRanges::Find(const HloInstruction& x) const {
  if (loop_.ElementNumber(x) == counter_.element)
    return IntegerRange{counter_.first, counter_.first + counter_.step * (counter_.steps - 1)};
  if (const std::optional<int64_t> count = CountOfIota(x); count.value_or(0) > 0)
    return IntegerRange{0, *count - 1};
  switch (x.opcode()) {
    case HloOpcode::kConstant:
      return RangeOf(x);
    case HloOpcode::kBroadcast:
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return Of(*x.operand(0));
    case HloOpcode::kSelect:
      return Select(x);
    case HloOpcode::kClamp: {
      const MaybeRange least = Of(*x.operand(0)), most = Of(*x.operand(2));
      if (!least.has_value() || !most.has_value() || least->most > most->least) return std::nullopt;
      const MaybeRange value = Of(*x.operand(1));
      if (!value.has_value()) return IntegerRange{least->least, most->most};
      return IntegerRange{std::clamp(value->least, least->least, most->least),
                          std::clamp(value->most, least->most, most->most)};
    }
    default:
      break;
  }
  if (x.operand_count() != 2) return std::nullopt;
  const MaybeRange first = Of(*x.operand(0)), second = Of(*x.operand(1));
  if (!first.has_value() || !second.has_value()) return std::nullopt;
  if (x.opcode() == HloOpcode::kCompare) {
    const std::optional<bool> known = KnownComparison(x.comparison_direction(), *first, *second);
    return known.has_value() ? MaybeRange({*known, *known}) : std::nullopt;
  }
  if (!HasIntegers(x) || !IsNear(*first) || !IsNear(*second)) return std::nullopt;
  return Computed(x.opcode(), *first, *second);
}

MaybeRange IntegerRanges::Select(const HloInstruction& x) const {
  const MaybeRange predicate = Of(*x.operand(0));
  if (predicate.has_value() && predicate->least == predicate->most)
    return Of(*x.operand(predicate->least != 0 ? 1 : 2));
  const MaybeRange first = Of(*x.operand(1)), second = Of(*x.operand(2));
  if (!first.has_value() || !second.has_value()) return std::nullopt;
  return IntegerRange{std::min(first->least, second->least), std::max(first->most, second->most)};
}

}  // namespace xla::passes
