// Functions of integers and of PRED.
#include <cmath>

#include "cpu/emit/math.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"
#include "xla/primitive_util.h"

namespace xla::cpu {

bool Integer::is_unsigned() const {
  return type == PRED || primitive_util::IsUnsignedIntegralType(type);
}

int Integer::bits() const { return primitive_util::BitWidth(type); }

llvm::Value* Integer::Constant(int64_t number) const {
  return llvm::ConstantInt::get(value->getType(), static_cast<uint64_t>(number));
}

namespace {

// Bits of the lanes, in which the elements of narrow types lie in the low ones.
int LaneBits(const Integer& x) {
  return static_cast<int>(x.value->getType()->getScalarSizeInBits());
}

llvm::Value* AllOnes(const Integer& x) {
  return llvm::Constant::getAllOnesValue(x.value->getType());
}

// Without copies of the sign above the element's own bits.
llvm::Value* Bare(const Integer& x) {
  return x.bits() < 8 ? x.b.CreateAnd(x.value, (1 << x.bits()) - 1) : x.value;
}

// No processor divides vectors of integers; floats with twice their bits, or nearly, it does.
bool AreDividedInFloats(const Integer& x, const Integer& y) {
  return LaneCount(x.value->getType()) > 1 && LaneBits(x) <= 32 &&
         !llvm::isa<llvm::Constant>(y.value);
}

// A quotient of integers below 2^n that is not whole is at least 2^-n of itself below the next
// whole number, so that rounding to more than n bits never reaches it. A divisor that is one number
// for all lanes has a reciprocal, made larger by more than what it and the product are rounded by,
// so that whole quotients are not missed, and by less than what would reach the next one.
llvm::Value* QuotientInFloats(const Integer& x, llvm::Value* divisor) {
  Builder& b = x.b;
  llvm::Type* type = x.value->getType();
  const bool is_narrow = LaneBits(x) <= 16;
  llvm::Type* real = is_narrow ? b.getFloatTy() : b.getDoubleTy();
  const auto convert = [&](llvm::Value* value) {
    llvm::Type* to = WithLanes(real, LaneCount(value->getType()));
    return x.is_unsigned() ? b.CreateUIToFP(value, to) : b.CreateSIToFP(value, to);
  };
  llvm::Value* quotient;
  if (divisor->getType()->isVectorTy()) {
    quotient = b.CreateFDiv(convert(x.value), convert(divisor));
  } else {
    const double more = 1 + std::ldexp(1.0, is_narrow ? -21 : -50);
    llvm::Value* reciprocal = b.CreateFDiv(llvm::ConstantFP::get(real, more), convert(divisor));
    quotient = b.CreateFMul(convert(x.value), b.CreateVectorSplat(LaneCount(type), reciprocal));
  }
  return x.is_unsigned() ? b.CreateFPToUI(quotient, type) : b.CreateFPToSI(quotient, type);
}

// x / y or the remainder, where y is the same in all lanes.
Integer DivisionByOne(const Integer& x, llvm::Value* y, bool remainder) {
  Builder& b = x.b;
  const int lanes = LaneCount(x.value->getType());
  llvm::Value* by_zero = b.CreateIsNull(y);
  llvm::Value* negates = x.is_unsigned()
                             ? b.getFalse()
                             : b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(y->getType()));
  llvm::Value* divisor =
      b.CreateSelect(b.CreateOr(by_zero, negates), llvm::ConstantInt::get(y->getType(), 1), y);
  llvm::Value* quotient = QuotientInFloats(x, divisor);
  llvm::Value* result = quotient;
  if (remainder) {
    result = b.CreateSub(x.value, b.CreateMul(quotient, b.CreateVectorSplat(lanes, divisor)));
  } else if (!x.is_unsigned()) {
    result = b.CreateSelect(negates, b.CreateNeg(x.value), quotient);
  }
  return x.With(b.CreateSelect(by_zero, remainder ? x.value : AllOnes(x), result));
}

// x / y or the remainder. x / 0 has all bits set and leaves x.
Integer Division(const Integer& x, const Integer& y, bool remainder) {
  Builder& b = x.b;
  const bool in_floats = AreDividedInFloats(x, y);
  llvm::Value* one = in_floats ? llvm::getSplatValue(y.value) : nullptr;
  if (one != nullptr) return DivisionByOne(x, one, remainder);
  llvm::Value* by_zero = b.CreateICmpEQ(y.value, y.Constant(0));
  llvm::Value* unfit = by_zero;
  if (!x.is_unsigned()) {
    // The least number by -1 does not fit and stays as it is.
    llvm::Value* least =
        llvm::ConstantInt::get(y.value->getType(), llvm::APInt::getSignedMinValue(LaneBits(y)));
    unfit = b.CreateOr(
        by_zero, b.CreateAnd(b.CreateICmpEQ(x.value, least), b.CreateICmpEQ(y.value, AllOnes(y))));
  }
  llvm::Value* divisor = b.CreateSelect(unfit, y.Constant(1), y.value);
  llvm::Value* result;
  if (in_floats) {
    result = QuotientInFloats(x, divisor);
    if (remainder) result = b.CreateSub(x.value, b.CreateMul(result, divisor));
  } else {
    const auto operation = x.is_unsigned()
                               ? remainder ? llvm::Instruction::URem : llvm::Instruction::UDiv
                           : remainder ? llvm::Instruction::SRem
                                       : llvm::Instruction::SDiv;
    result = b.CreateBinOp(operation, x.value, divisor);
  }
  return x.With(b.CreateSelect(by_zero, remainder ? x.value : AllOnes(x), result));
}

// Whether a shift by y leaves bits of x, and by how much to shift then.
struct Distance {
  llvm::Value* is_inside;
  llvm::Value* amount;
};
Distance DistanceOf(const Integer& y) {
  llvm::Value* inside = y.b.CreateICmpULT(y.value, y.Constant(y.bits()));
  return {inside, y.b.CreateSelect(inside, y.value, y.Constant(0))};
}

// Whole bytes of each lane, so many further up, as most vectors cannot be rotated.
llvm::Value* RotateBytes(Builder& b, llvm::Value* x, int by) {
  const int bytes = static_cast<int>(x->getType()->getScalarSizeInBits()) / 8;
  const int count = bytes * LaneCount(x->getType());
  llvm::SmallVector<int, 64> from(count);
  for (int i = 0; i < count; ++i) from[i] = i - i % bytes + (i % bytes + bytes - by) % bytes;
  llvm::Value* moved =
      b.CreateShuffleVector(b.CreateBitCast(x, WithLanes(b.getInt8Ty(), count)), from);
  return b.CreateBitCast(moved, x->getType());
}

// The rotation that shifts to the left and to the right by constants are together, or null.
llvm::Value* Rotation(const Integer& left, const Integer& right) {
  using namespace llvm::PatternMatch;
  llvm::Value* x;
  const llvm::APInt *by, *rest;
  if (!match(left.value, m_Shl(m_Value(x), m_APInt(by))) ||
      !match(right.value, m_LShr(m_Specific(x), m_APInt(rest))) || by->isZero() ||
      *by + *rest != static_cast<uint64_t>(LaneBits(left))) {
    return nullptr;
  }
  Builder& b = left.b;
  const auto amount = static_cast<int>(by->getZExtValue());
  const bool in_bytes = amount % 8 == 0 && LaneCount(x->getType()) > 1 &&
                        b.target().instruction_set == codegen::InstructionSet::kAvx2;
  return b.CreateFence(in_bytes ? RotateBytes(b, x, amount / 8)
                                : b.CreateIntrinsic(llvm::Intrinsic::fshl, {x->getType()},
                                                    {x, x, left.Constant(amount)}));
}

Integer Choose(const Integer& x, const Integer& y, llvm::Intrinsic::ID of_unsigned,
               llvm::Intrinsic::ID of_signed) {
  return x.With(
      x.b.CreateBinaryIntrinsic(x.is_unsigned() ? of_unsigned : of_signed, x.value, y.value));
}

}  // namespace

Integer Abs(const Integer& x) {
  return x.With(x.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x.value, x.b.getFalse()));
}
Integer Negate(const Integer& x) { return x.With(x.b.CreateNeg(x.value)); }
Integer Not(const Integer& x) { return x.With(x.b.CreateNot(x.value)); }
Integer Sign(const Integer& x) {
  Builder& b = x.b;
  llvm::Value* nonzero = b.CreateZExt(b.CreateICmpNE(x.value, x.Constant(0)), x.value->getType());
  if (x.is_unsigned()) return x.With(nonzero);
  return x.With(b.CreateOr(b.CreateAShr(x.value, LaneBits(x) - 1), nonzero));
}
Integer PopulationCount(const Integer& x) {
  return x.With(x.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, Bare(x)));
}
Integer Clz(const Integer& x) {
  llvm::Value* count = x.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, Bare(x), x.b.getFalse());
  return x.With(x.bits() < 8 ? x.b.CreateSub(count, x.Constant(8 - x.bits())) : count);
}

Integer Add(const Integer& x, const Integer& y) {
  return x.With(x.type == PRED ? x.b.CreateOr(x.value, y.value) : x.b.CreateAdd(x.value, y.value));
}
Integer Subtract(const Integer& x, const Integer& y) {
  return x.With(x.b.CreateSub(x.value, y.value));
}
Integer Multiply(const Integer& x, const Integer& y) {
  return x.With(x.type == PRED ? x.b.CreateAnd(x.value, y.value) : x.b.CreateMul(x.value, y.value));
}
Integer Divide(const Integer& x, const Integer& y) { return Division(x, y, /*remainder=*/false); }
Integer Remainder(const Integer& x, const Integer& y) { return Division(x, y, /*remainder=*/true); }
Integer Maximum(const Integer& x, const Integer& y) {
  return Choose(x, y, llvm::Intrinsic::umax, llvm::Intrinsic::smax);
}
Integer Minimum(const Integer& x, const Integer& y) {
  return Choose(x, y, llvm::Intrinsic::umin, llvm::Intrinsic::smin);
}

Integer And(const Integer& x, const Integer& y) { return x.With(x.b.CreateAnd(x.value, y.value)); }
Integer Or(const Integer& x, const Integer& y) {
  llvm::Value* rotated = Rotation(x, y);
  if (rotated == nullptr) rotated = Rotation(y, x);
  return x.With(rotated != nullptr ? rotated : x.b.CreateOr(x.value, y.value));
}
Integer Xor(const Integer& x, const Integer& y) { return x.With(x.b.CreateXor(x.value, y.value)); }

Integer ShiftLeft(const Integer& x, const Integer& y) {
  const auto [is_inside, amount] = DistanceOf(y);
  return x.With(x.b.CreateSelect(is_inside, x.b.CreateShl(x.value, amount), x.Constant(0)));
}
Integer ShiftRightLogical(const Integer& x, const Integer& y) {
  const auto [is_inside, amount] = DistanceOf(y);
  return x.With(x.b.CreateSelect(is_inside, x.b.CreateLShr(Bare(x), amount), x.Constant(0)));
}
Integer ShiftRightArithmetic(const Integer& x, const Integer& y) {
  Builder& b = x.b;
  const auto [is_inside, amount] = DistanceOf(y);
  llvm::Value* extended = x.value;
  if (x.is_unsigned() && x.bits() < 8)
    extended = b.CreateAShr(b.CreateShl(x.value, 8 - x.bits()), 8 - x.bits());
  return x.With(
      b.CreateAShr(extended, b.CreateSelect(is_inside, y.value, y.Constant(x.bits() - 1))));
}

// The upper half of the product.
Integer Mulhi(const Integer& x, const Integer& y) {
  Builder& b = x.b;
  llvm::Type* wide = WithLanes(b.getIntNTy(2 * LaneBits(x)), LaneCount(x.value->getType()));
  llvm::Value* product = b.CreateMul(b.CreateIntCast(x.value, wide, !x.is_unsigned()),
                                     b.CreateIntCast(y.value, wide, !x.is_unsigned()));
  return x.With(b.CreateTrunc(b.CreateLShr(product, x.bits()), x.value->getType()));
}

Integer Power(const Integer& x, const Integer& y) {
  // Squares and multiplies; a negative exponent leaves 1, -1 or 0.
  Builder& b = x.b;
  llvm::Value* one = x.Constant(1);
  llvm::Value* result = one;
  llvm::Value* base = x.value;
  llvm::Value* rest = y.value;
  for (int i = 0; i < LaneBits(x); ++i) {
    llvm::Value* odd = b.CreateTrunc(rest, WithLanes(b.getInt1Ty(), LaneCount(x.value->getType())));
    result = b.CreateSelect(odd, b.CreateMul(result, base), result);
    base = b.CreateMul(base, base);
    rest = b.CreateLShr(rest, 1);
  }
  if (x.is_unsigned()) return x.With(result);
  llvm::Value* zero = x.Constant(0);
  llvm::Value* parity = b.CreateICmpNE(b.CreateAnd(y.value, one), zero);
  llvm::Value* inverse =
      b.CreateSelect(b.CreateICmpEQ(x.value, one), one,
                     b.CreateSelect(b.CreateICmpEQ(x.value, AllOnes(x)),
                                    b.CreateSelect(parity, AllOnes(x), one), zero));
  return x.With(b.CreateSelect(b.CreateICmpSLT(y.value, zero), inverse, result));
}

}  // namespace xla::cpu
