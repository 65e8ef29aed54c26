#include "cpu/emit/functions.h"

#include <string>
#include <vector>

#include "base/status_macros.h"
#include "cpu/emit/math.h"
#include "ir/records.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

llvm::Value* Number(llvm::Value* like, double number) {
  return llvm::ConstantFP::get(like->getType(), number);
}

llvm::Value* Sign(Builder& b, llvm::Value* x) {
  llvm::Value* zero = Number(x, 0);
  llvm::Value* one = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, Number(x, 1), x);
  // Zeros and NaN stay as they are.
  return b.CreateSelect(b.CreateFCmpONE(x, zero), one, x);
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

Lanes AddLanes(Builder& b, PrimitiveType type, const Lanes& x, const Lanes& y) {
  if (!x.re->getType()->isFPOrFPVectorTy())
    return {type == PRED ? b.CreateOr(x.re, y.re) : b.CreateAdd(x.re, y.re)};
  return {b.CreateFAdd(x.re, y.re), x.im == nullptr ? nullptr : b.CreateFAdd(x.im, y.im)};
}

Lanes MultiplyLanes(Builder& b, PrimitiveType type, const Lanes& x, const Lanes& y) {
  if (x.im != nullptr) {
    return {b.CreateFSub(b.CreateFMul(x.re, y.re), b.CreateFMul(x.im, y.im)),
            b.CreateFAdd(b.CreateFMul(x.re, y.im), b.CreateFMul(x.im, y.re))};
  }
  if (x.re->getType()->isFPOrFPVectorTy()) return {b.CreateFMul(x.re, y.re)};
  return {type == PRED ? b.CreateAnd(x.re, y.re) : b.CreateMul(x.re, y.re)};
}

absl::StatusOr<llvm::Value*> RealFunction(Builder& b, const HloInstruction& instruction,
                                          PrimitiveType type, llvm::Value* x) {
  const auto intrinsic = [&](llvm::Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
  const auto function = [&](Real (*of)(const Real&)) { return of({b, x}).value(); };
  switch (instruction.opcode()) {
    case HloOpcode::kAbs:
      return intrinsic(llvm::Intrinsic::fabs);
    case HloOpcode::kNegate:
      return b.CreateFNeg(x);
    case HloOpcode::kCeil:
      return intrinsic(llvm::Intrinsic::ceil);
    case HloOpcode::kFloor:
      return intrinsic(llvm::Intrinsic::floor);
    case HloOpcode::kRoundNearestAfz:
      return intrinsic(llvm::Intrinsic::round);
    case HloOpcode::kRoundNearestEven:
      return intrinsic(llvm::Intrinsic::roundeven);
    case HloOpcode::kSqrt:
      return intrinsic(llvm::Intrinsic::sqrt);
    case HloOpcode::kRsqrt:
      return b.CreateFDiv(Number(x, 1), intrinsic(llvm::Intrinsic::sqrt));
    case HloOpcode::kSign:
      return Sign(b, x);
    case HloOpcode::kIsFinite:
      return b.CreateFCmpOLT(intrinsic(llvm::Intrinsic::fabs),
                             llvm::ConstantFP::getInfinity(x->getType()));
    case HloOpcode::kReducePrecision:
      return RoundTo(b, instruction, type, RoundNow(b, type, {x}).re);
    case HloOpcode::kLogistic:
      return function(Logistic);
    case HloOpcode::kAcos:
      return function(Acos);
    case HloOpcode::kAcosh:
      return function(Acosh);
    case HloOpcode::kAsin:
      return function(Asin);
    case HloOpcode::kAsinh:
      return function(Asinh);
    case HloOpcode::kAtanh:
      return function(Atanh);
    case HloOpcode::kCbrt:
      return function(Cbrt);
    case HloOpcode::kCos:
      return function(Cos);
    case HloOpcode::kCosh:
      return function(Cosh);
    case HloOpcode::kErf:
      return function(Erf);
    case HloOpcode::kExp:
      return function(Exp);
    case HloOpcode::kExpm1:
      return function(Expm1);
    case HloOpcode::kLog:
      return function(Log);
    case HloOpcode::kLog1p:
      return function(Log1p);
    case HloOpcode::kSin:
      return function(Sin);
    case HloOpcode::kSinh:
      return function(Sinh);
    case HloOpcode::kTan:
      return function(Tan);
    case HloOpcode::kTanh:
      return function(Tanh);
    default:
      return NoCode(instruction);
  }
}

absl::StatusOr<llvm::Value*> RealFunction(Builder& b, const HloInstruction& instruction,
                                          PrimitiveType type, llvm::Value* x, llvm::Value* y) {
  switch (instruction.opcode()) {
    case HloOpcode::kAdd:
      return b.CreateFAdd(x, y);
    case HloOpcode::kSubtract:
      return b.CreateFSub(x, y);
    case HloOpcode::kMultiply:
      return b.CreateFMul(x, y);
    case HloOpcode::kDivide:
      return b.CreateFDiv(x, y);
    case HloOpcode::kMaximum:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
    case HloOpcode::kMinimum:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, y);
    case HloOpcode::kRemainder:
      return Remainder({b, x}, {b, y}).value();
    case HloOpcode::kPower:
      return Power({b, x}, {b, y}).value();
    case HloOpcode::kAtan2:
      return Atan2({b, x}, {b, y}).value();
    default:
      return NoCode(instruction);
  }
}

}  // namespace xla::cpu
