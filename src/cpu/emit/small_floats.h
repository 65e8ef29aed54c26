// Floating-point numbers of 4, 6 and 8 bits, one in the low bits of each byte.
#ifndef HILO_CPU_EMIT_SMALL_FLOATS_H_
#define HILO_CPU_EMIT_SMALL_FLOATS_H_

#include "cpu/emit/lanes.h"
#include "cpu/emit/reals.h"

namespace xla::cpu {

bool IsSmallFloat(PrimitiveType type);

// The numbers of codes in lanes of 8 bits, of the computing type.
llvm::Value* DecodeSmallFloat(Builder& b, PrimitiveType type, llvm::Value* codes);

// The codes of such numbers, rounded to nearest with ties to even. What is too large becomes what
// the format has for that: infinity, NaN or the largest number.
llvm::Value* EncodeSmallFloat(Builder& b, PrimitiveType type, llvm::Value* reals);

// A float as a double that becomes the same scale (F8E8M0FNU), and the other way around. Of all
// small floats only scales have numbers that are subnormal as floats, which programs compute
// without.
Real ToPowers(const Real& x);
Real FromPowers(const Real& x);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_SMALL_FLOATS_H_
