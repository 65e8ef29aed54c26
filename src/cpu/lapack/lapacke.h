// LAPACKE by types of elements.
#ifndef HILO_CPU_LAPACK_LAPACKE_H_
#define HILO_CPU_LAPACK_LAPACKE_H_

#include <complex>

#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace xla::cpu {

// The functions of LAPACKE for elements of type T, by the names of their routines.
template <typename T>
struct Lapacke;
#define HILO_LAPACK_FUNCTIONS(T, letter, symmetric, orthogonal)   \
  template <>                                                     \
  struct Lapacke<T> {                                             \
    static constexpr auto potrf = LAPACKE_##letter##potrf_work;   \
    static constexpr auto getrf = LAPACKE_##letter##getrf_work;   \
    static constexpr auto laswp = LAPACKE_##letter##laswp_work;   \
    static constexpr auto geqrf = LAPACKE_##letter##geqrf_work;   \
    static constexpr auto geqp3 = LAPACKE_##letter##geqp3;        \
    static constexpr auto orgqr = LAPACKE_##orthogonal##gqr_work; \
    static constexpr auto ormqr = LAPACKE_##orthogonal##mqr;      \
    static constexpr auto gesdd = LAPACKE_##letter##gesdd_work;   \
    static constexpr auto gesvd = LAPACKE_##letter##gesvd;        \
    static constexpr auto syevd = LAPACKE_##symmetric##evd_work;  \
    static constexpr auto geev = LAPACKE_##letter##geev;          \
    static constexpr auto gees = LAPACKE_##letter##gees;          \
    static constexpr auto gehrd = LAPACKE_##letter##gehrd;        \
    static constexpr auto sytrd = LAPACKE_##symmetric##trd;       \
    static constexpr auto gtsv = LAPACKE_##letter##gtsv;          \
  }
HILO_LAPACK_FUNCTIONS(float, s, ssy, sor);
HILO_LAPACK_FUNCTIONS(double, d, dsy, dor);
HILO_LAPACK_FUNCTIONS(std::complex<float>, c, che, cun);
HILO_LAPACK_FUNCTIONS(std::complex<double>, z, zhe, zun);
#undef HILO_LAPACK_FUNCTIONS

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_LAPACK_LAPACKE_H_
