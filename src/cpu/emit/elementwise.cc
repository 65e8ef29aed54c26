#include "cpu/emit/elementwise.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "codegen/program/register_form.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/reals.h"
#include "cpu/emit/scalar_function.h"
#include "cpu/emit/small_floats.h"
#include "ir/records.h"
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

// The same of integers of 32 bits and floats, or of 64 bits and doubles.
llvm::Value* ToOddReal(Builder& b, llvm::Value* integer, bool is_unsigned) {
  llvm::Type* type = integer->getType();
  const int bits = static_cast<int>(type->getScalarSizeInBits()), digits = bits == 64 ? 53 : 24;
  const uint64_t last = uint64_t{1} << (bits - digits), rest = 2 * last - 1;
  const auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  llvm::Value* magnitude =
      is_unsigned ? integer : b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, integer, b.getFalse());
  llvm::Value* dropped = b.CreateAnd(integer, constant(rest));
  llvm::Value* sticky =
      b.CreateSelect(b.CreateICmpNE(dropped, constant(0)), constant(last), constant(0));
  llvm::Value* odd = b.CreateOr(b.CreateXor(integer, dropped), sticky);
  llvm::Value* chosen = b.CreateSelect(
      b.CreateICmpUGT(magnitude, constant((uint64_t{1} << digits) - 1)), odd, integer);
  llvm::Type* reals = WithLanes(bits == 64 ? b.getDoubleTy() : b.getFloatTy(), LaneCount(type));
  return is_unsigned ? b.CreateUIToFP(chosen, reals) : b.CreateSIToFP(chosen, reals);
}

// To floats that will be rounded again if the type is narrower.
llvm::Value* ToReal(Builder& b, PrimitiveType from, PrimitiveType to, llvm::Value* value) {
  llvm::Type* type = WithLanes(ComputingType(b.getContext(), to), LaneCount(value->getType()));
  const bool is_real = IsFloatingPointType(from) || IsComplexType(from);
  const int from_bits = is_real ? ComputingBits(from) : primitive_util::BitWidth(from);
  if (to == F8E8M0FNU && is_real && from_bits == 32) return ToPowers({b, value}).value();
  if (from == F8E8M0FNU && ComputingBits(to) == 32) return FromPowers({b, value}).value();
  const bool is_rounded_again = IsFloatingPointType(to) && primitive_util::BitWidth(to) < 32;
  if (is_rounded_again && !is_real && from_bits >= std::max(32, ComputingBits(to))) {
    value = ToOddReal(b, value, IsUnsigned(from));
    return from_bits == 64 ? ToReal(b, F64, to, value) : value;
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

llvm::Value* RoundTo(Builder& b, const HloInstruction& instruction, PrimitiveType type,
                     llvm::Value* x) {
  // A lane's bits with the mantissa cut to `mantissa_bits`, to nearest even, and the exponent's
  // range narrowed.
  const auto& attributes = instruction.attributes_as<ReducePrecisionAttributes>();
  const bool is_double = x->getType()->getScalarType()->isDoubleTy();
  const int width = is_double ? 64 : 32;
  const int mantissa = is_double ? 52 : 23;
  const int exponent = is_double ? 11 : 8;
  llvm::Type* integers = WithLanes(b.getIntNTy(width), LaneCount(x->getType()));
  const auto constant = [&](uint64_t bits) { return llvm::ConstantInt::get(integers, bits); };
  llvm::Value* bits = b.CreateBitCast(x, integers);
  // Numbers that have no more digits, or no larger exponents, stay as they are.
  if (attributes.mantissa_bits + 1 < primitive_util::SignificandWidth(type)) {
    const int dropped = mantissa - static_cast<int>(attributes.mantissa_bits);
    // Without digits behind the point the last one is the leading 1.
    llvm::Value* odd = attributes.mantissa_bits == 0
                           ? constant(1)
                           : b.CreateAnd(b.CreateLShr(bits, dropped), constant(1));
    llvm::Value* bias = b.CreateAdd(constant((uint64_t{1} << (dropped - 1)) - 1), odd);
    bits = b.CreateAnd(b.CreateAdd(bits, bias), constant(~((uint64_t{1} << dropped) - 1)));
  }
  if (attributes.exponent_bits < primitive_util::ExponentWidth(type)) {
    const uint64_t exponent_mask = ((uint64_t{1} << exponent) - 1) << mantissa;
    const uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1;
    const uint64_t own_bias = (uint64_t{1} << (attributes.exponent_bits - 1)) - 1;
    llvm::Value* shown = b.CreateAnd(bits, constant(exponent_mask));
    llvm::Value* sign = b.CreateAnd(bits, constant(uint64_t{1} << (width - 1)));
    llvm::Value* overflows = b.CreateICmpUGT(shown, constant((bias + own_bias) << mantissa));
    llvm::Value* underflows = b.CreateICmpULE(shown, constant((bias - own_bias) << mantissa));
    bits = b.CreateSelect(overflows, b.CreateOr(sign, constant(exponent_mask)), bits);
    bits = b.CreateSelect(underflows, sign, bits);
  }
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, b.CreateBitCast(bits, x->getType()));
}

}  // namespace

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
  return {
      b.CreateUnpredictableSelect(mask, on_true.re, on_false.re),
      on_true.im == nullptr ? nullptr : b.CreateUnpredictableSelect(mask, on_true.im, on_false.im)};
}

llvm::Value* ClampStart(Builder& b, PrimitiveType type, const Lanes& start, int64_t most) {
  llvm::Type* integers = WithLanes(b.getInt64Ty(), LaneCount(start));
  llvm::Value* wide = b.CreateIntCast(start.re, integers, !IsUnsigned(type));
  llvm::Value* limit = llvm::ConstantInt::get(integers, static_cast<uint64_t>(most));
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

namespace {

// Whether a number of the type always has a result that the type has as well.
bool NeedsNoRounding(HloOpcode opcode, PrimitiveType type) {
  switch (opcode) {
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      return true;
    case HloOpcode::kAbs:
    case HloOpcode::kNegate:
    case HloOpcode::kCeil:
    case HloOpcode::kFloor:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
      return type == F16 || type == BF16;  // some narrower ones have no zero, or but one
    default:
      return false;
  }
}

// An operand of a sum or difference of real numbers if it is a product that nothing else reads and
// that is not rounded before it is used; otherwise null.
const llvm::BinaryOperator* ProductIn(const HloInstruction& sum, absl::Span<const Lanes> operands,
                                      int64_t index) {
  const HloInstruction& operand = *sum.operand(index);
  if (operand.opcode() != HloOpcode::kMultiply || operand.user_count() > 1 ||
      sum.operand(0) == sum.operand(1))
    return nullptr;
  const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(operands[index].re);
  return product != nullptr && product->getOpcode() == llvm::Instruction::FMul ? product : nullptr;
}

// A sum or difference of real numbers. A product in it is rounded with it where the target
// multiplies and adds at once. LLVM would choose such products by what else the block reads, and
// the same instruction would have other values in other loops.
Lanes SumOfNumbers(Builder& b, const HloInstruction& sum, absl::Span<const Lanes> operands) {
  const bool subtracts = sum.opcode() == HloOpcode::kSubtract;
  llvm::Value* x = operands[0].re;
  llvm::Value* y = operands[1].re;
  const auto add = [&](const llvm::BinaryOperator* product, bool negate_product,
                       llvm::Value* other) {
    const Real factor = {b, product->getOperand(0)};
    return Lanes{
        MulAdd(negate_product ? -factor : factor, {b, product->getOperand(1)}, {b, other}).value()};
  };
  if (const llvm::BinaryOperator* product = ProductIn(sum, operands, 0))
    return add(product, false, subtracts ? b.CreateFNeg(y) : y);
  if (const llvm::BinaryOperator* product = ProductIn(sum, operands, 1))
    return add(product, subtracts, x);
  // What a reduction adds up may be products.
  const bool is_combiner = sum.operand(0)->opcode() == HloOpcode::kParameter &&
                           sum.operand(1)->opcode() == HloOpcode::kParameter;
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  if (!is_combiner) b.clearFastMathFlags();
  return Lanes{subtracts ? b.CreateFSub(x, y) : b.CreateFAdd(x, y)};
}

}  // namespace

absl::StatusOr<Lanes> Elementwise(Builder& b, const HloInstruction& instruction,
                                  absl::Span<const Lanes> operands) {
  if (!program::IsElementwiseHere(instruction)) return NoCode(instruction);
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
      return ClampLanes(b, type, operands);
    case HloOpcode::kComplex:
      return Lanes{operands[0].re, operands[1].re};
    case HloOpcode::kReducePrecision:
      result = Lanes{RoundTo(b, instruction, type, RoundNow(b, type, operands[0]).re)};
      break;
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
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
      if (IsFloatingPointType(type)) {
        result = SumOfNumbers(b, instruction, operands);
        break;
      }
      [[fallthrough]];
    default:
      result = FunctionOfNumbers(b, instruction, type, operands);
      break;
  }
  if (!result.ok() || result_type == PRED || NeedsNoRounding(instruction.opcode(), result_type)) {
    return result;
  }
  return Round(b, result_type, *result);
}

}  // namespace xla::cpu
