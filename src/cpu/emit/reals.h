// Lanes of real numbers and of the integers with their bits, in formulas.
//
// Operations of both classes emit one instruction each. Real numbers are floats or doubles; a
// constant beside them becomes one of their type in all lanes.
#ifndef HILO_CPU_EMIT_REALS_H_
#define HILO_CPU_EMIT_REALS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cpu/emit/lanes.h"

namespace xla::cpu {

// One truth value a lane.
class Mask {
 public:
  Mask(Builder& b, llvm::Value* value) : b_(&b), value_(value) {}
  llvm::Value* value() const { return value_; }
  Builder& builder() const { return *b_; }

  Mask operator&(const Mask& y) const { return {*b_, b_->CreateAnd(value_, y.value_)}; }
  Mask operator|(const Mask& y) const { return {*b_, b_->CreateOr(value_, y.value_)}; }
  Mask operator^(const Mask& y) const { return {*b_, b_->CreateXor(value_, y.value_)}; }
  Mask operator!() const { return {*b_, b_->CreateNot(value_)}; }

 private:
  Builder* b_;
  llvm::Value* value_;
};

// Integers without sign; arithmetic wraps.
class Whole {
 public:
  Whole(Builder& b, llvm::Value* value) : b_(&b), value_(value) {}
  llvm::Value* value() const { return value_; }
  Builder& builder() const { return *b_; }
  Whole Constant(int64_t number) const;

  Whole operator+(const Whole& y) const { return {*b_, b_->CreateAdd(value_, y.value_)}; }
  Whole operator-(const Whole& y) const { return {*b_, b_->CreateSub(value_, y.value_)}; }
  Whole operator*(const Whole& y) const { return {*b_, b_->CreateMul(value_, y.value_)}; }
  Whole operator&(const Whole& y) const { return {*b_, b_->CreateAnd(value_, y.value_)}; }
  Whole operator|(const Whole& y) const { return {*b_, b_->CreateOr(value_, y.value_)}; }
  Whole operator^(const Whole& y) const { return {*b_, b_->CreateXor(value_, y.value_)}; }
  Whole operator+(int64_t y) const { return *this + Constant(y); }
  Whole operator-(int64_t y) const { return *this - Constant(y); }
  Whole operator&(int64_t y) const { return *this & Constant(y); }
  friend Whole operator-(int64_t x, const Whole& y) { return y.Constant(x) - y; }
  Whole operator<<(int bits) const { return {*b_, b_->CreateShl(value_, bits)}; }
  Whole ShiftRight(int bits) const { return {*b_, b_->CreateLShr(value_, bits)}; }
  Whole ShiftRightSigned(int bits) const { return {*b_, b_->CreateAShr(value_, bits)}; }
  Mask operator==(int64_t y) const { return {*b_, b_->CreateICmpEQ(value_, Constant(y).value_)}; }
  Mask operator!=(int64_t y) const { return {*b_, b_->CreateICmpNE(value_, Constant(y).value_)}; }
  Whole MinSigned(const Whole& y) const;
  Whole MinSigned(int64_t y) const { return MinSigned(Constant(y)); }
  Whole MaxSigned(int64_t y) const;

 private:
  Builder* b_;
  llvm::Value* value_;
};

class Real {
 public:
  Real(Builder& b, llvm::Value* value) : b_(&b), value_(value) {}
  llvm::Value* value() const { return value_; }
  Builder& builder() const { return *b_; }

  bool is_double() const { return value_->getType()->getScalarType()->isDoubleTy(); }
  int mantissa_bits() const { return is_double() ? 52 : 23; }
  int exponent_bias() const { return is_double() ? 1023 : 127; }
  Real Constant(double number) const;
  Real Infinity() const;
  // With a sign, as processors give it where an operation is undefined.
  Real Nan() const;
  // The number of its own precision.
  Real Constant(double of_float, double of_double) const {
    return Constant(is_double() ? of_double : of_float);
  }

  Real operator-() const { return {*b_, b_->CreateFNeg(value_)}; }
  Real operator+(const Real& y) const { return {*b_, b_->CreateFAdd(value_, y.value_)}; }
  Real operator-(const Real& y) const { return {*b_, b_->CreateFSub(value_, y.value_)}; }
  Real operator*(const Real& y) const { return {*b_, b_->CreateFMul(value_, y.value_)}; }
  Real operator/(const Real& y) const { return {*b_, b_->CreateFDiv(value_, y.value_)}; }
  Real operator+(double y) const { return *this + Constant(y); }
  Real operator-(double y) const { return *this - Constant(y); }
  Real operator*(double y) const { return *this * Constant(y); }
  Real operator/(double y) const { return *this / Constant(y); }
  friend Real operator-(double x, const Real& y) { return y.Constant(x) - y; }
  friend Real operator/(double x, const Real& y) { return y.Constant(x) / y; }

  // False for NaN, except !=.
  Mask operator<(const Real& y) const { return {*b_, b_->CreateFCmpOLT(value_, y.value_)}; }
  Mask operator<=(const Real& y) const { return {*b_, b_->CreateFCmpOLE(value_, y.value_)}; }
  Mask operator>(const Real& y) const { return {*b_, b_->CreateFCmpOGT(value_, y.value_)}; }
  Mask operator>=(const Real& y) const { return {*b_, b_->CreateFCmpOGE(value_, y.value_)}; }
  Mask operator==(const Real& y) const { return {*b_, b_->CreateFCmpOEQ(value_, y.value_)}; }
  Mask operator!=(const Real& y) const { return {*b_, b_->CreateFCmpUNE(value_, y.value_)}; }
  Mask operator<(double y) const { return *this < Constant(y); }
  Mask operator<=(double y) const { return *this <= Constant(y); }
  Mask operator>(double y) const { return *this > Constant(y); }
  Mask operator>=(double y) const { return *this >= Constant(y); }
  Mask operator==(double y) const { return *this == Constant(y); }
  Mask operator!=(double y) const { return *this != Constant(y); }
  Mask IsNan() const { return {*b_, b_->CreateFCmpUNO(value_, value_)}; }
  Mask IsInfinite() const;
  Mask IsNegative() const;  // by its sign, that of zeros and NaN as well

 private:
  Builder* b_;
  llvm::Value* value_;
};

Real Where(const Mask& mask, const Real& on_true, const Real& on_false);
inline Real Where(const Mask& mask, double on_true, const Real& on_false) {
  return Where(mask, on_false.Constant(on_true), on_false);
}

// x * y + z, rounded once where the host does so in one instruction.
Real MulAdd(const Real& x, const Real& y, const Real& z);
inline Real MulAdd(const Real& x, const Real& y, double z) { return MulAdd(x, y, x.Constant(z)); }
inline Real MulAdd(const Real& x, double y, const Real& z) { return MulAdd(x, x.Constant(y), z); }
// x * y + z, rounded once on every host.
Real ExactMulAdd(const Real& x, const Real& y, const Real& z);
inline Real ExactMulAdd(const Real& x, double y, const Real& z) {
  return ExactMulAdd(x, x.Constant(y), z);
}
Real Abs(const Real& x);
Real SquareRoot(const Real& x);
Real Truncate(const Real& x);
Real CopySign(const Real& magnitude, const Real& sign);
// At most, or at least, a constant; NaN stays.
Real AtMost(const Real& x, double limit);
Real AtLeast(const Real& x, double limit);

// Coefficients of a polynomial, from the constant on, for floats and for doubles.
struct Coefficients {
  absl::Span<const double> of_float;
  absl::Span<const double> of_double;
};
Real Polynomial(const Real& x, const Coefficients& coefficients);
Real PolynomialOf(const Real& x, std::vector<Real> coefficients);

Whole Bits(const Real& x);
Real FromBits(const Whole& bits, const Real& like);
// Of numbers that are in the range of integers.
Real FromInteger(const Whole& integer, const Real& like);
// 2^exponent, where that is a normal number.
Real PowerOfTwo(const Whole& exponent, const Real& like);
// x * 2^exponent rounded once, for exponents up to twice those of normal numbers.
Real Scale(const Real& x, const Whole& exponent);

// x to the nearest integer, |x| < 2^22 (doubles: 2^51), as a number and in the low bits of `bits`.
struct Rounded {
  Real number;
  Whole bits;
};
// x * factor, so rounded; `bits` holds so much more than the number.
Rounded RoundProduct(const Real& x, double factor, int64_t offset = 0);
// `bits` of RoundProduct without an offset where the number is zero.
Whole BitsOfRoundedZero(const Real& like);

Real ToDouble(const Real& x);
Real ToFloat(const Real& x);
// As a number of the type that `like` has.
Real ToTypeOf(const Real& like, const Real& x);

// Whether it is no vector. Functions of the C library that look numbers up in tables give one
// number sooner than polynomials do.
bool IsOneNumber(const Real& x);
inline bool IsOneDouble(const Real& x) { return x.is_double() && IsOneNumber(x); }
// A function of the C library with floats or doubles as operands and as result; `name` is that of
// the function of doubles. Called for one lane after the other.
Real CallLibrary(absl::string_view name, absl::Span<const Real> operands);
// The same with several results, which the function returns in registers like the parts of a
// complex number.
std::vector<Real> CallLibrary(absl::string_view name, absl::Span<const Real> operands,
                              int64_t results);
// Another one, that has doubles also where the operands and results are floats.
std::vector<Real> CallLibraryInDoubles(absl::string_view name, absl::Span<const Real> operands,
                                       int64_t results);

// `usual`, but where `is_rare` holds what `exact` gives. The code of that is not run as long as
// there are no such lanes.
std::vector<Real> WhereRare(const Mask& is_rare, absl::Span<const Real> usual,
                            absl::FunctionRef<std::vector<Real>()> exact);
inline Real WhereRare(const Mask& is_rare, const Real& usual, absl::FunctionRef<Real()> exact) {
  return WhereRare(is_rare, absl::MakeConstSpan(&usual, 1),
                   [&] { return std::vector{exact()}; })[0];
}

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_REALS_H_
