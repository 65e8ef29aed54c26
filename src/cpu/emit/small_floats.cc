#include "cpu/emit/small_floats.h"

#include <cmath>

#include "cpu/emit/reals.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::cpu {
namespace {

// What the template of the types knows, as values.
struct Format {
  int mantissa_bits, bias;
  int sign_mask, largest, overflow, nan;  // codes
  bool has_infinity, has_nan, has_negative_zero;
};

Format FormatOf(PrimitiveType type) {
  return primitive_util::FloatingPointTypeSwitch(
      [](auto constant) -> Format {
        using T = primitive_util::NativeTypeOf<constant>;
        if constexpr (sizeof(T) == 1) {
          // The least normal number is 2^(1 - bias), where there are subnormal ones.
          const bool has_subnormals = T::kSignMask != 0;
          return {std::numeric_limits<T>::digits - 1,
                  (has_subnormals ? 1 : 0) - (std::numeric_limits<T>::min_exponent - 1),
                  T::kSignMask,
                  T::kMaxFiniteCode,
                  T::kOverflowCode,
                  T::kNanCode,
                  T::kHasInfinity,
                  T::kHasNan,
                  T::kHasNegativeZero};
        } else {
          return {};
        }
      },
      type);
}

Whole Choose(const Mask& mask, const Whole& on_true, const Whole& on_false) {
  Builder& b = mask.builder();
  return {b, b.CreateSelect(mask.value(), on_true.value(), on_false.value())};
}

// The type of scales has a power of two in each code but the last. They are computed with as
// doubles, among which there are smaller powers, since it has no zero to round them to.
constexpr int kLeastPower = 1023 - 127;
constexpr int kNanOfPowers = 0xff;
// The float 2^-127, which is subnormal.
constexpr int kHalfOfLeastFloat = 1 << 22;

Real DecodePower(const Whole& code, const Real& like) {
  const Real power = FromBits((code + kLeastPower) << 52, like);
  return Where(code == kNanOfPowers, Abs(like.Nan()), power);
}

// To the nearest power of two, of a tie to the larger one, and up between the two least ones.
Whole EncodePower(const Real& x) {
  const Whole code = (Bits(x) + (int64_t{1} << 51)).ShiftRight(52) - kLeastPower;
  const Mask fits = (x > 0) & (x < 0x1.8p127);
  const Whole finite = Choose(x > 0x1p-127, code.MaxSigned(1), code.Constant(0));
  return Choose(fits, finite, code.Constant(kNanOfPowers));
}

}  // namespace

Real ToPowers(const Real& x) {
  const Whole bits = Bits(x);
  Builder& b = x.builder();
  const auto at_most = [&](int limit) {
    return Mask(b, b.CreateICmpULE((bits - 1).value(), bits.Constant(limit - 1).value()));
  };
  const Real wide = ToDouble(x);
  return Where(at_most(kHalfOfLeastFloat), wide.Constant(0x1p-127),
               Where(at_most(2 * kHalfOfLeastFloat), wide.Constant(0x1p-126), wide));
}

Real FromPowers(const Real& x) {
  const Real narrow = ToFloat(x);
  return Where(x == 0x1p-127, FromBits(Bits(narrow).Constant(kHalfOfLeastFloat), narrow), narrow);
}

bool IsSmallFloat(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) <= 8;
}

llvm::Value* DecodeSmallFloat(Builder& b, PrimitiveType type, llvm::Value* codes) {
  const int lanes = LaneCount(codes->getType());
  const Format format = FormatOf(type);
  llvm::Type* reals = WithLanes(ComputingType(b.getContext(), type), lanes);
  const Real like = {b, llvm::Constant::getNullValue(reals)};
  const Whole code = {b, b.CreateZExt(codes, Bits(like).value()->getType())};
  if (format.sign_mask == 0) return DecodePower(code, like).value();
  const Whole magnitude = code & (format.sign_mask - 1);
  const Whole sign = (code & format.sign_mask) << (32 - primitive_util::BitWidth(type));
  // Subnormal numbers are what the least normal number with their digits has more than it.
  const Whole digits = magnitude << (23 - format.mantissa_bits);
  const Real least = like.Constant(std::ldexp(1.0, 1 - format.bias));
  const Mask is_normal = {
      b, b.CreateICmpUGE(magnitude.value(), magnitude.Constant(1 << format.mantissa_bits).value())};
  Real number = Where(is_normal, FromBits(digits + ((127 - format.bias) << 23), like),
                      FromBits(digits | Bits(least), like) - least);
  if (format.has_infinity) number = Where(magnitude == format.overflow, number.Infinity(), number);
  if (format.has_nan && !format.has_negative_zero) {
    number = Where(code == format.nan, Abs(number.Nan()), number);
  } else if (format.has_nan) {
    const Whole largest = code.Constant(format.has_infinity ? format.overflow : format.largest);
    const Mask is_nan = {b, b.CreateICmpUGT(magnitude.value(), largest.value())};
    number = Where(is_nan, Abs(number.Nan()), number);
  }
  return FromBits(Bits(number) | sign, like).value();
}

llvm::Value* EncodeSmallFloat(Builder& b, PrimitiveType type, llvm::Value* reals) {
  const Real x = {b, reals};
  const Format format = FormatOf(type);
  const auto narrow = [&](const Whole& code) {
    return b.CreateTrunc(code.value(), WithLanes(b.getInt8Ty(), LaneCount(reals->getType())));
  };
  if (format.sign_mask == 0) return narrow(EncodePower(x));
  const Real magnitude = Abs(x);
  const Whole bits = Bits(magnitude);
  const Whole sign = Bits(x).ShiftRight(32 - primitive_util::BitWidth(type)) & format.sign_mask;
  // Below the normal numbers, a sum with no room for smaller digits rounds.
  const int shift = 23 - format.mantissa_bits;
  const Real room = x.Constant(std::ldexp(1.0, 1 - format.bias + shift));
  const Whole subnormal = Bits(magnitude + room) - Bits(room);
  const Whole odd = bits.ShiftRight(shift) & 1;
  const Whole normal = (bits + ((1 << (shift - 1)) - 1) + odd).ShiftRight(shift) -
                       ((127 - format.bias) << format.mantissa_bits);
  Whole code = Choose(magnitude < std::ldexp(1.0, 1 - format.bias), subnormal, normal);
  const Mask overflows = {b, b.CreateICmpSGT(code.value(), code.Constant(format.largest).value())};
  code = Choose(overflows, code.Constant(format.overflow), code);
  const Whole with_sign = code | sign;
  if (!format.has_negative_zero) {
    return narrow(Choose(x.IsNan(), code.Constant(format.nan), Choose(code == 0, code, with_sign)));
  }
  return narrow(Choose(x.IsNan(), sign ^ code.Constant(format.nan), with_sign));
}

}  // namespace xla::cpu
