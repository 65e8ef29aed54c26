// Factorizations of one large matrix that threads share. LAPACK factorizes a block of its columns
// at a time; what that changes in the rest of the matrix is done by BLAS in parts, which do not
// depend on the number of threads. (The right-looking algorithms of Golub and Van Loan, Matrix
// Computations, sections 3.2 and 4.2.)
#ifndef HILO_CPU_LAPACK_FACTORIZE_IN_PARTS_H_
#define HILO_CPU_LAPACK_FACTORIZE_IN_PARTS_H_

#include <algorithm>
#include <cstdint>

#include "cpu/lapack/blas.h"
#include "cpu/lapack/lapacke.h"
#include "linalg/lapack_problem.h"
#include "xla/util.h"

namespace xla::cpu {

// Columns of a block, and rows or columns of a part.
constexpr int kColumnsOfBlock = 48, kPart = 64;
// From how many rows and columns on this takes less time.
constexpr int64_t kLeastInParts = 192;

// The lower factor of a Hermitian matrix that lies row by row, in its place; what is above the
// diagonal stays. Returns the info of potrf.
template <typename T>
int FactorizeCholeskyInParts(linalg::ForEachPart for_each, int n, T* a) {
  const auto at = [&](int i, int j) { return Block<T>{a + static_cast<int64_t>(i) * n + j, n}; };
  const auto read = [&](int i, int j) { return Block<const T>{at(i, j).elements, n}; };
  for (int k = 0; k < n; k += kColumnsOfBlock) {
    const int width = std::min(kColumnsOfBlock, n - k), rest = k + width;
    // For LAPACK's columns, which are our rows, it is the upper factor.
    const int info = Lapacke<T>::potrf(LAPACK_COL_MAJOR, 'U', width, at(k, k).elements, n);
    if (info != 0) return info + k;
    const int64_t parts = CeilOfRatio<int64_t>(n - rest, kPart);
    for_each(parts, [&](int64_t part) {
      const int first = rest + static_cast<int>(part) * kPart, rows = std::min(kPart, n - first);
      SolveTriangular(CblasRowMajor, CblasRight, CblasLower, CblasConjTrans, CblasNonUnit, rows,
                      width, read(k, k), at(first, k));
    });
    for_each(parts, [&](int64_t part) {
      // The longest rows first.
      const int first = rest + static_cast<int>(parts - 1 - part) * kPart;
      const int rows = std::min(kPart, n - first);
      SubtractProduct(CblasRowMajor, CblasConjTrans, rows, first - rest, width, read(first, k),
                      read(rest, k), at(first, rest));
      SubtractSquare(CblasRowMajor, rows, width, read(first, k), at(first, first));
    });
  }
  return 0;
}

// The LU factors of a matrix that lies column by column, in its place, and the rows, counted from
// 1, that each of the first min(m, n) changed places with. Returns the info of getrf.
template <typename T>
int FactorizeLuInParts(linalg::ForEachPart for_each, int m, int n, T* a, int* pivots) {
  const auto at = [&](int i, int j) { return Block<T>{a + static_cast<int64_t>(j) * m + i, m}; };
  const auto read = [&](int i, int j) { return Block<const T>{at(i, j).elements, m}; };
  int info = 0;
  for (int k = 0; k < std::min(m, n); k += kColumnsOfBlock) {
    const int width = std::min(kColumnsOfBlock, std::min(m, n) - k), rest = k + width;
    const int info_of_block =
        Lapacke<T>::getrf(LAPACK_COL_MAJOR, m - k, width, at(k, k).elements, m, pivots + k);
    if (info_of_block != 0 && info == 0) info = info_of_block + k;
    for (int i = k; i < rest; ++i) pivots[i] += k;
    const int64_t behind = CeilOfRatio<int64_t>(n - rest, kPart);
    for_each(behind + CeilOfRatio<int64_t>(k, kPart), [&](int64_t part) {
      const bool is_behind = part < behind;
      const int first =
          static_cast<int>(is_behind ? part : part - behind) * kPart + (is_behind ? rest : 0);
      const int columns = std::min(kPart, (is_behind ? n : k) - first);
      Lapacke<T>::laswp(LAPACK_COL_MAJOR, columns, at(0, first).elements, m, k + 1, rest, pivots,
                        1);
      if (!is_behind) return;
      SolveTriangular(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, columns,
                      read(k, k), at(k, first));
      SubtractProduct(CblasColMajor, CblasNoTrans, m - rest, columns, width, read(rest, k),
                      read(k, first), at(rest, first));
    });
  }
  return info;
}

}  // namespace xla::cpu

#endif  // HILO_CPU_LAPACK_FACTORIZE_IN_PARTS_H_
