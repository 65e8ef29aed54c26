// Factorisation and solution of linear systems, for batches of matrices in the last two dimensions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "eval/field.h"
#include "eval/frame.h"
#include "eval/wide_array.h"
#include "ir/records.h"
#include "xla/xla_data.pb.h"

namespace xla::eval {
namespace {

double Conjugate(double x) { return x; }
complex128 Conjugate(complex128 z) { return std::conj(z); }
double RealPart(double x) { return x; }
double RealPart(complex128 z) { return z.real(); }

// Replaces the lower triangle of a Hermitian matrix by l with l l* = a and the upper one by zeros,
// row by row. The element (i, j) is at i * row + j * column, so that exchanging the strides gives
// the upper triangle of conj(u).
template <typename Wide>
void Factorize(Wide* a, int64_t n, int64_t row, int64_t column) {
  const auto at = [&](int64_t i, int64_t j) -> Wide& { return a[i * row + j * column]; };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Wide rest = at(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= at(i, k) * Conjugate(at(j, k));
      if (i == j && !(RealPart(rest) > 0))
        return (void)std::fill_n(a, n * n, Wide(std::numeric_limits<double>::quiet_NaN()));
      at(i, j) = i == j ? Wide(std::sqrt(RealPart(rest))) : rest / at(j, j);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) at(i, j) = 0;
  }
}

}  // namespace

// A matrix that is not positive definite gives nothing but NaN. The triangle that is not asked for
// is zero.
absl::StatusOr<Value> Cholesky(Frame& frame, const HloInstruction& instruction) {
  const bool lower = instruction.attributes_as<CholeskyAttributes>().lower;
  const int64_t n = instruction.shape().dimensions().back();
  return ForField(instruction.shape().element_type(), [&](auto wide) {
    using Wide = decltype(wide);
    std::vector<Wide> matrices = LoadAs<Wide>(frame.array(0));
    for (size_t first = 0; first < matrices.size(); first += n * n) {
      Factorize(matrices.data() + first, n, lower ? n : 1, lower ? 1 : n);
    }
    return Store(matrices, instruction.shape());
  });
}

namespace {

// A triangular matrix seen as it is, transposed or conjugated.
template <typename Wide>
struct Triangle {
  const Wide* elements;
  int64_t row, column;
  bool conjugate, lower, unit_diagonal;

  Wide operator()(int64_t i, int64_t j) const {
    const Wide element = elements[i * row + j * column];
    return conjugate ? Conjugate(element) : element;
  }

  // Solves a x = b for a vector whose elements are `stride` apart, in place.
  void Solve(Wide* x, int64_t n, int64_t stride) const {
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = lower ? step : n - 1 - step;
      Wide rest = x[i * stride];
      for (int64_t k = lower ? 0 : i + 1, end = lower ? i : n; k < end; ++k)
        rest -= (*this)(i, k) * x[k * stride];
      x[i * stride] = unit_diagonal ? rest : rest / (*this)(i, i);
    }
  }
};

}  // namespace

absl::StatusOr<Value> TriangularSolve(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<TriangularSolveAttributes>();
  const auto sizes = instruction.shape().dimensions();
  const int64_t rows = sizes[sizes.size() - 2], columns = sizes.back();
  const int64_t n = attributes.left_side ? rows : columns;
  // x op(a) = b is op(a)^T x^T = b^T.
  const bool transposed =
      (attributes.transpose_a != TriangularSolveOptions::NO_TRANSPOSE) == attributes.left_side;
  return ForField(instruction.shape().element_type(), [&](auto wide) {
    using Wide = decltype(wide);
    const std::vector<Wide> a = LoadAs<Wide>(frame.array(0));
    std::vector<Wide> x = LoadAs<Wide>(frame.array(1));
    const int64_t batch = n == 0 ? 0 : static_cast<int64_t>(a.size()) / (n * n);
    for (int64_t b = 0; b < batch; ++b) {
      const Triangle<Wide> triangle = {a.data() + b * n * n,
                                       transposed ? 1 : n,
                                       transposed ? n : 1,
                                       attributes.transpose_a == TriangularSolveOptions::ADJOINT,
                                       attributes.lower != transposed,
                                       attributes.unit_diagonal};
      Wide* matrix = x.data() + b * rows * columns;
      if (attributes.left_side) {
        for (int64_t j = 0; j < columns; ++j) triangle.Solve(matrix + j, n, columns);
      } else {
        for (int64_t i = 0; i < rows; ++i) triangle.Solve(matrix + i * columns, n, 1);
      }
    }
    return Store(x, instruction.shape());
  });
}

}  // namespace xla::eval
