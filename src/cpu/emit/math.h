// Functions of real numbers as vector code without branches, except where the C library is asked
// about arguments that hardly ever occur.
//
// Of floats they are within 2 units of the last place, of doubles within 2.8, and right at NaN,
// infinities, zeros and subnormal numbers (docs/accuracy.md). Functions of floats that are seldom
// used compute in doubles; functions of doubles that are seldom used are those of the C library, as
// are exponentials, logarithms and powers of one number.
//
// The polynomials are minimax approximations (Remez exchange, weighted by the relative error of the
// function); scripts/fit_polynomials.py made them.
#ifndef HILO_CPU_EMIT_MATH_H_
#define HILO_CPU_EMIT_MATH_H_

#include "cpu/emit/reals.h"

namespace xla::cpu {

// math_exponential.cc
Real Exp(const Real& x);
Real Expm1(const Real& x);
Real Tanh(const Real& x);
Real Sinh(const Real& x);
Real Cosh(const Real& x);
Real Logistic(const Real& x);
Real Erf(const Real& x);
// e^(high + low) of doubles, where low is a rounding error of high.
Real ExpOfSum(const Real& high, const Real& low);
// e^x of doubles to the accuracy of floats.
Real ShortExp(const Real& x);

// math_logarithm.cc
Real Log(const Real& x);
Real Log1p(const Real& x);
Real Asinh(const Real& x);
Real Acosh(const Real& x);
Real Atanh(const Real& x);
Real Power(const Real& x, const Real& y);
Real Cbrt(const Real& x);

// math_trigonometry.cc
Real Sin(const Real& x);
Real Cos(const Real& x);
Real Tan(const Real& x);
Real Asin(const Real& x);
Real Acos(const Real& x);
Real Atan2(const Real& y, const Real& x);

// x - y * trunc(x / y), exactly.
Real Remainder(const Real& x, const Real& y);
// The length of (x, y).
Real Hypot(const Real& x, const Real& y);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_MATH_H_
