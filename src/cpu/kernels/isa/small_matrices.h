// Factorisations and triangular systems of as many small matrices at once as a vector has lanes,
// where each lane does what its own matrix asks for, without branches; and factorisations of one
// matrix, with vectors along its rows.
#ifndef HILO_CPU_KERNELS_ISA_SMALL_MATRICES_H_
#define HILO_CPU_KERNELS_ISA_SMALL_MATRICES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cpu/kernels/isa/vector_code.h"
#include "cpu/kernels/small_matrices.h"
#include "linalg/reflections.h"

namespace xla::cpu::small {

// No function here is called, they are all inlined, so it does not matter how vectors are passed.
#pragma GCC diagnostic ignored "-Wpsabi"

template <typename V>
HILO_INLINE V LoadVector(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// One number of each matrix, in vectors V of T.
template <typename T, typename V>
struct Real {
  using Element = T;
  using Vector = V;
  static constexpr int64_t kStep = sizeof(V) / sizeof(T);

  static HILO_INLINE Real One() { return {V{} + 1}; }
  static HILO_INLINE Real Load(const T* from) { return {LoadVector<V>(from)}; }
  HILO_INLINE void Store(T* to) const { std::memcpy(to, &re, sizeof(V)); }
  HILO_INLINE V Size() const { return re < 0 ? -re : re; }
  HILO_INLINE Real Conjugate() const { return *this; }
  HILO_INLINE Real Minus(Real x, Real y) const { return {re - x.re * y.re}; }
  HILO_INLINE Real Over(V x) const { return {re / x}; }

  class Divisor {
   public:
    HILO_INLINE explicit Divisor(Real x) : x_(x.re) {}
    HILO_INLINE Real Divide(Real y) const { return {y.re / x_}; }

   private:
    V x_;
  };

  V re;
};

template <typename T, typename V>
struct Complex {
  using Element = T;
  using Vector = V;
  static constexpr int64_t kStep = 2 * sizeof(V) / sizeof(T);

  static HILO_INLINE Complex One() { return {V{} + 1, V{}}; }
  static HILO_INLINE Complex Load(const T* from) {
    return {LoadVector<V>(from), LoadVector<V>(from + kStep / 2)};
  }
  HILO_INLINE void Store(T* to) const {
    std::memcpy(to, &re, sizeof(V));
    std::memcpy(to + kStep / 2, &im, sizeof(V));
  }
  HILO_INLINE V Size() const { return (re < 0 ? -re : re) + (im < 0 ? -im : im); }
  HILO_INLINE Complex Conjugate() const { return {re, -im}; }
  HILO_INLINE Complex Minus(Complex x, Complex y) const {
    return {re - x.re * y.re + x.im * y.im, im - x.re * y.im - x.im * y.re};
  }
  HILO_INLINE Complex Over(V x) const { return {re / x, im / x}; }

  // The larger part is taken out of the divisor, so that its square cannot overflow.
  class Divisor {
   public:
    HILO_INLINE explicit Divisor(Complex x) {
      const auto is_across = (x.re < 0 ? -x.re : x.re) < (x.im < 0 ? -x.im : x.im);
      const V large = is_across ? x.im : x.re, small = is_across ? x.re : x.im;
      const V ratio = small / large, one = V{} + 1;
      re_ = is_across ? ratio : one, im_ = is_across ? one : ratio;
      divisor_ = large + small * ratio;
    }
    HILO_INLINE Complex Divide(Complex y) const {
      return {(y.re * re_ + y.im * im_) / divisor_, (y.im * re_ - y.re * im_) / divisor_};
    }

   private:
    V re_, im_, divisor_;
  };

  V re, im;
};

// In lanes where `mask` is on, x; in the others, y.
template <typename M, typename T, typename V>
HILO_INLINE Real<T, V> Select(M mask, Real<T, V> x, Real<T, V> y) {
  return {mask ? x.re : y.re};
}
template <typename M, typename T, typename V>
HILO_INLINE Complex<T, V> Select(M mask, Complex<T, V> x, Complex<T, V> y) {
  return {mask ? x.re : y.re, mask ? x.im : y.im};
}

// The row among [k, m) whose element of column k is largest, the first one of several; NaN only
// where it is in row k.
template <typename N, typename W>
HILO_INLINE W FindPivots(int64_t k, int64_t m, int64_t row, const typename N::Element* a) {
  auto largest = N::Load(a + (k * row + k) * N::kStep).Size();
  W pivots = W{} + static_cast<LaneIndex<typename N::Element>>(k);
  for (int64_t i = k + 1; i < m; ++i) {
    const auto size = N::Load(a + (i * row + k) * N::kStep).Size();
    const auto is_larger = size > largest;
    largest = is_larger ? size : largest;
    pivots = is_larger ? W{} + static_cast<LaneIndex<typename N::Element>>(i) : pivots;
  }
  return pivots;
}

// Row k is exchanged with rows `pivots`, in column j.
template <typename N, typename W>
HILO_INLINE N ExchangeInColumn(int64_t k, int64_t m, int64_t row, W pivots, int64_t j,
                               typename N::Element* a) {
  using Index = LaneIndex<typename N::Element>;
  const N top = N::Load(a + (k * row + j) * N::kStep);
  N chosen = top;
  for (int64_t i = k + 1; i < m; ++i) {
    typename N::Element* const place = a + (i * row + j) * N::kStep;
    const N here = N::Load(place);
    const auto is_pivot = pivots == static_cast<Index>(i);
    chosen = Select(is_pivot, here, chosen);
    Select(is_pivot, top, here).Store(place);
  }
  chosen.Store(a + (k * row + j) * N::kStep);
  return chosen;
}

template <typename N, typename W>
HILO_INLINE void FactorizeLu(int64_t m, int64_t n, int64_t row, typename N::Element* a,
                             LaneIndex<typename N::Element>* pivots,
                             LaneIndex<typename N::Element>* info) {
  using T = typename N::Element;
  W first_zero = {};
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    const W rows = FindPivots<N, W>(k, m, row, a);
    const W numbers = rows + 1;
    std::memcpy(pivots + k * sizeof(W) / sizeof(T), &numbers, sizeof(W));
    for (int64_t j = 0; j < k; ++j) ExchangeInColumn<N>(k, m, row, rows, j, a);
    const N pivot = ExchangeInColumn<N>(k, m, row, rows, k, a);
    // Where it is zero, so are all below, and they stay.
    const auto is_zero = pivot.Size() == 0;
    first_zero = (first_zero == 0) & is_zero ? W{} + static_cast<LaneIndex<T>>(k + 1) : first_zero;
    const typename N::Divisor divisor(Select(is_zero, N::One(), pivot));
    for (int64_t i = k + 1; i < m; ++i) {
      T* const place = a + (i * row + k) * N::kStep;
      divisor.Divide(N::Load(place)).Store(place);
    }
    for (int64_t j = k + 1; j < n; ++j) {
      const N top = ExchangeInColumn<N>(k, m, row, rows, j, a);
      for (int64_t i = k + 1; i < m; ++i) {
        T* const place = a + (i * row + j) * N::kStep;
        N::Load(place).Minus(N::Load(a + (i * row + k) * N::kStep), top).Store(place);
      }
    }
  }
  std::memcpy(info, &first_zero, sizeof(W));
}

// The lower factor, in place of the lower triangle. Lanes go on behind a pivot that is not
// positive, with NaN.
template <typename N, typename W>
HILO_INLINE void FactorizeCholesky(int64_t n, int64_t row, typename N::Element* a,
                                   LaneIndex<typename N::Element>* info) {
  using T = typename N::Element;
  using V = typename N::Vector;
  W first = {};
  for (int64_t j = 0; j < n; ++j) {
    V rest = N::Load(a + (j * row + j) * N::kStep).re;
    for (int64_t k = 0; k < j; ++k) {
      const N x = N::Load(a + (j * row + k) * N::kStep);
      rest = N{rest}.Minus(x, x.Conjugate()).re;
    }
    const auto is_positive = rest > 0;
    first = (first == 0) & ~is_positive ? W{} + static_cast<LaneIndex<T>>(j + 1) : first;
    V root;
    for (size_t lane = 0; lane < sizeof(V) / sizeof(T); ++lane) root[lane] = std::sqrt(rest[lane]);
    N{root}.Store(a + (j * row + j) * N::kStep);
    for (int64_t i = j + 1; i < n; ++i) {
      N sum = N::Load(a + (i * row + j) * N::kStep);
      for (int64_t k = 0; k < j; ++k)
        sum = sum.Minus(N::Load(a + (i * row + k) * N::kStep),
                        N::Load(a + (j * row + k) * N::kStep).Conjugate());
      sum.Over(root).Store(a + (i * row + j) * N::kStep);
    }
  }
  std::memcpy(info, &first, sizeof(W));
}

// a x = b in place of b, of whose rows there are as many as of the lower triangle a.
template <typename N>
HILO_INLINE void SolveLower(bool has_unit_diagonal, int64_t n, int64_t columns,
                            const typename N::Element* a, typename N::Element* x) {
  for (int64_t i = 0; i < n; ++i) {
    const auto* const row = a + i * n * N::kStep;
    const typename N::Divisor divisor(N::Load(row + i * N::kStep));
    for (int64_t j = 0; j < columns; ++j) {
      auto* const place = x + (i * columns + j) * N::kStep;
      N sum = N::Load(place);
      for (int64_t k = 0; k < i; ++k)
        sum = sum.Minus(N::Load(row + k * N::kStep), N::Load(x + (k * columns + j) * N::kStep));
      (has_unit_diagonal ? sum : divisor.Divide(sum)).Store(place);
    }
  }
}

// ---- One matrix, whose rows are whole vectors

// How far the columns of a vector are behind column k.
template <typename W>
HILO_INLINE W ColumnsBehind(int64_t k, int64_t first) {
  constexpr int64_t kLanes = sizeof(W) / sizeof(W{}[0]);
  W columns;
  for (int64_t lane = 0; lane < kLanes; ++lane) columns[lane] = first + lane - k;
  return columns;
}

// place -= factor * x.
template <typename T, typename V>
HILO_INLINE void Subtract(T factor, V x, T* place) {
  const V rest = LoadVector<V>(place) - (factor - V{}) * x;
  std::memcpy(place, &rest, sizeof(V));
}

// The same behind a column, which becomes `in_column`, for columns that are so far behind it.
template <typename T, typename V, typename W>
HILO_INLINE void SubtractBehind(W columns, T factor, V x, T in_column, T* place) {
  const V old = LoadVector<V>(place), rest = old - (factor - V{}) * x;
  const V next = columns > 0 ? rest : columns == 0 ? in_column - V{} : old;
  std::memcpy(place, &next, sizeof(V));
}

// row -= factor * top, from column `first` on.
template <typename T, typename V>
HILO_INLINE void Eliminate(T factor, const T* top, int64_t first, int64_t end, T* row) {
  for (int64_t j = first; j < end; j += sizeof(V) / sizeof(T))
    Subtract<T, V>(factor, LoadVector<V>(top + j), row + j);
}

template <typename T, typename V, typename W>
HILO_INLINE void FactorizeLuOfOne(int64_t m, int64_t n, int64_t row, T* a, LaneIndex<T>* pivots,
                                  LaneIndex<T>* info) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  const auto size = [&](int64_t i, int64_t k) {
    const T x = a[i * row + k];
    return x < 0 ? -x : x;
  };
  *info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < m; ++i) pivot = size(i, k) > size(pivot, k) ? i : pivot;
    pivots[k] = static_cast<LaneIndex<T>>(pivot + 1);
    T* const top = a + k * row;
    if (pivot != k) std::swap_ranges(top, top + row, a + pivot * row);
    const bool is_zero = top[k] == 0;
    if (is_zero && *info == 0) *info = static_cast<LaneIndex<T>>(k + 1);
    const T divisor = is_zero ? 1 : top[k];
    const int64_t first = k / kLanes * kLanes;
    const W columns = ColumnsBehind<W>(k, first);
    for (int64_t i = k + 1; i < m; ++i) {
      T* const place = a + i * row;
      const T factor = place[k] / divisor;
      SubtractBehind<T, V>(columns, factor, LoadVector<V>(top + first), factor, place + first);
      Eliminate<T, V>(factor, top, first + kLanes, row, place);
    }
  }
}

// The upper factor, in place of the upper triangle; what is below it means nothing.
template <typename T, typename V, typename W>
HILO_INLINE void FactorizeCholeskyOfOne(int64_t n, int64_t row, T* a, LaneIndex<T>* info) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  *info = 0;
  for (int64_t k = 0; k < n; ++k) {
    T* const top = a + k * row;
    if (!(top[k] > 0) && *info == 0) *info = static_cast<LaneIndex<T>>(k + 1);
    const V root = std::sqrt(top[k]) - V{};
    const int64_t first = k / kLanes * kLanes;
    for (int64_t j = first; j < row; j += kLanes) {
      const V quotients = LoadVector<V>(top + j) / root;
      const V factors = ColumnsBehind<W>(k, j) == 0 ? root : quotients;
      std::memcpy(top + j, &factors, sizeof(V));
    }
    for (int64_t i = k + 1; i < n; ++i)
      Eliminate<T, V>(top[i], top, i / kLanes * kLanes, row, a + i * row);
  }
}

// v^T a in a vector of columns, of rows k to m, where v[k] counts as one.
template <typename T, typename V>
HILO_INLINE V ProductsOfColumns(const T* v, int64_t k, int64_t m, int64_t row, const T* a) {
  const auto product = [&](int64_t i) { return (v[i] - V{}) * LoadVector<V>(a + i * row); };
  V sums = LoadVector<V>(a + k * row), others = {};
  int64_t i = k + 1;
  for (; i + 1 < m; i += 2) {
    sums += product(i);
    others += product(i + 1);
  }
  return i < m ? sums + others + product(i) : sums + others;
}

template <typename T, typename V, typename W>
HILO_INLINE void FactorizeQrOfOne(int64_t m, int64_t n, int64_t row, T* a, T* v, T* taus) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    const T* const corner = a + k * row + k;
    const linalg::Reflection<T> found = linalg::FindReflection(corner, m - k, row);
    taus[k] = found.tau;
    if (found.tau == 0) continue;
    for (int64_t i = k + 1; i < m; ++i) v[i] = a[i * row + k] / found.divisor;
    for (int64_t j = k / kLanes * kLanes; j < row; j += kLanes) {
      const W columns = ColumnsBehind<W>(k, j);
      const V products = (found.tau - V{}) * ProductsOfColumns<T, V>(v, k, m, row, a + j);
      SubtractBehind<T, V>(columns, T(1), products, static_cast<T>(found.beta), a + k * row + j);
      for (int64_t i = k + 1; i < m; ++i)
        SubtractBehind<T, V>(columns, v[i], products, v[i], a + i * row + j);
    }
  }
}

// q, which is zero, becomes the first n columns of the product of the reflections that a has as
// FactorizeQrOfOne leaves them, in rows of n numbers.
template <typename T, typename V>
HILO_INLINE void MultiplyReflectionsOfOne(int64_t m, int64_t n, int64_t reflections, int64_t row,
                                          const T* a, const T* taus, T* v, T* q) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t k = n - 1; k >= 0; --k) {
    q[k * row + k] = 1;
    if (k >= reflections || taus[k] == 0) continue;
    for (int64_t i = k + 1; i < m; ++i) v[i] = a[i * n + k];
    for (int64_t j = k / kLanes * kLanes; j < row; j += kLanes) {
      const V products = (taus[k] - V{}) * ProductsOfColumns<T, V>(v, k, m, row, q + j);
      Subtract<T, V>(1, products, q + k * row + j);
      for (int64_t i = k + 1; i < m; ++i) Subtract<T, V>(v[i], products, q + i * row + j);
    }
  }
}

// What a reflection leaves of the elements [first, end) of a column, outside of which v is zero.
template <typename T, typename V>
HILO_INLINE void ReflectColumn(T tau, const T* v, int64_t first, int64_t end, T* column) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  const auto product = [&](int64_t i) { return LoadVector<V>(v + i) * LoadVector<V>(column + i); };
  V sums[4] = {};
  int64_t i = first;
  for (; i + 3 * kLanes < end; i += 4 * kLanes) {
    for (int64_t k = 0; k < 4; ++k) sums[k] += product(i + k * kLanes);
  }
  for (; i < end; i += kLanes) sums[0] += product(i);
  const V all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  T sum = 0;
  for (int64_t lane = 0; lane < kLanes; ++lane) sum += all[lane];
  for (i = first; i < end; i += kLanes) Subtract<T, V>(tau * sum, LoadVector<V>(v + i), column + i);
}

template <typename T, typename V>
HILO_INLINE void FactorizeQrOfColumns(int64_t m, int64_t n, int64_t column, T* a, T* v, T* taus) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    T* const own = a + k * column;
    const linalg::Reflection<T> found = linalg::FindReflection(own + k, m - k, 1);
    taus[k] = found.tau;
    if (found.tau == 0) continue;
    const int64_t first = k / kLanes * kLanes;
    for (int64_t i = first; i < column; i += kLanes) {
      const V quotients = LoadVector<V>(own + i) / (found.divisor - V{});
      std::memcpy(v + i, &quotients, sizeof(V));
    }
    std::fill(v + first, v + k, T(0));
    v[k] = 1;
    for (int64_t j = k + 1; j < n; ++j)
      ReflectColumn<T, V>(found.tau, v, first, column, a + j * column);
    own[k] = static_cast<T>(found.beta);
    std::copy(v + k + 1, v + column, own + k + 1);
  }
}

template <typename T, typename V>
HILO_INLINE void MultiplyReflectionsOfColumns(int64_t m, int64_t n, int64_t reflections,
                                              int64_t column, const T* a, const T* taus, T* v,
                                              T* q) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  std::fill(v, v + column, T(0));
  for (int64_t k = n - 1; k >= 0; --k) {
    q[k * column + k] = 1;
    if (k >= reflections || taus[k] == 0) continue;
    v[k] = 1;
    for (int64_t i = k + 1; i < m; ++i) v[i] = a[i * n + k];
    for (int64_t j = k; j < n; ++j)
      ReflectColumn<T, V>(taus[k], v, k / kLanes * kLanes, column, q + j * column);
  }
}

}  // namespace xla::cpu::small

#endif  // HILO_CPU_KERNELS_ISA_SMALL_MATRICES_H_
