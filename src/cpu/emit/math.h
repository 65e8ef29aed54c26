// Functions of numbers, as vector code without branches, except where the C library is asked about
// arguments that hardly ever occur.
//
// Each operation that is a function of numbers (HLO_FUNCTION in hlo_ops.def) has one here for every
// kind of number that its shape rule takes: `Real Cbrt(const Real& x)` and `Complex Cbrt(const
// Complex& z)`. Results are in the computing type, not yet rounded.
//
// Real ones: of floats they are within 2 units of the last place, of doubles within 2.8, and right
// at NaN, infinities, zeros and, where these are kept, subnormal numbers (docs/accuracy.md).
// Functions of floats that are seldom used compute in doubles. Exponentials, logarithms and powers
// of one number are those of the C library, as are inverse functions of one double. The polynomials
// are minimax approximations (Remez exchange, weighted by the relative error of the function);
// scripts/fit_polynomials.py made them.
//
// Complex ones are computed in doubles, unless they are sums or choices, and follow annex G of the
// C standard at infinities, NaN and on the sides of branch cuts; docs/accuracy.md says what that
// leaves open.
#ifndef HILO_CPU_EMIT_MATH_H_
#define HILO_CPU_EMIT_MATH_H_

#include "cpu/emit/reals.h"
#include "xla/comparison_util.h"

namespace xla::cpu {

struct Complex {
  Real re, im;

  Complex operator+(const Complex& y) const { return {re + y.re, im + y.im}; }
  Complex operator-(const Complex& y) const { return {re - y.re, im - y.im}; }
  Complex operator-() const { return {-re, -im}; }
  Complex operator*(const Real& y) const { return {re * y, im * y}; }
  Complex operator/(const Real& y) const { return {re / y, im / y}; }
};

// Elements of an integer type, or truth values of PRED.
struct Integer {
  Builder& b;
  llvm::Value* value;
  PrimitiveType type;

  bool is_unsigned() const;
  int bits() const;  // of the type, which may have fewer than lanes of it
  Integer With(llvm::Value* other) const { return {b, other, type}; }
  llvm::Value* Constant(int64_t number) const;
};

// For each shape rule the kinds of numbers that it takes: one(name, result, operand) for functions
// of one number, two(...) for those of two.
#define HILO_KINDS_UnaryAbs(one, two, name) \
  one(name, Real, Real) one(name, Real, Complex) one(name, Integer, Integer)
#define HILO_KINDS_UnaryFloat(one, two, name) one(name, Real, Real)
#define HILO_KINDS_UnaryFloatOrComplex(one, two, name) \
  one(name, Real, Real) one(name, Complex, Complex)
#define HILO_KINDS_UnaryInteger(one, two, name) one(name, Integer, Integer)
#define HILO_KINDS_UnaryIntegerOrPred(one, two, name) one(name, Integer, Integer)
#define HILO_KINDS_UnaryNumber(one, two, name) \
  one(name, Real, Real) one(name, Complex, Complex) one(name, Integer, Integer)
#define HILO_KINDS_IsFinite(one, two, name) one(name, Mask, Real)
#define HILO_KINDS_BinaryFloatOrComplex(one, two, name) \
  two(name, Real, Real) two(name, Complex, Complex)
#define HILO_KINDS_BinaryInteger(one, two, name) two(name, Integer, Integer)
#define HILO_KINDS_BinaryIntegerOrPred(one, two, name) two(name, Integer, Integer)
#define HILO_KINDS_BinaryNumber(one, two, name) \
  two(name, Real, Real) two(name, Complex, Complex) two(name, Integer, Integer)
#define HILO_KINDS_BinaryNumberOrPred(one, two, name) HILO_KINDS_BinaryNumber(one, two, name)
#define HILO_KINDS_BinaryReal(one, two, name) two(name, Real, Real) two(name, Integer, Integer)

// The functions of all operations.
#define HILO_ONE(name, Result, Operand) Result name(const Operand& x);
#define HILO_TWO(name, Result, Operand) Result name(const Operand& x, const Operand& y);
#define HLO_OP(...)
#define HLO_FUNCTION(name, text, operands, attributes, callees, traits, costs, shape_rule) \
  HILO_KINDS_##shape_rule(HILO_ONE, HILO_TWO, name)
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
#undef HILO_ONE
#undef HILO_TWO

// e^(high + low) of doubles, where low is a rounding error of high.
Real ExpOfSum(const Real& high, const Real& low);
// e^x of doubles to the accuracy of floats.
Real ShortExp(const Real& x);
// The length of (x, y).
Real Hypot(const Real& x, const Real& y);
// What comparing |z| with such a length gives, which has a normal square: kLt, kLe, kGt or kGe.
Mask CompareLength(const Complex& z, Comparison::Direction direction, double length);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_MATH_H_
