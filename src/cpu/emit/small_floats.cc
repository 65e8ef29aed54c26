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

// Of the type of scales, which has no sign and no mantissa, and a half of its unit as code 0.
Real DecodePower(const Whole& code, const Real& like) {
  const Real power = FromBits(code << 23, like);
  return Where(code == 0, 0x1p-127, Where(code == 0xff, Abs(like.Nan()), power));
}

Whole Choose(const Mask& mask, const Whole& on_true, const Whole& on_false) {
  Builder& b = mask.builder();
  return {b, b.CreateSelect(mask.value(), on_true.value(), on_false.value())};
}

// To the nearest power of two, of a tie to the larger one.
Whole EncodePower(const Real& x) {
  const Whole bits = Bits(x);
  const Mask subnormal = x < 0x1p-126;
  const Whole one = Choose(x >= 0x1.8p-127, bits.Constant(1), bits.Constant(0));
  const Whole code = Choose(subnormal, one, (bits + (1 << 22)).ShiftRight(23));
  const Mask fits = (x > 0) & (x < x.Infinity());
  return Choose(fits, code, bits.Constant(0xff));
}

}  // namespace

bool IsSmallFloat(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) <= 8;
}

llvm::Value* DecodeSmallFloat(Builder& b, PrimitiveType type, llvm::Value* codes) {
  const int lanes = LaneCount(codes->getType());
  const Real like = {b, llvm::Constant::getNullValue(WithLanes(b.getFloatTy(), lanes))};
  const Whole code = {b, b.CreateZExt(codes, WithLanes(b.getInt32Ty(), lanes))};
  const Format format = FormatOf(type);
  if (format.sign_mask == 0) return DecodePower(code, like).value();
  const Whole magnitude = code & (format.sign_mask - 1);
  const Whole sign = (code & format.sign_mask) << (32 - primitive_util::BitWidth(type));
  // As if it were a float with another bias, which makes subnormal numbers of both alike.
  Real number =
      FromBits(magnitude << (23 - format.mantissa_bits), like) * std::ldexp(1.0, 127 - format.bias);
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

llvm::Value* EncodeSmallFloat(Builder& b, PrimitiveType type, llvm::Value* floats) {
  const Real x = {b, floats};
  const Format format = FormatOf(type);
  const auto narrow = [&](const Whole& code) {
    return b.CreateTrunc(code.value(), WithLanes(b.getInt8Ty(), LaneCount(floats->getType())));
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
