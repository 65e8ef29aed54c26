#include "linalg/factorizations.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/reflections.h"

namespace xla::linalg {

template <typename T>
void HouseholderQr(T* a, T* taus, int64_t m, int64_t n) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    T* corner = a + k * n + k;
    taus[k] = MakeReflection(corner, m - k, n);
    Reflect(Conjugate(taus[k]), corner, m - k, n, corner + 1, n, n - k - 1);
  }
}

template <typename T>
void ProductOfReflections(T* a, const T* taus, int64_t m, int64_t n, int64_t k) {
  const std::vector<T> vectors(a, a + m * n);
  std::fill(a, a + m * n, T(0));
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = 1;
  // The last reflection is the first to be applied, and column i is a unit vector until then.
  for (int64_t i = k - 1; i >= 0; --i) {
    Reflect(taus[i], vectors.data() + i * n + i, m - i, n, a + i * n + i, n, n - i);
  }
}

template <typename T>
void LuDecomposition(T* a, int32_t* pivots, int32_t* permutation, int64_t m, int64_t n) {
  std::iota(permutation, permutation + m, 0);
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < m; ++i) {
      if (Size(a[i * n + k]) > Size(a[pivot * n + k])) pivot = i;
    }
    pivots[k] = static_cast<int32_t>(pivot);
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap(permutation[k], permutation[pivot]);
    }
    if (a[k * n + k] == T(0)) continue;  // the whole column is zero
    for (int64_t i = k + 1; i < m; ++i) {
      const T factor = a[i * n + k] /= a[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

namespace {

// Jacobi's method for a Hermitian matrix a: rotates a pair of rows and columns at a time so that
// the elements where they meet vanish, and does the same to the rows of v, the adjoint of V, whose
// rows become the eigenvectors, conjugated.
template <typename T>
class JacobiRotations {
 public:
  JacobiRotations(std::vector<T>& a, std::vector<T>& v, int64_t n) : a_(a), v_(v), n_(n) {}

  // One sweep over all pairs; false when there was nothing left to do.
  bool Sweep(double negligible) {
    bool rotated = false;
    for (int64_t p = 0; p < n_; ++p) {
      for (int64_t q = p + 1; q < n_; ++q) {
        const double size = std::abs(a_[p * n_ + q]);
        if (!(size > negligible)) continue;
        Rotate(p, q, size);
        rotated = true;
      }
    }
    return rotated;
  }

 private:
  // With a[p,q] = size * phase, the tangent of the angle is the smaller root of
  // t^2 + 2 t (a[q,q] - a[p,p]) / (2 size) - 1 = 0.
  void Rotate(int64_t p, int64_t q, double size) {
    const T phase = a_[p * n_ + q] / size;
    const double ratio = (RealPart(a_[q * n_ + q]) / 2 - RealPart(a_[p * n_ + p]) / 2) / size;
    const double tangent = std::copysign(1, ratio) / (std::abs(ratio) + std::hypot(1, ratio));
    const double cosine = 1 / std::hypot(1, tangent), sine = tangent * cosine;
    const double p_value = RealPart(a_[p * n_ + p]) - tangent * size;
    const double q_value = RealPart(a_[q * n_ + q]) + tangent * size;
    TurnRows(a_, p, q, phase, cosine, sine);
    TurnRows(v_, p, q, phase, cosine, sine);
    a_[p * n_ + p] = p_value;
    a_[q * n_ + q] = q_value;
    a_[p * n_ + q] = a_[q * n_ + p] = 0;
    // The columns follow by symmetry.
    for (int64_t i = 0; i < n_; ++i) {
      a_[i * n_ + p] = Conjugate(a_[p * n_ + i]);
      a_[i * n_ + q] = Conjugate(a_[q * n_ + i]);
    }
  }

  void TurnRows(std::vector<T>& matrix, int64_t p, int64_t q, T phase, double cosine, double sine) {
    for (int64_t i = 0; i < n_; ++i) {
      T &x = matrix[p * n_ + i], &y = matrix[q * n_ + i];
      const T old_x = x, old_y = y * phase;
      x = cosine * old_x - sine * old_y;
      y = sine * old_x + cosine * old_y;
    }
  }

  std::vector<T>& a_;
  std::vector<T>& v_;
  int64_t n_;
};

// The order of the eigenvalues: ascending, or as they are.
std::vector<int64_t> OrderOf(const std::vector<double>& w, bool sort) {
  std::vector<int64_t> order(w.size());
  std::iota(order.begin(), order.end(), 0);
  if (sort) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return w[i] < w[j]; });
  }
  return order;
}

}  // namespace

template <typename T>
void HermitianEigen(T* a, double* w, int64_t n, bool lower, bool sort) {
  // The method takes about ten sweeps; the limit is for what rounding errors might do.
  constexpr int kMaxSweeps = 100;
  std::vector<T> matrix(n * n);
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T element = lower ? a[i * n + j] : Conjugate(a[j * n + i]);
      matrix[i * n + j] = i == j ? T(RealPart(element)) : element;
      matrix[j * n + i] = Conjugate(matrix[i * n + j]);
      largest = Larger(largest, Size(matrix[i * n + j]));
    }
  }
  if (!std::isfinite(largest)) {
    std::fill(a, a + n * n, T(std::numeric_limits<double>::quiet_NaN()));
    std::fill(w, w + n, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  // So that nothing overflows in between, and a fixed bound is far below the rounding errors.
  const double scale = ScaleFor(largest);
  for (T& element : matrix) element *= scale;
  std::vector<T> v(n * n);
  for (int64_t i = 0; i < n; ++i) v[i * n + i] = 1;
  JacobiRotations<T> rotations(matrix, v, n);
  const double negligible = std::ldexp(1, -62);
  for (int sweep = 0; sweep < kMaxSweeps && rotations.Sweep(negligible); ++sweep) {
  }
  std::vector<double> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = RealPart(matrix[i * n + i]) / scale;
  const std::vector<int64_t> order = OrderOf(values, sort);
  for (int64_t j = 0; j < n; ++j) {
    w[j] = values[order[j]];
    for (int64_t i = 0; i < n; ++i) a[i * n + j] = Conjugate(v[order[j] * n + i]);
  }
}

#define HILO_INSTANTIATE(T)                                                       \
  template void HouseholderQr<T>(T*, T*, int64_t, int64_t);                       \
  template void ProductOfReflections<T>(T*, const T*, int64_t, int64_t, int64_t); \
  template void LuDecomposition<T>(T*, int32_t*, int32_t*, int64_t, int64_t);     \
  template void HermitianEigen<T>(T*, double*, int64_t, bool, bool);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
#undef HILO_INSTANTIATE

}  // namespace xla::linalg
