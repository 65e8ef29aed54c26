#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "passes/simplify/ranges.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {

HloInstruction* Truth(HloInstruction& instruction, bool value) {
  GraphBuilder b(instruction);
  return b.Broadcast(b.Constant(LiteralUtil::CreateR0<bool>(value)),
                     instruction.shape().dimensions());
}

namespace {

using Direction = Comparison::Direction;

bool IsPred(const HloInstruction& x) { return x.shape().element_type() == PRED; }

// All bits set, or none.
bool IsFull(const HloInstruction& x) {
  return IsPred(x) ? IsAllInteger(x, 1) : IsAllInteger(x, -1);
}
bool IsEmpty(const HloInstruction& x) { return IsAllInteger(x, 0); }

HloInstruction* And(HloInstruction& instruction) {
  for (int side : {0, 1}) {
    if (IsFull(*instruction.operand(side))) return instruction.mutable_operand(1 - side);
    if (IsEmpty(*instruction.operand(side))) return instruction.mutable_operand(side);
  }
  return nullptr;
}

HloInstruction* Or(HloInstruction& instruction) {
  for (int side : {0, 1}) {
    if (IsEmpty(*instruction.operand(side))) return instruction.mutable_operand(1 - side);
    if (IsFull(*instruction.operand(side))) return instruction.mutable_operand(side);
  }
  return nullptr;
}

HloInstruction* Xor(HloInstruction& instruction) {
  for (int side : {0, 1}) {
    HloInstruction* other = instruction.mutable_operand(1 - side);
    if (IsEmpty(*instruction.operand(side))) return other;
    if (IsFull(*instruction.operand(side)))
      return GraphBuilder(instruction).Unary(HloOpcode::kNot, other);
  }
  return nullptr;
}

// Whether the comparison orders all values, so that one of <, =, > holds.
bool IsTotal(const HloInstruction& compare) {
  return HasIntegers(*compare.operand(0)) || IsPred(*compare.operand(0)) ||
         compare.comparison_type() == Comparison::Type::kFloatTotalOrder;
}

// What a comparison with the least number of an unsigned type or PRED says by itself.
HloInstruction* CompareWithBound(HloInstruction& compare) {
  const HloInstruction& x = *compare.operand(0);
  if (!primitive_util::IsUnsignedIntegralType(x.shape().element_type()) && !IsPred(x))
    return nullptr;
  if (!IsAllInteger(*compare.operand(1), 0)) return nullptr;
  if (compare.comparison_direction() == Direction::kLt) return Truth(compare, false);
  if (compare.comparison_direction() == Direction::kGe) return Truth(compare, true);
  return nullptr;
}

// An iota's elements are known to lie below its size.
HloInstruction* CompareIota(HloInstruction& compare) {
  const std::optional<int64_t> count = CountOfIota(*compare.operand(0));
  const std::optional<int64_t> bound = KnownInteger(*compare.operand(1));
  if (!count.has_value() || !bound.has_value()) return nullptr;
  const std::optional<bool> known =
      KnownComparison(compare.comparison_direction(), {0, *count - 1}, {*bound, *bound});
  return known.has_value() ? Truth(compare, *known) : nullptr;
}

HloInstruction* Compare(HloInstruction& compare) {
  HloInstruction* x = compare.mutable_operand(0);
  const Direction direction = compare.comparison_direction();
  const bool holds_for_equal =
      direction == Direction::kEq || direction == Direction::kLe || direction == Direction::kGe;
  if (x == compare.operand(1) && IsTotal(compare)) return Truth(compare, holds_for_equal);
  const bool is_equality = direction == Direction::kEq || direction == Direction::kNe;
  if (IsPred(*x) && is_equality) {
    const std::optional<int64_t> value = KnownInteger(*compare.operand(1));
    if (value.has_value()) {
      if ((*value != 0) == (direction == Direction::kEq)) return x;
      return GraphBuilder(compare).Unary(HloOpcode::kNot, x);
    }
  }
  if (HloInstruction* known = CompareWithBound(compare); known != nullptr) return known;
  return CompareIota(compare);
}

// The opposite comparison, where no NaN makes both false.
HloInstruction* Not(HloInstruction& instruction) {
  HloInstruction* compare = instruction.mutable_operand(0);
  if (compare->opcode() != HloOpcode::kCompare || compare->user_count() != 1) return nullptr;
  Direction opposite;
  switch (compare->comparison_direction()) {
    case Direction::kEq:
      opposite = Direction::kNe;
      break;
    case Direction::kNe:
      opposite = Direction::kEq;
      break;
    default:
      if (!IsTotal(*compare)) return nullptr;
      opposite = compare->comparison_direction() == Direction::kLt   ? Direction::kGe
                 : compare->comparison_direction() == Direction::kGe ? Direction::kLt
                 : compare->comparison_direction() == Direction::kGt ? Direction::kLe
                                                                     : Direction::kGt;
  }
  GraphBuilder b(instruction);
  std::unique_ptr<HloInstruction> made =
      compare->CloneWithNewOperands(instruction.shape(), compare->operands());
  made->mutable_attributes_as<CompareAttributes>().direction = static_cast<int>(opposite);
  return b.Add(std::move(made));
}

HloInstruction* Select(HloInstruction& select) {
  HloInstruction* predicate = select.mutable_operand(0);
  HloInstruction* on_true = select.mutable_operand(1);
  HloInstruction* on_false = select.mutable_operand(2);
  if (on_true == on_false) return on_true;
  if (const std::optional<int64_t> known = KnownInteger(*predicate); known.has_value())
    return *known != 0 ? on_true : on_false;
  GraphBuilder b(select);
  if (predicate->opcode() == HloOpcode::kNot)
    return b.Select(predicate->mutable_operand(0), on_false, on_true);
  if (!IsPred(select) || !ShapeUtil::Compatible(predicate->shape(), select.shape())) return nullptr;
  if (IsFull(*on_true)) return b.Binary(HloOpcode::kOr, predicate, on_false);
  if (IsEmpty(*on_false)) return b.Binary(HloOpcode::kAnd, predicate, on_true);
  if (IsEmpty(*on_true) && IsFull(*on_false)) return b.Unary(HloOpcode::kNot, predicate);
  return nullptr;
}

constexpr OpcodeRule kLogicRules[] = {
    {HloOpcode::kAnd, And},         {HloOpcode::kOr, Or},   {HloOpcode::kXor, Xor},
    {HloOpcode::kCompare, Compare}, {HloOpcode::kNot, Not}, {HloOpcode::kSelect, Select},
};

}  // namespace

absl::Span<const OpcodeRule> LogicRules() { return kLogicRules; }

}  // namespace xla::passes
