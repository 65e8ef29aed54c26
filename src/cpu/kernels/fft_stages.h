// The steps of Fourier transforms of many interleaved lines.
#ifndef HILO_CPU_KERNELS_FFT_STAGES_H_
#define HILO_CPU_KERNELS_FFT_STAGES_H_

#include <complex>
#include <cstdint>

#include "codegen/target.h"

namespace xla::cpu {

// Complex numbers whose parts lie in arrays of their own.
template <typename T>
struct Parts {
  T* re;
  T* im;
};

// One stage of Stockham's algorithm: transforms of `radix` elements each, with their results where
// the next stage reads them in order. x and y have radix * count * side elements: for p < count and
// q < side,
//   y[q + side * (radix * p + j)] = twiddles[p * radix + j] * sum over k of x[q + side * (p + count
//   * k)] * roots[j * k % radix]
template <typename T>
using StageFunction = void(int64_t radix, int64_t count, int64_t side, const std::complex<T>* roots,
                           const std::complex<T>* twiddles, Parts<T> x, Parts<T> y);

// The same for an odd radix and a side of 1, where count >= lanes; the twiddle of p and j is number
// j * count + p.
template <typename T>
using FirstStageFunction = void(int64_t radix, int64_t count, const std::complex<T>* roots,
                                Parts<const T> twiddles, Parts<T> x, Parts<T> y);

// No larger radix than this is transformed directly.
inline constexpr int64_t kMostRadix = 255;

// `side` is any number; stages are the faster if it is at least `lanes`, the others if it is a
// multiple of that.
template <typename T>
struct FftFunctions {
  int lanes;
  StageFunction<T>* stage;
  FirstStageFunction<T>* first_stage;
  // The transform of lanes * count numbers from `lanes` interleaved ones of `count` numbers each,
  // count >= lanes: for k < count and j < lanes,
  //   y[k + count * j] = sum over l of x[k * lanes + l] * twiddles[l * count + k] * exp(-2 pi i l j
  //   / lanes)
  void (*combine_lanes)(int64_t count, Parts<const T> twiddles, Parts<T> x, Parts<T> y);
  // `lanes` complex numbers to their parts, and parts times a factor back.
  void (*part)(const std::complex<T>* from, T* re, T* im);
  void (*join)(const T* re, const T* im, T factor, std::complex<T>* to);
  // The first `count` numbers of each of `lanes` lines to their parts, those of number k of all
  // lines beginning at k * lanes; and back.
  void (*part_lines)(const std::complex<T>* const* lines, int64_t count, Parts<T> x);
  void (*join_lines)(Parts<T> x, T factor, int64_t count, std::complex<T>* const* lines);
  // x[q + side * k] *= factors[k] for k < count and q < side
  void (*multiply)(Parts<const T> factors, int64_t count, int64_t side, Parts<T> x);
  // Real data of 2 * count numbers are transformed as `count` complex numbers. These make the first
  // count + 1 numbers of the transform from that of the complex numbers, and the other way round;
  // roots[k] = exp(-pi i k / count) for 2 * k <= count.
  void (*unfold)(const std::complex<T>* roots, int64_t count, int64_t side, Parts<T> x);
  void (*fold)(const std::complex<T>* roots, int64_t count, int64_t side, Parts<T> x);
};

template <typename T>
const FftFunctions<T>& FftFunctionsOf(codegen::InstructionSet set);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_FFT_STAGES_H_
