// Factorisations and solutions of linear systems, for batches of matrices in the last two
// dimensions.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/triangular_solve.h"
#include "cpu/lapack/solve.h"
#include "data/literal_convert.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

double Conjugate(double x) { return x; }
float Conjugate(float x) { return x; }
template <typename T>
std::complex<T> Conjugate(std::complex<T> x) {
  return std::conj(x);
}

// The matrices of an array.
struct Batch {
  explicit Batch(const Shape& shape)
      : rows(shape.dimensions(shape.dimensions_size() - 2)), columns(shape.dimensions().back()) {
    for (int64_t size : shape.dimensions().first(shape.dimensions_size() - 2)) count *= size;
  }
  int64_t elements() const { return rows * columns; }

  // Calls body(i) for each matrix, on several threads where `work` (multiply-adds for one) is
  // enough for that.
  template <typename F>
  void ForEach(double work, F&& body) const {
    const int64_t least = static_cast<int64_t>(std::clamp(100000 / (work + 1), 1.0, 1e6));
    runtime::ParallelFor(count, least, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i);
    });
  }

  int64_t count = 1, rows, columns;
};

// Calls f(T()) with the type that elements of a type are computed in: narrow ones in float.
template <typename F>
KernelOrStatus ForField(const runtime::LibraryCall& call, F&& f) {
  switch (call.operands[0].element_type()) {
    case F16:
    case BF16:
    case F32:
      return f(float());
    case F64:
      return f(double());
    case C64:
      return f(std::complex<float>());
    case C128:
      return f(std::complex<double>());
    default:
      return Unimplemented("%s of %s", call.kernel, ShapeUtil::HumanString(call.operands[0]));
  }
}

// ---- cholesky

// Row by row, as if the lower factor was asked for; the upper one is its conjugate transpose. False
// if the matrix is not positive definite.
template <typename T>
bool FactorizeCholesky(T* a, int64_t n, int64_t row, int64_t column) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T rest = a[i * row + j * column];
      for (int64_t k = 0; k < j; ++k)
        rest -= a[i * row + k * column] * Conjugate(a[j * row + k * column]);
      if (i == j && !(std::real(rest) > 0)) return false;
      a[i * row + j * column] =
          i == j ? T(std::sqrt(std::real(rest))) : rest / std::real(a[j * row + j * column]);
    }
  }
  return true;
}

// Small matrices are done before a library has begun.
bool IsWorthACall(int64_t n) { return n >= 32 && n <= std::numeric_limits<int>::max(); }

// In place, one triangle. False if the matrix is not positive definite.
template <typename T>
bool FactorizeTriangle(T* a, int64_t n, bool lower) {
  linalg::LapackProblem problem = {linalg::LapackRoutine::kPotrf,
                                   primitive_util::NativeToPrimitiveType<T>(), n, n};
  problem.uplo = lower ? 'L' : 'U';
  problem.operand_bytes = {0}, problem.result_bytes = {0, 0};
  const void* const operands[] = {a};
  int32_t info = 0;
  void* const results[] = {a, &info};
  if (!IsWorthACall(n) || hilo_solve_by_lapack(problem, 1, operands, results) == 0)
    return FactorizeCholesky(a, n, lower ? n : 1, lower ? 1 : n);
  bool is_definite = info == 0;
  for (int64_t i = 0; i < n && is_definite; ++i) is_definite = std::real(a[i * n + i]) > 0;
  return is_definite;
}

// In place. What is on the other side of the diagonal becomes zero, a matrix that is not positive
// definite NaN.
template <typename T>
void Cholesky(T* a, int64_t n, bool lower) {
  const int64_t row = lower ? n : 1, column = lower ? 1 : n;
  if (!FactorizeTriangle(a, n, lower)) {
    std::fill_n(a, n * n, T(std::numeric_limits<double>::quiet_NaN()));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) a[i * row + j * column] = 0;
  }
}

template <typename T>
class CholeskyKernel : public runtime::LibraryKernel {
 public:
  explicit CholeskyKernel(const runtime::LibraryCall& call)
      : batch_(call.operands[0]),
        type_(call.operands[0].element_type()),
        lower_(call.instruction.cholesky_options().lower()) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const int64_t n = batch_.columns;
    batch_.ForEach(static_cast<double>(n) * n * n / 6, [&](int64_t i) {
      const int64_t bytes = primitive_util::ByteWidth(type_) * n * n;
      char* matrix = static_cast<char*>(arrays[1]) + i * bytes;
      if (type_ == primitive_util::NativeToPrimitiveType<T>())
        return Cholesky(reinterpret_cast<T*>(matrix), n, lower_);
      std::vector<T> wide(n * n);
      ConvertElements(type_, matrix, F32, wide.data(), n * n);
      Cholesky(wide.data(), n, lower_);
      ConvertElements(F32, wide.data(), type_, matrix, n * n);
    });
    return absl::OkStatus();
  }

 private:
  const Batch batch_;
  const PrimitiveType type_;
  const bool lower_;
};

// ---- triangular-solve

// op(a) of a triangular matrix a.
template <typename T>
struct Triangle {
  const T* elements;
  int64_t n;
  TriangularSolveOptions::Transpose transpose;
  bool lower, unit_diagonal;

  T operator()(int64_t i, int64_t j) const {
    if (transpose == TriangularSolveOptions::NO_TRANSPOSE) return elements[i * n + j];
    const T element = elements[j * n + i];
    return transpose == TriangularSolveOptions::ADJOINT ? Conjugate(element) : element;
  }
  bool IsLower() const { return lower == (transpose == TriangularSolveOptions::NO_TRANSPOSE); }

  // Solves op(a) x = b in place of b, whose rows have `columns` elements.
  void SolveLeft(T* x, int64_t columns) const {
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = IsLower() ? step : n - 1 - step;
      T* row = x + i * columns;
      for (int64_t k = IsLower() ? 0 : i + 1, end = IsLower() ? i : n; k < end; ++k) {
        const T factor = (*this)(i, k);
        for (int64_t j = 0; j < columns; ++j) row[j] -= factor * x[k * columns + j];
      }
      if (unit_diagonal) continue;
      const T divisor = (*this)(i, i);
      for (int64_t j = 0; j < columns; ++j) row[j] /= divisor;
    }
  }

  // Solves x op(a) = b in place of b, which has `rows` rows.
  void SolveRight(T* x, int64_t rows) const {
    for (int64_t r = 0; r < rows; ++r, x += n) {
      for (int64_t step = 0; step < n; ++step) {
        const int64_t j = IsLower() ? n - 1 - step : step;
        if (!unit_diagonal) x[j] /= (*this)(j, j);
        for (int64_t i = IsLower() ? 0 : j + 1, end = IsLower() ? j : n; i < end; ++i)
          x[i] -= x[j] * (*this)(j, i);
      }
    }
  }
};

template <typename T>
class TriangularSolve : public runtime::LibraryKernel {
 public:
  explicit TriangularSolve(const runtime::LibraryCall& call)
      : batch_(call.results[0]),
        type_(call.results[0].element_type()),
        options_(call.instruction.triangular_solve_options()) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const int64_t n = options_.left_side() ? batch_.rows : batch_.columns;
    batch_.ForEach(static_cast<double>(batch_.elements()) * n / 2, [&](int64_t i) {
      const int64_t bytes = primitive_util::ByteWidth(type_);
      const char* a = static_cast<const char*>(arrays[0]) + i * n * n * bytes;
      char* x = static_cast<char*>(arrays[2]) + i * batch_.elements() * bytes;
      if (type_ == primitive_util::NativeToPrimitiveType<T>())
        return Solve(reinterpret_cast<const T*>(a), reinterpret_cast<T*>(x));
      std::vector<T> wide(n * n + batch_.elements());
      T* wide_x = wide.data() + n * n;
      ConvertElements(type_, a, F32, wide.data(), n * n);
      ConvertElements(type_, x, F32, wide_x, batch_.elements());
      Solve(wide.data(), wide_x);
      ConvertElements(F32, wide_x, type_, x, batch_.elements());
    });
    return absl::OkStatus();
  }

 private:
  bool SolveByLapack(const T* a, T* x) const {
    linalg::LapackProblem problem = {linalg::LapackRoutine::kTrsm,
                                     primitive_util::NativeToPrimitiveType<T>(), batch_.rows,
                                     batch_.columns};
    problem.side = options_.left_side() ? 'L' : 'R';
    problem.uplo = options_.lower() ? 'L' : 'U';
    problem.diagonal = options_.unit_diagonal() ? 'U' : 'N';
    problem.transpose = options_.transpose_a() == TriangularSolveOptions::NO_TRANSPOSE ? 'N'
                        : options_.transpose_a() == TriangularSolveOptions::ADJOINT    ? 'C'
                                                                                       : 'T';
    problem.operand_bytes = {0, 0}, problem.result_bytes = {0};
    const void* const operands[] = {a, x};
    void* const results[] = {x};
    return IsWorthACall(options_.left_side() ? batch_.rows : batch_.columns) &&
           std::max(batch_.rows, batch_.columns) <= std::numeric_limits<int>::max() &&
           SolveTriangularInParts(problem, operands, results);
  }

  void Solve(const T* a, T* x) const {
    if (SolveByLapack(a, x)) return;
    const Triangle<T> triangle = {a, options_.left_side() ? batch_.rows : batch_.columns,
                                  options_.transpose_a(), options_.lower(),
                                  options_.unit_diagonal()};
    options_.left_side() ? triangle.SolveLeft(x, batch_.columns)
                         : triangle.SolveRight(x, batch_.rows);
  }

  const Batch batch_;
  const PrimitiveType type_;
  const TriangularSolveOptions options_;
};

}  // namespace

KernelOrStatus MakeCholesky(const runtime::LibraryCall& call) {
  return ForField(call, [&](auto field) -> KernelOrStatus {
    return std::make_unique<CholeskyKernel<decltype(field)>>(call);
  });
}

KernelOrStatus MakeTriangularSolve(const runtime::LibraryCall& call) {
  return ForField(call, [&](auto field) -> KernelOrStatus {
    return std::make_unique<TriangularSolve<decltype(field)>>(call);
  });
}

}  // namespace xla::cpu
