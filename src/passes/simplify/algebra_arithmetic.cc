#include <bit>
#include <cmath>
#include <limits>

#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla::passes {
namespace {

// The operand that is a known number, if any: 0 or 1 of a commutative operation.
int KnownSide(const HloInstruction& instruction) {
  if (KnownElement(*instruction.operand(1)) != nullptr) return 1;
  return KnownElement(*instruction.operand(0)) != nullptr ? 0 : -1;
}

HloInstruction* Zero(HloInstruction& instruction) {
  GraphBuilder b(instruction);
  HloInstruction* zero = b.Constant(LiteralUtil::Zero(instruction.shape().element_type()));
  if (instruction.shape().dimensions_size() == 0) return zero;
  return b.Broadcast(zero, instruction.shape().dimensions());
}

// (x op c) op d becomes x op (c op d) for integers, where the order makes no difference.
HloInstruction* CollectConstants(HloInstruction& outer) {
  if (!HasIntegers(outer)) return nullptr;
  const int side = KnownSide(outer);
  if (side < 0) return nullptr;
  HloInstruction* inner = outer.mutable_operand(1 - side);
  if (inner->opcode() != outer.opcode()) return nullptr;
  const int inner_side = KnownSide(*inner);
  if (inner_side < 0) return nullptr;
  GraphBuilder b(outer);
  HloInstruction* constant =
      b.Binary(outer.opcode(), inner->mutable_operand(inner_side), outer.mutable_operand(side));
  return b.Binary(outer.opcode(), inner->mutable_operand(1 - inner_side), constant);
}

// x + 0; for floats it has to be -0, because -0 + 0 is 0.
HloInstruction* Add(HloInstruction& add) {
  for (int side : {0, 1}) {
    const HloInstruction& zero = *add.operand(side);
    if ((HasIntegers(add) && IsAllInteger(zero, 0)) || IsAllReal(zero, -0.0))
      return add.mutable_operand(1 - side);
  }
  return CollectConstants(add);
}

HloInstruction* Subtract(HloInstruction& subtract) {
  HloInstruction* x = subtract.mutable_operand(0);
  HloInstruction* y = subtract.mutable_operand(1);
  if ((HasIntegers(subtract) && IsAllInteger(*y, 0)) || IsAllReal(*y, 0.0)) return x;
  if (!HasIntegers(subtract)) return nullptr;
  if (x == y) return Zero(subtract);
  GraphBuilder b(subtract);
  if (IsAllInteger(*x, 0)) return b.Unary(HloOpcode::kNegate, y);
  // As a sum it meets other constants.
  if (KnownElement(*y) != nullptr)
    return b.Binary(HloOpcode::kAdd, x, b.Unary(HloOpcode::kNegate, y));
  return nullptr;
}

HloInstruction* Multiply(HloInstruction& multiply) {
  for (int side : {0, 1}) {
    const HloInstruction& factor = *multiply.operand(side);
    HloInstruction* x = multiply.mutable_operand(1 - side);
    if (HasIntegers(multiply) && IsAllInteger(factor, 1)) return x;
    if (HasIntegers(multiply) && IsAllInteger(factor, 0)) return Zero(multiply);
    if (IsAllReal(factor, 1)) return x;
    if (IsAllReal(factor, -1)) return GraphBuilder(multiply).Unary(HloOpcode::kNegate, x);
  }
  return CollectConstants(multiply);
}

// The reciprocal of a power of two, where it is a normal number of the type: products by it are
// rounded as the quotients are.
std::optional<double> ExactReciprocal(PrimitiveType type, double number) {
  int exponent;
  if (!std::isfinite(number) || std::fabs(std::frexp(number, &exponent)) != 0.5)
    return std::nullopt;
  // number is +-2^(exponent - 1).
  const int least = primitive_util::UnderflowExponent(type);
  const int greatest = primitive_util::OverflowExponent(type);
  if (1 - exponent < least - 1 || 1 - exponent >= greatest) return std::nullopt;
  return 1 / number;
}

HloInstruction* Divide(HloInstruction& divide) {
  HloInstruction* x = divide.mutable_operand(0);
  const HloInstruction& divisor = *divide.operand(1);
  const PrimitiveType type = divide.shape().element_type();
  if ((HasIntegers(divide) && IsAllInteger(divisor, 1)) || IsAllReal(divisor, 1)) return x;
  if (const std::optional<double> number = KnownReal(divisor);
      number.has_value() && (type == F16 || type == BF16 || type == F32 || type == F64)) {
    const std::optional<double> reciprocal = ExactReciprocal(type, *number);
    if (!reciprocal.has_value()) return nullptr;
    GraphBuilder b(divide);
    return b.Binary(HloOpcode::kMultiply, x, b.Number(type, *reciprocal));
  }
  const std::optional<int64_t> number = KnownInteger(divisor);
  if (!primitive_util::IsUnsignedIntegralType(type) || !number.has_value() || *number <= 0 ||
      (*number & (*number - 1)) != 0) {
    return nullptr;
  }
  GraphBuilder b(divide);
  return b.Binary(
      HloOpcode::kShiftRightLogical, x,
      b.Bits(type, static_cast<uint64_t>(std::countr_zero(static_cast<uint64_t>(*number)))));
}

HloInstruction* Remainder(HloInstruction& remainder) {
  const PrimitiveType type = remainder.shape().element_type();
  const std::optional<int64_t> number = KnownInteger(*remainder.operand(1));
  if (!number.has_value() || !HasIntegers(remainder)) return nullptr;
  if (*number == 1) return Zero(remainder);
  if (!primitive_util::IsUnsignedIntegralType(type) || *number <= 0 ||
      (*number & (*number - 1)) != 0) {
    return nullptr;
  }
  GraphBuilder b(remainder);
  return b.Binary(HloOpcode::kAnd, remainder.mutable_operand(0),
                  b.Bits(type, static_cast<uint64_t>(*number - 1)));
}

// Squares are rounded once, as powers are. x^0.5 differs from the root of x for -0 and -infinity.
HloInstruction* Power(HloInstruction& power) {
  HloInstruction* x = power.mutable_operand(0);
  const PrimitiveType type = power.shape().element_type();
  const std::optional<double> exponent = KnownReal(*power.operand(1));
  const std::optional<int64_t> count =
      HasIntegers(power) ? KnownInteger(*power.operand(1)) : std::nullopt;
  GraphBuilder b(power);
  if (count == 1 || exponent == 1) return x;
  if (count == 2 || exponent == 2) return b.Binary(HloOpcode::kMultiply, x, x);
  if (count == 3) return b.Binary(HloOpcode::kMultiply, b.Binary(HloOpcode::kMultiply, x, x), x);
  if (exponent == 3 && (type == F32 || type == F64))
    return b.Binary(HloOpcode::kMultiply, b.Binary(HloOpcode::kMultiply, x, x), x);
  if (exponent == -1) return b.Binary(HloOpcode::kDivide, b.Number(type, 1), x);
  if (exponent == 0.5 && (type == F16 || type == BF16 || type == F32 || type == F64)) {
    const double infinity = std::numeric_limits<double>::infinity();
    HloInstruction* root =
        b.Unary(HloOpcode::kSqrt, b.Binary(HloOpcode::kAdd, x, b.Number(type, 0)));
    HloInstruction* is_least = b.Compare(Comparison::Direction::kEq, x, b.Number(type, -infinity));
    return b.Select(is_least, b.Number(type, infinity), root);
  }
  return nullptr;
}

// f(f(x)) is x.
HloInstruction* UndoTwice(HloInstruction& instruction) {
  HloInstruction* inner = instruction.mutable_operand(0);
  return inner->opcode() == instruction.opcode() ? inner->mutable_operand(0) : nullptr;
}

// Where numbers have no sign, what is negated is NaN.
HloInstruction* Negate(HloInstruction& negate) {
  return negate.shape().element_type() == F8E8M0FNU ? nullptr : UndoTwice(negate);
}

// f(f(x)) is f(x).
HloInstruction* OnceIsEnough(HloInstruction& instruction) {
  HloInstruction* inner = instruction.mutable_operand(0);
  return inner->opcode() == instruction.opcode() ? inner : nullptr;
}

HloInstruction* SameTwice(HloInstruction& instruction) {
  return instruction.operand(0) == instruction.operand(1) ? instruction.mutable_operand(0)
                                                          : nullptr;
}

HloInstruction* ShiftByNothing(HloInstruction& shift) {
  return IsAllInteger(*shift.operand(1), 0) ? shift.mutable_operand(0) : nullptr;
}

// The upper halves of the numbers that an iota counts are zero.
HloInstruction* ShiftIotaAway(HloInstruction& shift) {
  const std::optional<int64_t> count = CountOfIota(*shift.operand(0));
  const std::optional<int64_t> amount = KnownInteger(*shift.operand(1));
  if (!count.has_value() || !amount.has_value() || *amount < 0) return nullptr;
  const bool is_zero = *amount >= 31 || *count <= int64_t{1} << *amount;
  if (!is_zero) return nullptr;
  GraphBuilder b(shift);
  return b.Broadcast(b.Number(shift.shape().element_type(), 0), shift.shape().dimensions());
}

constexpr OpcodeRule kArithmeticRules[] = {
    {HloOpcode::kAdd, Add},
    {HloOpcode::kSubtract, Subtract},
    {HloOpcode::kMultiply, Multiply},
    {HloOpcode::kDivide, Divide},
    {HloOpcode::kRemainder, Remainder},
    {HloOpcode::kPower, Power},
    {HloOpcode::kNegate, Negate},
    {HloOpcode::kNot, UndoTwice},
    {HloOpcode::kAbs, OnceIsEnough},
    {HloOpcode::kFloor, OnceIsEnough},
    {HloOpcode::kCeil, OnceIsEnough},
    {HloOpcode::kMaximum, SameTwice},
    {HloOpcode::kMinimum, SameTwice},
    {HloOpcode::kAnd, SameTwice},
    {HloOpcode::kOr, SameTwice},
    {HloOpcode::kAnd, CollectConstants},
    {HloOpcode::kOr, CollectConstants},
    {HloOpcode::kXor, CollectConstants},
    {HloOpcode::kShiftLeft, ShiftByNothing},
    {HloOpcode::kShiftRightLogical, ShiftByNothing},
    {HloOpcode::kShiftRightArithmetic, ShiftByNothing},
    {HloOpcode::kShiftRightLogical, ShiftIotaAway},
    {HloOpcode::kShiftRightArithmetic, ShiftIotaAway},
};

}  // namespace

absl::Span<const OpcodeRule> ArithmeticRules() { return kArithmeticRules; }

}  // namespace xla::passes
