#include "linalg/reductions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/reflections.h"

namespace xla::linalg {
namespace {

using Complex = std::complex<double>;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kSmallest = std::numeric_limits<double>::min();

}  // namespace

template <typename T>
void ReduceToHessenberg(T* a, T* taus, int64_t n, int64_t low, int64_t high) {
  std::fill(taus, taus + std::max<int64_t>(n - 1, 0), T(0));
  for (int64_t i = low - 1; i < high - 1; ++i) {
    const int64_t count = high - 1 - i;
    T* const v = a + (i + 1) * n + i;
    taus[i] = MakeReflection(v, count, n);
    ReflectFromRight(taus[i], v, count, n, a + i + 1, n, high);
    Reflect(Conjugate(taus[i]), v, count, n, a + (i + 1) * n + i + 1, n, n - i - 1);
  }
}

namespace {

// a = H^H a H for the reflection in v, on the `count` rows and columns that begin at `block`.
template <typename T>
void ReflectBothSides(T tau, const std::vector<T>& v, T* block, int64_t stride, int64_t count) {
  ReflectFromRight(tau, v.data(), count, 1, block, stride, count);
  Reflect(Conjugate(tau), v.data(), count, 1, block, stride, count);
}

// The reduction of the lower triangle. That of the upper one is the same with rows and columns in
// reverse order, where row i is found at column n - 1 - i.
template <typename T>
void ReduceLower(std::vector<T>& a, double* d, double* e, T* taus, int64_t n) {
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t count = n - 1 - i;
    std::vector<T> v(count);
    for (int64_t j = 0; j < count; ++j) v[j] = a[(i + 1 + j) * n + i];
    taus[i] = MakeReflection(v.data(), count, 1);
    e[i] = RealPart(v[0]);
    ReflectBothSides(taus[i], v, a.data() + (i + 1) * n + i + 1, n, count);
    for (int64_t j = 0; j < count; ++j) a[(i + 1 + j) * n + i] = v[j];
  }
  for (int64_t i = 0; i < n; ++i) d[i] = RealPart(a[i * n + i]);
}

}  // namespace

template <typename T>
void ReduceToTridiagonal(T* a, double* d, double* e, T* taus, int64_t n, bool lower) {
  // Position i of the triangle that is reduced is row or column at(i).
  const auto at = [&](int64_t i) { return lower ? i : n - 1 - i; };
  std::vector<T> whole(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T x = a[at(i) * n + at(j)];
      whole[i * n + j] = i == j ? T(RealPart(x)) : x;
      whole[j * n + i] = Conjugate(whole[i * n + j]);
    }
  }
  std::vector<double> own_d(n), own_e(std::max<int64_t>(n - 1, 0));
  std::vector<T> own_taus(own_e.size());
  ReduceLower(whole, own_d.data(), own_e.data(), own_taus.data(), n);
  const int64_t last = n - 2;
  for (int64_t i = 0; i < n; ++i) d[at(i)] = own_d[i];
  for (int64_t i = 0; i <= last; ++i) {
    e[lower ? i : last - i] = own_e[i];
    taus[lower ? i : last - i] = own_taus[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    a[at(i) * n + at(i)] = own_d[i];
    for (int64_t j = 0; j < i; ++j) {
      const T x = i == j + 1 ? T(own_e[j]) : whole[i * n + j];
      (lower ? a[i * n + j] : a[at(i) * n + at(j)]) = x;
    }
  }
}

namespace {

// Q of the reflections that ReduceToHessenberg leaves, which it takes away.
template <typename T>
void TakeReflections(T* a, const T* taus, T* z, int64_t n) {
  if (z != nullptr) {
    std::fill(z, z + n * n, T(0));
    for (int64_t i = 0; i < n; ++i) z[i * n + i] = 1;
    for (int64_t i = n - 2; i >= 0; --i) {
      Reflect(taus[i], a + (i + 1) * n + i, n - 1 - i, n, z + (i + 1) * n + i + 1, n, n - 1 - i);
    }
  }
  for (int64_t i = 2; i < n; ++i) std::fill(a + i * n, a + i * n + i - 1, T(0));
}

// The first row of the block without a zero beside the diagonal that ends at row `high`.
template <typename T>
int64_t BlockBegin(T* a, int64_t n, int64_t high, double norm) {
  int64_t low = high;
  for (; low > 0; --low) {
    double diagonal = Size(a[(low - 1) * n + low - 1]) + Size(a[low * n + low]);
    if (diagonal == 0) diagonal = norm;
    T& below = a[low * n + low - 1];
    if (!(Size(below) > std::max(kEpsilon * diagonal, kSmallest))) {
      below = 0;
      break;
    }
  }
  return low;
}

template <typename T>
double LargestRow(const T* a, int64_t n) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += Size(a[i * n + j]);
    largest = Larger(largest, sum);
  }
  return largest;
}

// Rotates rows and columns i and j of the matrix, and columns of z: with the columns (c, s) and
// (-conj(s), c) as new axes.
template <typename T>
void RotateAxes(T* a, T* z, int64_t n, int64_t i, int64_t j, double c, T s, int64_t first_column,
                int64_t last_row) {
  for (int64_t k = first_column; k < n; ++k) {
    const T x = a[i * n + k], y = a[j * n + k];
    a[i * n + k] = c * x + Conjugate(s) * y;
    a[j * n + k] = c * y - s * x;
  }
  const auto columns = [&](T* matrix, int64_t rows) {
    for (int64_t k = 0; k < rows; ++k) {
      const T x = matrix[k * n + i], y = matrix[k * n + j];
      matrix[k * n + i] = c * x + s * y;
      matrix[k * n + j] = c * y - Conjugate(s) * x;
    }
  };
  columns(a, last_row + 1);
  if (z != nullptr) columns(z, n);
}

// Makes the block of rows i and i + 1 triangular where its eigenvalues are real, and its diagonal
// elements equal where they are not.
void Standardize(double* a, double* z, int64_t n, int64_t i) {
  const auto at = [&](int64_t row, int64_t column) -> double& {
    return a[(i + row) * n + i + column];
  };
  if (at(1, 0) == 0) return;
  const double angle = 0.5 * std::atan2(at(1, 1) - at(0, 0), at(0, 1) + at(1, 0));
  if (at(0, 0) != at(1, 1))
    RotateAxes(a, z, n, i, i + 1, std::cos(angle), std::sin(angle), i, i + 1);
  const double middle = (at(0, 0) + at(1, 1)) / 2;
  at(0, 0) = at(1, 1) = middle;
  const double b = at(0, 1), c = at(1, 0);
  if (b == 0) {
    // Exchanging the rows and the columns makes it triangular.
    RotateAxes(a, z, n, i, i + 1, 0.0, 1.0, i, i + 1);
    at(1, 0) = 0;
    return;
  }
  if (c == 0 || std::signbit(b) != std::signbit(c)) return;
  const double root = std::sqrt(std::abs(b)) * std::sqrt(std::abs(c));
  // An eigenvector of middle + root: (b, root), or (root, c).
  double x = b, y = root;
  if (std::abs(c) > std::abs(b)) x = root, y = c;
  const double length = std::hypot(x, y);
  RotateAxes(a, z, n, i, i + 1, x / length, y / length, i, i + 1);
  at(1, 0) = 0;
}

// One step of the double-shift algorithm on rows [low, high].
void FrancisStep(double* a, double* z, int64_t n, int64_t low, int64_t high, double sum,
                 double product) {
  const auto at = [&](int64_t i, int64_t j) -> double& { return a[i * n + j]; };
  // The first column of a^2 - sum a + product.
  double v[3] = {
      at(low, low) * (at(low, low) - sum) + product + at(low, low + 1) * at(low + 1, low),
      at(low + 1, low) * (at(low, low) + at(low + 1, low + 1) - sum),
      at(low + 1, low) * at(low + 2, low + 1)};
  const double scale = ScaleFor(std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]));
  for (double& x : v) x *= scale;
  for (int64_t k = low; k < high; ++k) {
    const int64_t count = std::min<int64_t>(3, high - k + 1);
    if (k > low) {
      for (int64_t i = 0; i < count; ++i) v[i] = at(k + i, k - 1);
    }
    const double tau = MakeReflection(v, count, 1);
    if (k > low) {
      at(k, k - 1) = v[0];
      for (int64_t i = 1; i < count; ++i) at(k + i, k - 1) = 0;
    }
    Reflect(tau, v, count, 1, &at(k, k), n, n - k);
    ReflectFromRight(tau, v, count, 1, &at(0, k), n, std::min(k + 3, high) + 1);
    if (z != nullptr) ReflectFromRight(tau, v, count, 1, z + k, n, n);
  }
}

}  // namespace

int32_t SchurForm(double* a, double* z, int64_t n) {
  std::vector<double> taus(std::max<int64_t>(n - 1, 0));
  ReduceToHessenberg(a, taus.data(), n, 1, n);
  TakeReflections(a, taus.data(), z, n);
  const double norm = LargestRow(a, n);
  if (!std::isfinite(norm)) return static_cast<int32_t>(n);
  const auto at = [&](int64_t i, int64_t j) { return a[i * n + j]; };
  int steps = 0;
  for (int64_t high = n - 1; high > 0;) {
    const int64_t low = BlockBegin(a, n, high, norm);
    if (low >= high - 1) {
      if (low == high - 1) Standardize(a, z, n, low);
      high = low - 1;
      steps = 0;
      continue;
    }
    if (++steps > 60) return static_cast<int32_t>(high + 1);
    double sum = at(high - 1, high - 1) + at(high, high);
    double product =
        at(high - 1, high - 1) * at(high, high) - at(high - 1, high) * at(high, high - 1);
    if (steps % 10 == 0) {  // other shifts, for matrices that these leave as they are
      const double shift = std::abs(at(high, high - 1)) + std::abs(at(high - 1, high - 2));
      sum = 1.5 * shift + 2 * at(high, high);
      product = (0.75 * shift + at(high, high)) * (0.75 * shift + at(high, high)) +
                0.4375 * shift * shift;
    }
    FrancisStep(a, z, n, low, high, sum, product);
  }
  return 0;
}

int32_t SchurForm(Complex* a, Complex* z, int64_t n) {
  std::vector<Complex> taus(std::max<int64_t>(n - 1, 0));
  ReduceToHessenberg(a, taus.data(), n, 1, n);
  TakeReflections(a, taus.data(), z, n);
  const double norm = LargestRow(a, n);
  if (!std::isfinite(norm)) return static_cast<int32_t>(n);
  const auto at = [&](int64_t i, int64_t j) -> Complex& { return a[i * n + j]; };
  int steps = 0;
  for (int64_t high = n - 1; high > 0;) {
    const int64_t low = BlockBegin(a, n, high, norm);
    if (low == high) {
      --high;
      steps = 0;
      continue;
    }
    if (++steps > 60) return static_cast<int32_t>(high + 1);
    // The eigenvalue of the last block of 2 x 2 that is nearer to its last element.
    const Complex half = (at(high - 1, high - 1) - at(high, high)) / 2.0;
    Complex root = std::sqrt(half * half + at(high - 1, high) * at(high, high - 1));
    if ((std::conj(half) * root).real() < 0) root = -root;
    Complex shift = at(high, high);
    if (half + root != 0.0) shift -= at(high - 1, high) * at(high, high - 1) / (half + root);
    if (steps % 10 == 0) shift = at(high, high) + 0.75 * Size(at(high, high - 1));
    Complex x = at(low, low) - shift, y = at(low + 1, low);
    for (int64_t k = low; k < high; ++k) {
      if (k > low) x = at(k, k - 1), y = at(k + 1, k - 1);
      const double length = std::hypot(std::abs(x), std::abs(y));
      if (length == 0) continue;
      // A rotation that takes (x, y) to a multiple of the first axis.
      const double c = std::abs(x) / length;
      const Complex phase = x == 0.0 ? Complex(1) : x / std::abs(x);
      const Complex s = y * std::conj(phase) / length;
      RotateAxes(a, z, n, k, k + 1, c, s, std::max(k - 1, low), std::min(k + 2, high));
      if (k > low) at(k + 1, k - 1) = 0;
    }
  }
  return 0;
}

void TriangularEigenvectors(const Complex* s, const Complex* z, Complex* vectors, int64_t n,
                            bool left) {
  double norm = LargestRow(s, n);
  const double least = std::max(kEpsilon * norm, kSmallest);
  std::vector<Complex> x(n);
  for (int64_t k = 0; k < n; ++k) {
    std::fill(x.begin(), x.end(), Complex(0));
    x[k] = 1;
    const Complex value = s[k * n + k];
    // (s - w) x = 0 upwards from k, or (s - w)^H x = 0 downwards.
    for (int64_t step = 1; left ? k + step < n : step <= k; ++step) {
      const int64_t i = left ? k + step : k - step;
      Complex sum = 0;
      for (int64_t j = std::min(i, k); j <= std::max(i, k); ++j) {
        if (j != i) sum += (left ? std::conj(s[j * n + i]) : s[i * n + j]) * x[j];
      }
      Complex divisor = left ? std::conj(s[i * n + i] - value) : s[i * n + i] - value;
      if (Size(divisor) < least) divisor = least;
      x[i] = -sum / divisor;
      const double size = Size(x[i]);
      if (size > 1e100) {
        for (Complex& element : x) element /= size;
      }
    }
    std::vector<Complex> v(n);
    double length = 0, largest = -1;
    Complex turn = 1;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) v[i] += z[i * n + j] * x[j];
      length = std::hypot(length, std::abs(v[i]));
      if (std::abs(v[i]) > largest) largest = std::abs(v[i]), turn = std::conj(v[i]) / largest;
    }
    if (largest == 0) turn = 1;
    for (int64_t i = 0; i < n; ++i) vectors[i * n + k] = v[i] * turn / length;
  }
}

namespace {

// Orthogonalises `row` against the first `count` rows, twice; its length afterwards.
template <typename T>
double Orthogonalize(const std::vector<T>& rows, int64_t count, int64_t n, T* row) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t i = 0; i < count; ++i) {
      const T* const other = rows.data() + i * n;
      T product = 0;
      for (int64_t k = 0; k < n; ++k) product += Conjugate(other[k]) * row[k];
      for (int64_t k = 0; k < n; ++k) row[k] -= product * other[k];
    }
  }
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += std::norm(row[k]);
  return std::sqrt(sum);
}

// Makes rows [count, wanted) of length n an orthonormal continuation of the first.
template <typename T>
void Complete(std::vector<T>& rows, int64_t count, int64_t wanted, int64_t n) {
  for (int64_t unit = 0; count < wanted && unit < n; ++unit) {
    T* const row = rows.data() + count * n;
    std::fill(row, row + n, T(0));
    row[unit] = 1;
    const double length = Orthogonalize(rows, count, n, row);
    if (length < 0.5 / std::sqrt(static_cast<double>(n))) continue;
    for (int64_t k = 0; k < n; ++k) row[k] /= length;
    ++count;
  }
}

// Rotates pairs of the `count` rows of `a`, n long, until all are orthogonal, and rows of `v` with
// them. False when that takes too long.
template <typename T>
bool RotateRows(std::vector<T>& a, std::vector<T>& v, int64_t count, int64_t n) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool is_done = true;
    for (int64_t p = 0; p < count; ++p) {
      for (int64_t q = p + 1; q < count; ++q) {
        T* const x = a.data() + p * n;
        T* const y = a.data() + q * n;
        double xx = 0, yy = 0;
        T xy = 0;
        for (int64_t k = 0; k < n; ++k) {
          xx += std::norm(x[k]), yy += std::norm(y[k]);
          xy += Conjugate(x[k]) * y[k];
        }
        const double size = std::abs(xy);
        if (!(size > kEpsilon * std::sqrt(xx) * std::sqrt(yy))) continue;
        is_done = false;
        const double zeta = (yy - xx) / (2 * size);
        const double t = (zeta < 0 ? -1.0 : 1.0) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        const T phase = xy / size;
        const auto rotate = [&](T* first, T* second, int64_t length) {
          for (int64_t k = 0; k < length; ++k) {
            const T one = first[k], two = Conjugate(phase) * second[k];
            first[k] = c * one - s * two;
            second[k] = s * one + c * two;
          }
        };
        rotate(x, y, n);
        rotate(v.data() + p * count, v.data() + q * count, count);
      }
    }
    if (is_done) return true;
  }
  return false;
}

}  // namespace

template <typename T>
int32_t SingularValues(const T* a, double* s, T* u, T* vh, int64_t m, int64_t n, int64_t u_columns,
                       int64_t v_rows) {
  const int64_t k = std::min(m, n), length = std::max(m, n);
  const bool is_wide = m < n;
  // The rows are those of the matrix or its columns, whichever are fewer: a = rows^T then.
  double largest = 0;
  for (int64_t i = 0; i < m * n; ++i) {
    largest = Larger(largest, Size(a[i]));
  }
  if (!std::isfinite(largest)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill(s, s + k, nan);
    if (u != nullptr) std::fill(u, u + m * u_columns, T(nan));
    if (vh != nullptr) std::fill(vh, vh + v_rows * n, T(nan));
    return static_cast<int32_t>(k);
  }
  const double scale = ScaleFor(largest);
  std::vector<T> rows(k * length), turned(k * k);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < length; ++j)
      rows[i * length + j] = a[is_wide ? i * n + j : j * n + i] * scale;
    turned[i * k + i] = 1;
  }
  const bool converged = RotateRows(rows, turned, k, length);
  std::vector<double> lengths(k);
  for (int64_t i = 0; i < k; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < length; ++j) sum += std::norm(rows[i * length + j]);
    lengths[i] = std::sqrt(sum);
  }
  std::vector<int64_t> order(k);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return lengths[i] > lengths[j]; });
  for (int64_t i = 0; i < k; ++i) s[i] = lengths[order[i]] / scale;
  // rows = W original, so that original = W^H diag(lengths) directions.
  const int64_t wanted = std::max(k, is_wide ? v_rows : u_columns);
  std::vector<T> directions(wanted * length), others(std::max(k, is_wide ? u_columns : v_rows) * k);
  int64_t known = 0;
  for (; known < k && lengths[order[known]] > k * kEpsilon * lengths[order[0]]; ++known) {
    for (int64_t j = 0; j < length; ++j)
      directions[known * length + j] = rows[order[known] * length + j] / lengths[order[known]];
  }
  Complete(directions, known, wanted, length);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < k; ++j) others[i * k + j] = turned[order[i] * k + j];
  }
  // a = rows^T where it is tall: column i of u is direction i, row i of vh the conjugate of
  // others[i]. Where it is wide: row i of vh is direction i, column i of u conj(others[i]).
  if (u != nullptr) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < u_columns; ++j)
        u[i * u_columns + j] = is_wide ? Conjugate(others[j * k + i]) : directions[j * length + i];
    }
  }
  if (vh != nullptr) {
    for (int64_t i = 0; i < v_rows; ++i) {
      for (int64_t j = 0; j < n; ++j)
        vh[i * n + j] = is_wide ? directions[i * length + j] : Conjugate(others[i * k + j]);
    }
  }
  return converged ? 0 : 1;
}

#define HILO_INSTANTIATE(T)                                                   \
  template void ReduceToHessenberg(T*, T*, int64_t, int64_t, int64_t);        \
  template void ReduceToTridiagonal(T*, double*, double*, T*, int64_t, bool); \
  template int32_t SingularValues(const T*, double*, T*, T*, int64_t, int64_t, int64_t, int64_t)
HILO_INSTANTIATE(double);
HILO_INSTANTIATE(Complex);
#undef HILO_INSTANTIATE

}  // namespace xla::linalg
