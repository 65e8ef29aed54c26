#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "cpu/kernels/kernels.h"
#include "runtime/parallel.h"
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

// Row by row; what is on the other side of the diagonal becomes zero. A matrix that is not positive definite becomes NaN.
template <typename T>
class Cholesky : public runtime::LibraryKernel {
 public:
  Cholesky(int64_t matrices, int64_t n, bool lower) : matrices_(matrices), n_(n), lower_(lower) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const T* input = static_cast<const T*>(arrays[0]);
    T* output = static_cast<T*>(arrays[1]);
    runtime::ParallelFor(matrices_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        Factorize(input + i * n_ * n_, output + i * n_ * n_);
    });
    return absl::OkStatus();
  }

 private:
  void Factorize(const T* a, T* l) const {
    // The upper factor is the conjugate transpose of the lower one.
    const int64_t row = lower_ ? n_ : 1, column = lower_ ? 1 : n_;
    std::memset(static_cast<void*>(l), 0, sizeof(T) * n_ * n_);
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        T sum = a[i * row + j * column];
        for (int64_t k = 0; k < j; ++k)
          sum -= l[i * row + k * column] * Conjugate(l[j * row + k * column]);
        if (i == j && !(std::real(sum) > 0))
          return (void)std::fill_n(l, n_ * n_, T(std::numeric_limits<double>::quiet_NaN()));
        l[i * row + j * column] =
            i == j ? T(std::sqrt(std::real(sum))) : sum / std::real(l[j * row + j * column]);
      }
    }
  }

  const int64_t matrices_, n_;
  const bool lower_;
};

template <typename T>
KernelOrStatus MakeCholeskyOf(const runtime::LibraryCall& call) {
  const Shape& shape = call.operands[0];
  const int64_t n = shape.dimensions().back();
  return std::make_unique<Cholesky<T>>(n == 0 ? 0 : ShapeUtil::ElementsIn(shape) / (n * n), n,
                                       call.instruction.cholesky_options().lower());
}

}  // namespace

KernelOrStatus MakeCholesky(const runtime::LibraryCall& call) {
  switch (call.operands[0].element_type()) {
    case F32:
      return MakeCholeskyOf<float>(call);
    case F64:
      return MakeCholeskyOf<double>(call);
    case C64:
      return MakeCholeskyOf<std::complex<float>>(call);
    case C128:
      return MakeCholeskyOf<std::complex<double>>(call);
    default:
      return Unimplemented("cholesky of %s", ShapeUtil::HumanString(call.operands[0]));
  }
}

}  // namespace xla::cpu
