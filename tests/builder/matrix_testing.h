// Batches of matrices of complex numbers, for tests of decompositions.
#ifndef HILO_TESTS_BUILDER_MATRIX_TESTING_H_
#define HILO_TESTS_BUILDER_MATRIX_TESTING_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "tests/builder/lib_testing.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

struct Matrices {
  Matrices(int64_t count, int64_t rows, int64_t columns)
      : count(count), rows(rows), columns(columns), values(count * rows * columns) {}

  complex128& operator()(int64_t b, int64_t i, int64_t j) {
    return values[(b * rows + i) * columns + j];
  }
  const complex128& operator()(int64_t b, int64_t i, int64_t j) const {
    return values[(b * rows + i) * columns + j];
  }

  int64_t count, rows, columns;
  std::vector<complex128> values;
};

// Numbers between -1 and 1, the same in each run. Real ones for real types.
inline Matrices RandomMatrices(int64_t count, int64_t rows, int64_t columns, PrimitiveType type) {
  Matrices result(count, rows, columns);
  std::mt19937 bits(rows * 100 + columns);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const bool is_complex = primitive_util::IsComplexType(type);
  for (complex128& value : result.values) {
    const double real = uniform(bits);
    value = {real, is_complex ? uniform(bits) : 0.0};
  }
  return result;
}

inline Matrices Multiply(const Matrices& x, const Matrices& y) {
  EXPECT_EQ(x.columns, y.rows);
  EXPECT_EQ(x.count, y.count);
  Matrices result(x.count, x.rows, y.columns);
  for (int64_t b = 0; b < x.count; ++b) {
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t k = 0; k < x.columns; ++k) {
        for (int64_t j = 0; j < y.columns; ++j) result(b, i, j) += x(b, i, k) * y(b, k, j);
      }
    }
  }
  return result;
}

inline Matrices Adjoint(const Matrices& x) {
  Matrices result(x.count, x.columns, x.rows);
  for (int64_t b = 0; b < x.count; ++b) {
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t j = 0; j < x.columns; ++j) result(b, j, i) = std::conj(x(b, i, j));
    }
  }
  return result;
}

// rows x columns matrices with the rows of `diagonals` (a 1 x k matrix each) as diagonals.
inline Matrices Diagonal(const Matrices& diagonals, int64_t rows, int64_t columns) {
  Matrices result(diagonals.count, rows, columns);
  for (int64_t b = 0; b < diagonals.count; ++b) {
    for (int64_t i = 0; i < diagonals.columns; ++i) result(b, i, i) = diagonals(b, 0, i);
  }
  return result;
}

inline Matrices Identity(int64_t count, int64_t n) {
  Matrices ones(count, 1, n);
  std::fill(ones.values.begin(), ones.values.end(), 1);
  return Diagonal(ones, n, n);
}

// The largest absolute difference of two elements; infinite where there is a NaN.
inline double Distance(const Matrices& x, const Matrices& y) {
  EXPECT_EQ(x.count, y.count);
  EXPECT_EQ(x.rows, y.rows);
  EXPECT_EQ(x.columns, y.columns);
  double largest = 0;
  for (size_t i = 0; i < std::min(x.values.size(), y.values.size()); ++i) {
    const double distance = std::abs(x.values[i] - y.values[i]);
    if (!(distance <= largest)) largest = std::isnan(distance) ? INFINITY : distance;
  }
  return largest;
}

// How far Q^H Q is from the identity.
inline double DistanceFromUnitary(const Matrices& q) {
  return Distance(Multiply(Adjoint(q), q), Identity(q.count, q.columns));
}

// A constant [count, rows, columns] of the type, of numbers rounded to it.
inline XlaOp ConstantMatrices(XlaBuilder& builder, Matrices& matrices, PrimitiveType type) {
  Literal literal(ShapeUtil::MakeShape(C128, {matrices.count, matrices.rows, matrices.columns}));
  std::copy(matrices.values.begin(), matrices.values.end(), literal.data<complex128>().begin());
  XlaBuilder rounding("rounding");
  const XlaOp wide = ConstantLiteral(&rounding, literal);
  const XlaOp parts = primitive_util::IsComplexType(type) ? wide : Real(wide);
  const Literal rounded = Evaluate(rounding, ConvertElementType(parts, type));
  XlaBuilder widening("widening");
  matrices.values = ValuesOf<complex128>(
      Evaluate(widening, ConvertElementType(ConstantLiteral(&widening, rounded), C128)));
  return ConstantLiteral(&builder, rounded);
}

// The matrices that an array [..., rows, columns] of numbers holds; a vector is one row.
inline Matrices MatricesOf(const Literal& literal) {
  XlaBuilder widening("widening");
  const Literal wide =
      Evaluate(widening, ConvertElementType(ConstantLiteral(&widening, literal), C128));
  const auto sizes = literal.shape().dimensions();
  if (sizes.size() < 2) {
    ADD_FAILURE() << literal.shape().ToString();
    return Matrices(0, 0, 0);
  }
  int64_t count = 1;
  for (int64_t size : sizes.first(sizes.size() - 2)) count *= size;
  Matrices result(count, sizes[sizes.size() - 2], sizes.back());
  result.values = ValuesOf<complex128>(wide);
  return result;
}

// Vectors [count, n] as 1 x n matrices.
inline Matrices RowsOfLiteral(const Literal& literal) {
  Matrices all = MatricesOf(literal);
  Matrices result(all.rows, 1, all.columns);
  result.values = all.values;
  return result;
}

// What rounding may change in the numbers of a decomposition of matrices of this size.
inline double ToleranceFor(PrimitiveType type, int64_t size) {
  const double epsilon = type == F64 || type == C128 ? 2.3e-16 : 1.2e-7;
  return epsilon * 8 * static_cast<double>(size + 1);
}

}  // namespace xla

#endif  // HILO_TESTS_BUILDER_MATRIX_TESTING_H_
