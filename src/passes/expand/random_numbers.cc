#include <cmath>
#include <memory>
#include <vector>

#include "ir/records.h"
#include "passes/expand/random.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// The run's counter, which then moves on by `count`.
WideCounter TakeCounter(GraphBuilder& b, int64_t count) {
  auto attributes = std::make_unique<RngGetAndUpdateStateAttributes>();
  attributes->delta = count;
  HloInstruction* state = b.Add(HloInstruction::Create(
      HloOpcode::kRngGetAndUpdateState, ShapeUtil::MakeShape(U64, {2}), {}, std::move(attributes)));
  return {b.Element(state, 0), b.Element(state, 1)};
}

// Numbers of F64 in [0, 1) with 53 random bits, one for each counter.
HloInstruction* UnitNumbers(GraphBuilder& b, const WideCounter& start, HloInstruction* by) {
  const auto words = PhiloxBlock(b, b.Bits(U64, 0), Advance(b, start, by));
  HloInstruction* bits =
      b.Binary(HloOpcode::kShiftRightLogical, JoinWord(b, words[0], words[1]), b.Bits(U64, 11));
  return b.Binary(HloOpcode::kMultiply, b.Convert(bits, F64), b.Number(F64, std::ldexp(1.0, -53)));
}

HloInstruction* Uniform(GraphBuilder& b, HloInstruction& rng, int64_t count) {
  const PrimitiveType type = rng.shape().element_type();
  HloInstruction* low = b.Convert(rng.mutable_operand(0), F64);
  HloInstruction* high = b.Convert(rng.mutable_operand(1), F64);
  HloInstruction* unit = UnitNumbers(b, TakeCounter(b, count), b.Iota(U64, {count}, 0));
  HloInstruction* width = b.Binary(HloOpcode::kSubtract, high, low);
  HloInstruction* value =
      b.Binary(HloOpcode::kAdd, low, b.Binary(HloOpcode::kMultiply, unit, width));
  if (!primitive_util::IsFloatingPointType(type))
    return b.Convert(b.Unary(HloOpcode::kFloor, value), type);
  // Rounding may reach the upper end, which is not in the interval unless that is empty or
  // infinite.
  value = b.Convert(value, type);
  HloInstruction* reaches = b.Compare(Comparison::Direction::kGe, b.Convert(value, F64), high);
  HloInstruction* is_empty = b.Compare(Comparison::Direction::kGe, low, high);
  HloInstruction* is_finite = b.Compare(Comparison::Direction::kLt, width, b.Number(F64, HUGE_VAL));
  HloInstruction* leaves = b.Binary(HloOpcode::kAnd, b.Unary(HloOpcode::kNot, is_empty), is_finite);
  return b.Select(b.Binary(HloOpcode::kAnd, reaches, leaves), rng.mutable_operand(0), value);
}

// Box and Muller's method.
HloInstruction* Normal(GraphBuilder& b, HloInstruction& rng, int64_t count) {
  const WideCounter start = TakeCounter(b, 2 * count);
  HloInstruction* first = b.Binary(HloOpcode::kShiftLeft, b.Iota(U64, {count}, 0), b.Bits(U64, 1));
  HloInstruction* second = b.Binary(HloOpcode::kAdd, first, b.Bits(U64, 1));
  HloInstruction* rest =
      b.Binary(HloOpcode::kSubtract, b.Number(F64, 1), UnitNumbers(b, start, first));
  HloInstruction* radius =
      b.Unary(HloOpcode::kSqrt,
              b.Binary(HloOpcode::kMultiply, b.Unary(HloOpcode::kLog, rest), b.Number(F64, -2)));
  HloInstruction* angle = b.Binary(HloOpcode::kMultiply, UnitNumbers(b, start, second),
                                   b.Number(F64, 2 * 3.14159265358979323846));
  HloInstruction* normal = b.Binary(HloOpcode::kMultiply, radius, b.Unary(HloOpcode::kCos, angle));
  HloInstruction* mean = b.Convert(rng.mutable_operand(0), F64);
  HloInstruction* deviation = b.Convert(rng.mutable_operand(1), F64);
  return b.Convert(
      b.Binary(HloOpcode::kAdd, mean, b.Binary(HloOpcode::kMultiply, normal, deviation)),
      rng.shape().element_type());
}

absl::StatusOr<HloInstruction*> ExpandRandomNumber(HloInstruction& rng) {
  if (rng.opcode() != HloOpcode::kRng || rng.shape().is_dynamic() ||
      primitive_util::IsComplexType(rng.shape().element_type())) {
    return nullptr;
  }
  GraphBuilder b(rng);
  const int64_t count = ShapeUtil::ElementsIn(rng.shape());
  HloInstruction* numbers = rng.attributes_as<RngAttributes>().distribution == RNG_NORMAL
                                ? Normal(b, rng, count)
                                : Uniform(b, rng, count);
  return b.Reshape(numbers, rng.shape().dimensions());
}

}  // namespace

absl::StatusOr<bool> ExpandRandomNumbers(HloModule& module) {
  return ReplaceEach(module, ExpandRandomNumber);
}

}  // namespace xla::passes
