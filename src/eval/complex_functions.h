// Functions of complex numbers that the standard library lacks. At infinities and NaN they behave
// like those that it has, which follow annex G of the C standard: as a limit would, where there is
// one. Those of which XLA says something else come first.
#ifndef HILO_EVAL_COMPLEX_FUNCTIONS_H_
#define HILO_EVAL_COMPLEX_FUNCTIONS_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace xla::eval {

// The hyperbolic functions repeat themselves along the imaginary axis, the tangent along the real
// one. Where nobody can say at which point of its period it is, a function is undefined in both
// parts, though annex G knows one of them: the absolute value, or a zero.
template <typename T>
std::complex<T> Undefined() {
  return {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
}

template <typename T>
std::complex<T> ComplexCosh(std::complex<T> z) {
  return std::isfinite(z.imag()) ? std::cosh(z) : Undefined<T>();
}

template <typename T>
std::complex<T> ComplexSinh(std::complex<T> z) {
  return std::isfinite(z.imag()) ? std::sinh(z) : Undefined<T>();
}

// Far from the axis they do not depend on the point any more.
template <typename T>
std::complex<T> ComplexTan(std::complex<T> z) {
  return std::isfinite(z.real()) || !std::isfinite(z.imag()) ? std::tan(z) : Undefined<T>();
}

template <typename T>
std::complex<T> ComplexTanh(std::complex<T> z) {
  return std::isfinite(z.imag()) || !std::isfinite(z.real()) ? std::tanh(z) : Undefined<T>();
}

// z / |z|; zero is itself.
template <typename T>
std::complex<T> ComplexSign(std::complex<T> z) {
  if (z == T(0)) return z;
  const T larger = std::max(std::fabs(z.real()), std::fabs(z.imag()));
  if (larger > 0 && std::isfinite(larger)) {
    // So that |z| neither overflows nor loses digits.
    const int exponent = -std::ilogb(larger);
    z = {std::scalbn(z.real(), exponent), std::scalbn(z.imag(), exponent)};
  }
  return z / std::abs(z);
}

template <typename T>
std::complex<T> ComplexCbrt(std::complex<T> z) {
  if (z == T(0)) return z;
  const T length = std::cbrt(std::abs(z)), angle = std::arg(z) / 3;
  if (!std::isfinite(length)) return std::exp(std::log(z) / T(3));
  return {length * std::cos(angle), length * std::sin(angle)};
}

template <typename T>
std::complex<T> ComplexRsqrt(std::complex<T> z) {
  using Limits = std::numeric_limits<T>;
  if (z == T(0)) return {Limits::infinity(), Limits::quiet_NaN()};
  const std::complex<T> root = std::sqrt(z);
  if (std::isinf(root.real()) || std::isinf(root.imag()))
    return {std::copysign(T(0), root.real()), std::copysign(T(0), -root.imag())};
  return std::conj(root) / std::norm(root);
}

// 1 / (1 + p) for p = exp(-z), or p / (1 + p) for p = exp(z): that of the two which is at most one.
// Both are written with the conjugate of 1 + p over its square.
template <typename T>
std::complex<T> ComplexLogistic(std::complex<T> z) {
  const bool left = z.real() < 0;
  if (!left) z = -z;
  const std::complex<T> p = std::exp(z);
  std::complex<T> sum = T(1) + p;
  if (p.real() < T(-0.5)) {
    // Near a pole: 1 + e^x cos y = (e^x - 1) cos y + 2 cos^2(y / 2)
    const T half_cosine = std::cos(z.imag() / 2);
    sum.real(std::expm1(z.real()) * std::cos(z.imag()) + 2 * half_cosine * half_cosine);
  }
  const T square = std::norm(sum);
  if (!left) return std::conj(sum) / square;
  return {(p.real() * sum.real() + p.imag() * sum.imag()) / square, p.imag() / square};
}

template <typename T>
std::complex<T> ComplexExpm1(std::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (y == 0) return {std::expm1(x), y};
  if (!std::isfinite(y)) return Undefined<T>();
  // Here subtracting one loses nothing, and the product below might overflow.
  if (!(std::fabs(x) < 45)) return std::exp(z) - T(1);
  // e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2)
  const T half_sine = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine, std::exp(x) * std::sin(y)};
}

template <typename T>
std::complex<T> ComplexLog1p(std::complex<T> z) {
  const T x = z.real(), y = z.imag();
  // |1 + z|^2 - 1
  const T square_minus_one = x * (2 + x) + y * y;
  if (!(std::fabs(square_minus_one) < T(0.5))) return std::log(std::complex<T>(1 + x, y));
  return {std::log1p(square_minus_one) / 2, std::atan2(y, 1 + x)};
}

// Zero to a power is one for the power zero, zero or infinity by the sign of the power's real part,
// and undefined for imaginary powers. One to any power is one, and infinity to a real power is
// infinity or zero; every other infinity has no angle.
template <typename T>
std::complex<T> ComplexPower(std::complex<T> x, std::complex<T> y) {
  using Limits = std::numeric_limits<T>;
  if (y == T(0) || x == T(1)) return 1;
  if (x == T(0) && y.real() > 0) return 0;
  if (x == T(0))
    return {y.real() < 0 ? Limits::infinity() : Limits::quiet_NaN(), Limits::quiet_NaN()};
  if (x == Limits::infinity() && y.imag() == 0 && !std::isnan(y.real())) {
    return y.real() > 0 ? Limits::infinity() : T(0);
  }
  return std::exp(y * std::log(x));
}

// -i log((x + i y) / sqrt(x^2 + y^2)). Where |y| is small this is the arc tangent of y / x, or half
// a turn away if x and the root are on different sides; there the logarithm would lose digits.
template <typename T>
std::complex<T> ComplexAtan2(std::complex<T> y, std::complex<T> x) {
  const std::complex<T> root = std::sqrt(x * x + y * y);
  if (std::norm(y) < std::norm(x) / 4) {
    const std::complex<T> angle = std::atan(y / x);
    if (x.real() * root.real() + x.imag() * root.imag() > 0) return angle;
    return angle + (angle.real() > 0 ? -std::numbers::pi_v<T> : std::numbers::pi_v<T>);
  }
  const std::complex<T> log = std::log((x + std::complex<T>(-y.imag(), y.real())) / root);
  return {log.imag(), -log.real()};
}

}  // namespace xla::eval

#endif  // HILO_EVAL_COMPLEX_FUNCTIONS_H_
