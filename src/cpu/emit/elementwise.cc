#include "cpu/emit/elementwise.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "cpu/emit/complex_functions.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/reals.h"
#include "cpu/emit/scalar_function.h"
#include "llvm/IR/Intrinsics.h"
#include "xla/comparison_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using primitive_util::IsComplexType;
using primitive_util::IsFloatingPointType;
using primitive_util::IsUnsignedIntegralType;

bool IsUnsigned(PrimitiveType type) { return type == PRED || IsUnsignedIntegralType(type); }

llvm::Value* Zero(const llvm::Value* like) {
  return llvm::Constant::getNullValue(const_cast<llvm::Type*>(like->getType()));
}

// ---- Conversions

// The nearest number where the float is out of range, zero for NaN.
llvm::Value* RealToInteger(Builder& b, PrimitiveType to, llvm::Value* value) {
  const int bits = primitive_util::BitWidth(to);
  const bool is_unsigned = IsUnsigned(to);
  const int magnitude_bits = is_unsigned ? bits : bits - 1;
  const int digits = value->getType()->getScalarType()->isDoubleTy() ? 53 : 24;
  const auto constant = [&](double number) {
    return llvm::ConstantFP::get(value->getType(), number);
  };
  // The largest float that is not too large may be less than the largest integer.
  const bool most_is_exact = magnitude_bits <= digits;
  const double last_digit = most_is_exact ? 1 : std::ldexp(1.0, magnitude_bits - digits);
  llvm::Value* least = constant(is_unsigned ? 0 : -std::ldexp(1.0, bits - 1));
  llvm::Value* most = constant(std::ldexp(1.0, magnitude_bits) - last_digit);
  llvm::Value* limited = b.CreateSelect(b.CreateFCmpOGT(value, least), value, least);
  limited = b.CreateSelect(b.CreateFCmpOLT(limited, most), limited, most);
  const bool is_small = bits <= 16;
  llvm::Type* type = WithLanes(b.getIntNTy(is_small ? 32 : bits), LaneCount(value->getType()));
  llvm::Value* number =
      is_unsigned && !is_small ? b.CreateFPToUI(limited, type) : b.CreateFPToSI(limited, type);
  if (!most_is_exact) {
    llvm::Value* largest = llvm::ConstantInt::get(
        type, is_unsigned ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getSignedMaxValue(bits));
    number = b.CreateSelect(b.CreateFCmpOGT(value, most), largest, number);
  }
  // NaN is the least number so far.
  if (is_unsigned) return number;
  return b.CreateSelect(b.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(type), number);
}

llvm::Value* ToInteger(Builder& b, PrimitiveType from, PrimitiveType to, llvm::Value* value) {
  const int lanes = LaneCount(value->getType());
  llvm::Type* type = WithLanes(ComputingType(b.getContext(), to), lanes);
  if (IsFloatingPointType(from))
    return b.CreateIntCast(RealToInteger(b, to, value), type, !IsUnsigned(to));
  return b.CreateIntCast(value, type, !IsUnsigned(from));
}

// A float with an odd last bit where the double has more digits, so that rounding it again sees no
// false tie.
Real ToOddFloat(const Real& x) {
  const Real nearest = ToFloat(x);
  const Real back = ToDouble(nearest);
  const Mask too_far = Abs(back) > Abs(x), inexact = (back < x) | (back > x);
  Builder& b = x.builder();
  const Whole bits = Bits(nearest);
  const auto one_where = [&](const Mask& mask) {
    return Whole(b, b.CreateZExt(mask.value(), bits.value()->getType()));
  };
  return FromBits((bits - one_where(too_far)) | one_where(inexact), nearest);
}

// The same of integers of 64 bits and doubles.
llvm::Value* ToOddDouble(Builder& b, llvm::Value* integer, bool is_unsigned) {
  llvm::Type* type = integer->getType();
  const auto constant = [&](uint64_t bits) { return llvm::ConstantInt::get(type, bits); };
  llvm::Value* magnitude =
      is_unsigned ? integer : b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, integer, b.getFalse());
  llvm::Value* dropped = b.CreateAnd(integer, constant(0xfff));
  llvm::Value* sticky =
      b.CreateSelect(b.CreateICmpNE(dropped, constant(0)), constant(0x800), constant(0));
  llvm::Value* odd = b.CreateOr(b.CreateAnd(integer, constant(~uint64_t{0xfff})), sticky);
  llvm::Value* chosen =
      b.CreateSelect(b.CreateICmpUGT(magnitude, constant((uint64_t{1} << 53) - 1)), odd, integer);
  llvm::Type* doubles = WithLanes(b.getDoubleTy(), LaneCount(type));
  return is_unsigned ? b.CreateUIToFP(chosen, doubles) : b.CreateSIToFP(chosen, doubles);
}

// To floats that will be rounded again if the type is narrower.
llvm::Value* ToReal(Builder& b, PrimitiveType from, PrimitiveType to, llvm::Value* value) {
  llvm::Type* type = WithLanes(ComputingType(b.getContext(), to), LaneCount(value->getType()));
  const bool is_real = IsFloatingPointType(from) || IsComplexType(from);
  const int from_bits = is_real ? ComputingBits(from) : primitive_util::BitWidth(from);
  const bool is_rounded_again = IsFloatingPointType(to) && primitive_util::BitWidth(to) < 32;
  if (is_rounded_again && !is_real && from_bits >= 32) {
    value = from_bits == 64 ? ToOddDouble(b, value, IsUnsigned(from)) : ToReal(b, from, F64, value);
    return ToReal(b, F64, to, value);
  }
  if (is_rounded_again && from_bits > ComputingBits(to)) return ToOddFloat({b, value}).value();
  if (is_real) return b.CreateFPCast(value, type);
  return IsUnsigned(from) ? b.CreateUIToFP(value, type) : b.CreateSIToFP(value, type);
}

// A real number up or down to an integer with the probability of its fraction: the random bits are
// the digits of a number between 0 and 1 that the fraction is compared with.
Lanes StochasticConvert(Builder& b, const HloInstruction& instruction,
                        absl::Span<const Lanes> operands) {
  const PrimitiveType random_type = instruction.operand(1)->shape().element_type();
  const Real x = ToDouble({b, operands[0].re});
  const Real whole = Truncate(Abs(x));
  const Real threshold = (Abs(x) - whole) * std::ldexp(1.0, primitive_util::BitWidth(random_type));
  const Real random = {b, ToReal(b, random_type, F64, operands[1].re)};
  const Real rounded = CopySign(Where(threshold > random, whole + 1, whole), x);
  const PrimitiveType type = instruction.shape().element_type();
  return {ToInteger(b, F64, type, rounded.value())};
}

// ---- Integers

llvm::Value* DivideIntegers(Builder& b, PrimitiveType type, llvm::Value* x, llvm::Value* y,
                            bool remainder) {
  llvm::Value* zero = Zero(y);
  llvm::Value* ones = llvm::Constant::getAllOnesValue(y->getType());
  llvm::Value* by_zero = b.CreateICmpEQ(y, zero);
  if (IsUnsigned(type)) {
    llvm::Value* divisor = b.CreateSelect(by_zero, llvm::ConstantInt::get(y->getType(), 1), y);
    llvm::Value* result = remainder ? b.CreateURem(x, divisor) : b.CreateUDiv(x, divisor);
    return b.CreateSelect(by_zero, remainder ? x : ones, result);
  }
  // The least number by -1 does not fit and stays as it is.
  llvm::Value* least = llvm::ConstantInt::get(
      y->getType(), llvm::APInt::getSignedMinValue(y->getType()->getScalarSizeInBits()));
  llvm::Value* overflows = b.CreateAnd(b.CreateICmpEQ(x, least), b.CreateICmpEQ(y, ones));
  llvm::Value* divisor =
      b.CreateSelect(b.CreateOr(by_zero, overflows), llvm::ConstantInt::get(y->getType(), 1), y);
  llvm::Value* result = remainder ? b.CreateSRem(x, divisor) : b.CreateSDiv(x, divisor);
  return b.CreateSelect(by_zero, remainder ? x : ones, result);
}

llvm::Value* Shift(Builder& b, HloOpcode opcode, PrimitiveType type, llvm::Value* x,
                   llvm::Value* y) {
  const int bits = primitive_util::BitWidth(type);
  llvm::Value* inside = b.CreateICmpULT(y, llvm::ConstantInt::get(y->getType(), bits));
  llvm::Value* amount = b.CreateSelect(inside, y, Zero(y));
  switch (opcode) {
    case HloOpcode::kShiftLeft:
      return b.CreateSelect(inside, b.CreateShl(x, amount), Zero(x));
    case HloOpcode::kShiftRightLogical: {
      llvm::Value* bare = bits < 8 ? b.CreateAnd(x, (1 << bits) - 1) : x;
      return b.CreateSelect(inside, b.CreateLShr(bare, amount), Zero(x));
    }
    default: {
      llvm::Value* most = llvm::ConstantInt::get(y->getType(), bits - 1);
      if (IsUnsigned(type) && bits < 8) x = b.CreateAShr(b.CreateShl(x, 8 - bits), 8 - bits);
      return b.CreateAShr(x, b.CreateSelect(inside, y, most));
    }
  }
}

llvm::Value* IntegerPower(Builder& b, PrimitiveType type, llvm::Value* x, llvm::Value* y) {
  // Squares and multiplies; a negative exponent leaves 1, -1 or 0.
  llvm::Value* one = llvm::ConstantInt::get(x->getType(), 1);
  llvm::Value* result = one;
  llvm::Value* base = x;
  llvm::Value* rest = y;
  const int bits = static_cast<int>(x->getType()->getScalarSizeInBits());
  for (int i = 0; i < bits; ++i) {
    llvm::Value* odd = b.CreateTrunc(rest, WithLanes(b.getInt1Ty(), LaneCount(x->getType())));
    result = b.CreateSelect(odd, b.CreateMul(result, base), result);
    base = b.CreateMul(base, base);
    rest = b.CreateLShr(rest, 1);
  }
  if (IsUnsigned(type)) return result;
  llvm::Value* ones = llvm::Constant::getAllOnesValue(x->getType());
  llvm::Value* parity = b.CreateICmpNE(b.CreateAnd(y, one), Zero(y));
  llvm::Value* inverse = b.CreateSelect(
      b.CreateICmpEQ(x, one), one,
      b.CreateSelect(b.CreateICmpEQ(x, ones), b.CreateSelect(parity, ones, one), Zero(x)));
  return b.CreateSelect(b.CreateICmpSLT(y, Zero(y)), inverse, result);
}

absl::StatusOr<llvm::Value*> BinaryInteger(Builder& b, const HloInstruction& instruction,
                                           PrimitiveType type, llvm::Value* x, llvm::Value* y) {
  const bool is_unsigned = IsUnsigned(type);
  switch (instruction.opcode()) {
    case HloOpcode::kAdd:
      return type == PRED ? b.CreateOr(x, y) : b.CreateAdd(x, y);
    case HloOpcode::kSubtract:
      return b.CreateSub(x, y);
    case HloOpcode::kMultiply:
      return type == PRED ? b.CreateAnd(x, y) : b.CreateMul(x, y);
    case HloOpcode::kDivide:
      return DivideIntegers(b, type, x, y, /*remainder=*/false);
    case HloOpcode::kRemainder:
      return DivideIntegers(b, type, x, y, /*remainder=*/true);
    case HloOpcode::kMaximum:
      return b.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, x,
                                     y);
    case HloOpcode::kMinimum:
      return b.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, x,
                                     y);
    case HloOpcode::kPower:
      return IntegerPower(b, type, x, y);
    case HloOpcode::kAnd:
      return b.CreateAnd(x, y);
    case HloOpcode::kOr:
      return b.CreateOr(x, y);
    case HloOpcode::kXor:
      return b.CreateXor(x, y);
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
      return Shift(b, instruction.opcode(), type, x, y);
    case HloOpcode::kMulhi: {
      const int bits = static_cast<int>(x->getType()->getScalarSizeInBits());
      llvm::Type* wide = WithLanes(b.getIntNTy(2 * bits), LaneCount(x->getType()));
      llvm::Value* product = b.CreateMul(b.CreateIntCast(x, wide, !is_unsigned),
                                         b.CreateIntCast(y, wide, !is_unsigned));
      return b.CreateTrunc(b.CreateLShr(product, primitive_util::BitWidth(type)), x->getType());
    }
    default:
      return NoCode(instruction);
  }
}

absl::StatusOr<llvm::Value*> UnaryInteger(Builder& b, const HloInstruction& instruction,
                                          PrimitiveType type, llvm::Value* x) {
  const int bits = primitive_util::BitWidth(type);
  switch (instruction.opcode()) {
    case HloOpcode::kAbs:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse());
    case HloOpcode::kNegate:
      return b.CreateNeg(x);
    case HloOpcode::kNot:
      return b.CreateNot(x);
    case HloOpcode::kSign: {
      llvm::Value* positive = b.CreateZExt(b.CreateICmpNE(x, Zero(x)), x->getType());
      if (IsUnsigned(type)) return positive;
      return b.CreateOr(b.CreateAShr(x, x->getType()->getScalarSizeInBits() - 1), positive);
    }
    case HloOpcode::kPopulationCount:
      if (bits < 8) x = b.CreateAnd(x, (1 << bits) - 1);
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x);
    case HloOpcode::kClz: {
      if (bits < 8) x = b.CreateAnd(x, (1 << bits) - 1);
      llvm::Value* count = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse());
      return bits < 8 ? b.CreateSub(count, llvm::ConstantInt::get(x->getType(), 8 - bits)) : count;
    }
    default:
      return NoCode(instruction);
  }
}

// ---- Comparisons

llvm::CmpInst::Predicate PredicateOf(Comparison::Direction direction, bool is_float,
                                     bool is_unsigned) {
  using P = llvm::CmpInst;
  switch (direction) {
    case Comparison::Direction::kEq:
      return is_float ? P::FCMP_OEQ : P::ICMP_EQ;
    case Comparison::Direction::kNe:
      return is_float ? P::FCMP_UNE : P::ICMP_NE;
    case Comparison::Direction::kLt:
      return is_float ? P::FCMP_OLT : is_unsigned ? P::ICMP_ULT : P::ICMP_SLT;
    case Comparison::Direction::kLe:
      return is_float ? P::FCMP_OLE : is_unsigned ? P::ICMP_ULE : P::ICMP_SLE;
    case Comparison::Direction::kGt:
      return is_float ? P::FCMP_OGT : is_unsigned ? P::ICMP_UGT : P::ICMP_SGT;
    case Comparison::Direction::kGe:
      break;
  }
  return is_float ? P::FCMP_OGE : is_unsigned ? P::ICMP_UGE : P::ICMP_SGE;
}

// Signed integers that compare as the total order of floats does: -NaN < -inf < ... < -0 < +0 < ...
// < NaN.
llvm::Value* TotalOrderKey(Builder& b, llvm::Value* x) {
  const unsigned bits = x->getType()->getScalarSizeInBits();
  llvm::Type* integers = WithLanes(b.getIntNTy(bits), LaneCount(x->getType()));
  llvm::Value* raw = b.CreateBitCast(x, integers);
  llvm::Value* flip = b.CreateLShr(b.CreateAShr(raw, bits - 1), 1);
  return b.CreateXor(raw, flip);
}

absl::StatusOr<Lanes> Compare(Builder& b, const HloInstruction& instruction, PrimitiveType type,
                              absl::Span<const Lanes> operands) {
  const Comparison::Direction direction = instruction.comparison_direction();
  const Lanes& x = operands[0];
  const Lanes& y = operands[1];
  if (IsComplexType(type)) {
    const bool is_equal = direction == Comparison::Direction::kEq;
    llvm::Value* re = b.CreateFCmp(PredicateOf(direction, true, false), x.re, y.re);
    llvm::Value* im = b.CreateFCmp(PredicateOf(direction, true, false), x.im, y.im);
    return Lanes{is_equal ? b.CreateAnd(re, im) : b.CreateOr(re, im)};
  }
  if (instruction.comparison_type() == Comparison::Type::kFloatTotalOrder) {
    return Lanes{b.CreateICmp(PredicateOf(direction, false, false), TotalOrderKey(b, x.re),
                              TotalOrderKey(b, y.re))};
  }
  return Lanes{
      b.CreateCmp(PredicateOf(direction, IsFloatingPointType(type), IsUnsigned(type)), x.re, y.re)};
}

absl::StatusOr<Lanes> Clamp(Builder& b, const HloInstruction& instruction, PrimitiveType type,
                            absl::Span<const Lanes> operands) {
  if (IsComplexType(type)) return ComplexFunction(b, instruction, type, operands);
  llvm::Value* low = operands[0].re;
  llvm::Value* x = operands[1].re;
  llvm::Value* high = operands[2].re;
  if (IsFloatingPointType(type)) {
    llvm::Value* raised = b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, low, x);
    return Lanes{b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, raised, high)};
  }
  const bool is_unsigned = IsUnsigned(type);
  llvm::Value* raised =
      b.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, low, x);
  return Lanes{b.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin,
                                       raised, high)};
}

absl::StatusOr<Lanes> ByOperandType(Builder& b, const HloInstruction& instruction,
                                    PrimitiveType type, absl::Span<const Lanes> operands) {
  if (IsComplexType(type)) return ComplexFunction(b, instruction, type, operands);
  if (IsFloatingPointType(type)) {
    HILO_ASSIGN_OR_RETURN(llvm::Value * result,
                          operands.size() == 1
                              ? RealFunction(b, instruction, type, operands[0].re)
                              : RealFunction(b, instruction, type, operands[0].re, operands[1].re));
    return Lanes{result};
  }
  HILO_ASSIGN_OR_RETURN(llvm::Value * result,
                        operands.size() == 1
                            ? UnaryInteger(b, instruction, type, operands[0].re)
                            : BinaryInteger(b, instruction, type, operands[0].re, operands[1].re));
  return Lanes{result};
}

}  // namespace

absl::Status NoCode(const HloInstruction& instruction) {
  return Unimplemented("the cpu back end has no code for %s", instruction.ToString());
}

absl::StatusOr<Lanes> Convert(Builder& b, PrimitiveType from, PrimitiveType to,
                              const Lanes& value) {
  if (from == to) return value;
  if (to == PRED) {
    if (!IsFloatingPointType(from) && !IsComplexType(from))
      return Lanes{b.CreateICmpNE(value.re, Zero(value.re))};
    llvm::Value* result = b.CreateFCmpUNE(value.re, Zero(value.re));
    if (value.im != nullptr) result = b.CreateOr(result, b.CreateFCmpUNE(value.im, Zero(value.im)));
    return Lanes{result};
  }
  if (IsComplexType(to)) {
    llvm::Value* re = ToReal(b, from, to, value.re);
    return Lanes{re, value.im == nullptr ? Zero(re) : ToReal(b, from, to, value.im)};
  }
  if (IsFloatingPointType(to)) return Round(b, to, {ToReal(b, from, to, value.re)});
  if (IsComplexType(from)) from = from == C64 ? F32 : F64;
  return Round(b, to, {ToInteger(b, from, to, value.re)});
}

absl::StatusOr<Lanes> ConvertInteger(Builder& b, llvm::Value* integers, PrimitiveType type) {
  return Convert(b, S64, type, {integers});
}

Lanes SelectLanes(Builder& b, llvm::Value* mask, const Lanes& on_true, const Lanes& on_false) {
  return {b.CreateSelect(mask, on_true.re, on_false.re),
          on_true.im == nullptr ? nullptr : b.CreateSelect(mask, on_true.im, on_false.im)};
}

llvm::Value* ClampStart(Builder& b, PrimitiveType type, const Lanes& start, int64_t room) {
  llvm::Type* integers = WithLanes(b.getInt64Ty(), LaneCount(start));
  llvm::Value* wide = b.CreateIntCast(start.re, integers, !IsUnsigned(type));
  llvm::Value* limit = llvm::ConstantInt::get(integers, static_cast<uint64_t>(room));
  if (IsUnsigned(type)) return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, wide, limit);
  return b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin,
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, llvm::Constant::getNullValue(integers)),
      limit);
}

Lanes ScalarConstant(Builder& b, const LiteralSlice& literal, int lanes) {
  const PrimitiveType type = literal.shape().element_type();
  const std::vector<int64_t> first(literal.shape().dimensions_size(), 0);
  if (type == U64) {
    return IntegerConstant(b, type, static_cast<int64_t>(literal.Get<uint64_t>(first)), lanes);
  }
  if (!IsFloatingPointType(type) && !IsComplexType(type)) {
    return IntegerConstant(b, type, *literal.GetIntegralAsS64(first), lanes);
  }
  const complex128 number = *literal.GetAsComplex128(first);
  llvm::Value* re = RealConstant(b, type, number.real(), lanes);
  return {re, IsComplexType(type) ? RealConstant(b, type, number.imag(), lanes) : nullptr};
}

bool IsElementwiseHere(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kMap) return IsScalarFunction(*instruction.to_apply());
  return (instruction.IsElementwise() && instruction.opcode() != HloOpcode::kFusion) ||
         instruction.opcode() == HloOpcode::kBitcastConvert;
}

absl::StatusOr<Lanes> Elementwise(Builder& b, const HloInstruction& instruction,
                                  absl::Span<const Lanes> operands) {
  if (!IsElementwiseHere(instruction)) return NoCode(instruction);
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  const PrimitiveType result_type = instruction.shape().element_type();
  absl::StatusOr<Lanes> result;
  switch (instruction.opcode()) {
    case HloOpcode::kCopy:
      return operands[0];
    case HloOpcode::kConvert:
      return Convert(b, type, result_type, operands[0]);
    case HloOpcode::kBitcastConvert:
      return Reinterpret(b, type, result_type, operands[0]);
    case HloOpcode::kCompare:
      return Compare(b, instruction, type, operands);
    case HloOpcode::kSelect:
      return SelectLanes(b, operands[0].re, operands[1], operands[2]);
    case HloOpcode::kStochasticConvert:
      return StochasticConvert(b, instruction, operands);
    case HloOpcode::kClamp:
      return Clamp(b, instruction, result_type, operands);
    case HloOpcode::kComplex:
      return Lanes{operands[0].re, operands[1].re};
    case HloOpcode::kReal:
      return Lanes{operands[0].re};
    case HloOpcode::kImag:
      if (operands[0].im != nullptr) return Lanes{operands[0].im};
      return Round(b, result_type, Lanes{Zero(operands[0].re)});  // some types have no zero
    case HloOpcode::kMap: {
      HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> results,
                            ApplyScalarFunction(b, *instruction.to_apply(), operands));
      return results[0];
    }
    default:
      result = ByOperandType(b, instruction, type, operands);
      break;
  }
  if (!result.ok()) return result;
  return result_type == PRED ? *result : Round(b, result_type, *result);
}

}  // namespace xla::cpu
