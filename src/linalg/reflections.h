// Elementary reflections, of which most factorisations are made.
#ifndef HILO_LINALG_REFLECTIONS_H_
#define HILO_LINALG_REFLECTIONS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace xla::linalg {

inline double Conjugate(double x) { return x; }
inline std::complex<double> Conjugate(std::complex<double> z) { return std::conj(z); }
inline double RealPart(double x) { return x; }
inline double RealPart(std::complex<double> z) { return z.real(); }
inline double ImaginaryPart(double) { return 0; }
inline double ImaginaryPart(std::complex<double> z) { return z.imag(); }

// The power of two that brings numbers up to `largest` near one, or as near as one double can.
inline double ScaleFor(double largest) {
  return largest == 0 ? 1 : std::exp2(-std::clamp(std::ilogb(largest), -1000, 1000));
}

// |re| + |im|, by which LAPACK chooses pivots.
template <typename T>
double Size(T x) {
  return std::abs(RealPart(x)) + std::abs(ImaginaryPart(x));
}

// The larger of two sizes; NaN where one of them is.
inline double Larger(double x, double y) { return x >= y || std::isnan(x) ? x : y; }

// The Euclidean length of elements 1, 2, ... of a vector of `count` elements that are `stride`
// apart, without overflow in between.
template <typename T>
double LengthOfRest(const T* x, int64_t count, int64_t stride) {
  constexpr double kLeastSquares = 1e-200, kMostSquares = 1e300;  // between these nothing was lost
  const auto square = [&](int64_t i) { return std::norm(x[i * stride] * 1.0); };
  std::array<double, 4> sums = {};
  int64_t i = 1;
  for (; i + 3 < count; i += 4) {
    for (int64_t k = 0; k < 4; ++k) sums[k] += square(i + k);
  }
  for (; i < count; ++i) sums[0] += square(i);
  const double squares = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  if (squares > kLeastSquares && squares < kMostSquares) return std::sqrt(squares);
  double largest = 0;
  for (i = 1; i < count; ++i) {
    largest = Larger(largest, Size(x[i * stride]));
  }
  if (largest == 0 || !std::isfinite(largest)) return largest;
  const double scale = ScaleFor(largest);
  double sum = 0;
  for (i = 1; i < count; ++i) sum += std::norm(x[i * stride] * scale);
  return std::sqrt(sum) / scale;
}

// A reflection I - tau v v^H whose adjoint takes x to beta times the first unit vector: v[0] is one
// and the rest of v that of x over the divisor. Where there is nothing to do, tau is zero.
template <typename T>
struct Reflection {
  T tau = 0, divisor = 1;
  double beta = 0;
};

// The one that LAPACK's larfg finds.
template <typename T>
Reflection<T> FindReflection(const T* x, int64_t count, int64_t stride) {
  const double rest = LengthOfRest(x, count, stride);
  const double real = RealPart(x[0]), imaginary = ImaginaryPart(x[0]);
  if (rest == 0 && imaginary == 0) return {};
  const double length = std::hypot(real, imaginary, rest);
  const double beta = std::signbit(real) ? length : -length;
  return {static_cast<T>((beta - x[0]) / beta), static_cast<T>(x[0] - beta), beta};
}

// Finds a reflection and keeps it in place of x: beta, then the rest of v. Returns tau.
template <typename T>
T MakeReflection(T* x, int64_t count, int64_t stride) {
  const Reflection<T> found = FindReflection(x, count, stride);
  if (found.tau == T(0)) return 0;
  for (int64_t i = 1; i < count; ++i) x[i * stride] /= found.divisor;
  x[0] = found.beta;
  return found.tau;
}

// Multiplies `columns` columns, which begin at `block` and whose rows are `stride` apart, from the
// left by I - tau v v^H. v[0] counts as one; elements of v are `v_stride` apart.
template <typename T>
void Reflect(T tau, const T* v, int64_t rows, int64_t v_stride, T* block, int64_t stride,
             int64_t columns) {
  if (tau == T(0) || columns == 0) return;
  std::vector<T> products(block, block + columns);
  for (int64_t i = 1; i < rows; ++i) {
    const T factor = Conjugate(v[i * v_stride]);
    for (int64_t j = 0; j < columns; ++j) products[j] += factor * block[i * stride + j];
  }
  for (int64_t i = 0; i < rows; ++i) {
    const T factor = i == 0 ? tau : tau * v[i * v_stride];
    for (int64_t j = 0; j < columns; ++j) block[i * stride + j] -= factor * products[j];
  }
}

// The same from the right: `rows` rows of `count` columns.
template <typename T>
void ReflectFromRight(T tau, const T* v, int64_t count, int64_t v_stride, T* block, int64_t stride,
                      int64_t rows) {
  if (tau == T(0)) return;
  for (int64_t i = 0; i < rows; ++i) {
    T* const row = block + i * stride;
    T product = row[0];
    for (int64_t j = 1; j < count; ++j) product += row[j] * v[j * v_stride];
    product *= tau;
    row[0] -= product;
    for (int64_t j = 1; j < count; ++j) row[j] -= product * Conjugate(v[j * v_stride]);
  }
}

}  // namespace xla::linalg

#endif  // HILO_LINALG_REFLECTIONS_H_
