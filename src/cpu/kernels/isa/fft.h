// The steps of Fourier transforms over any type V of vectors, or over T itself.
#ifndef HILO_CPU_KERNELS_ISA_FFT_H_
#define HILO_CPU_KERNELS_ISA_FFT_H_

#include <cstring>
#include <utility>

#include "cpu/kernels/fft_stages.h"
#include "cpu/kernels/isa/vector_code.h"

namespace xla::cpu::fft {

// No function here is called, they are all inlined, so it does not matter how vectors are passed.
#pragma GCC diagnostic ignored "-Wpsabi"

template <typename V>
struct Number {
  V re, im;
};

template <typename V>
HILO_INLINE Number<V> operator+(Number<V> x, Number<V> y) {
  return {x.re + y.re, x.im + y.im};
}
template <typename V>
HILO_INLINE Number<V> operator-(Number<V> x, Number<V> y) {
  return {x.re - y.re, x.im - y.im};
}
template <typename V, typename T>
HILO_INLINE Number<V> Scale(Number<V> x, T factor) {
  return {x.re * factor, x.im * factor};
}
template <typename V, typename T>
HILO_INLINE Number<V> Times(Number<V> x, const std::complex<T>& y) {
  return {x.re * y.real() - x.im * y.imag(), x.re * y.imag() + x.im * y.real()};
}
template <typename V>
HILO_INLINE Number<V> Times(Number<V> x, Number<V> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
// x times -i
template <typename V>
HILO_INLINE Number<V> Turn(Number<V> x) {
  return {x.im, -x.re};
}

template <int kRadix, typename T, typename V>
HILO_INLINE void Butterfly(Number<V>* x) {
  if constexpr (kRadix == 2) {
    const Number<V> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  } else if constexpr (kRadix == 3) {
    constexpr T kSine = T(0.86602540378443864676);
    const Number<V> sum = x[1] + x[2], turned = Turn(Scale(x[1] - x[2], kSine));
    const Number<V> middle = x[0] - Scale(sum, T(0.5));
    x[0] = x[0] + sum;
    x[1] = middle + turned;
    x[2] = middle - turned;
  } else if constexpr (kRadix == 4) {
    const Number<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = Turn(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  } else if constexpr (kRadix == 8) {
    constexpr T kHalfRoot = T(0.70710678118654752440);
    Number<V> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    Butterfly<4, T>(even);
    Butterfly<4, T>(odd);
    odd[1] = Scale(odd[1] + Turn(odd[1]), kHalfRoot);
    odd[2] = Turn(odd[2]);
    odd[3] = Scale(Turn(odd[3]) - odd[3], kHalfRoot);
    HILO_UNROLL
    for (int k = 0; k < 4; ++k) x[k] = even[k] + odd[k], x[k + 4] = even[k] - odd[k];
  } else if constexpr (kRadix == 16) {
    constexpr std::complex<T> kRoots[8] = {
        {T(1), T(0)},
        {T(0.92387953251128675613), T(-0.38268343236508977173)},
        {T(0.70710678118654752440), T(-0.70710678118654752440)},
        {T(0.38268343236508977173), T(-0.92387953251128675613)},
        {T(0), T(-1)},
        {T(-0.38268343236508977173), T(-0.92387953251128675613)},
        {T(-0.70710678118654752440), T(-0.70710678118654752440)},
        {T(-0.92387953251128675613), T(-0.38268343236508977173)}};
    Number<V> even[8], odd[8];
    HILO_UNROLL
    for (int k = 0; k < 8; ++k) even[k] = x[2 * k], odd[k] = x[2 * k + 1];
    Butterfly<8, T>(even);
    Butterfly<8, T>(odd);
    HILO_UNROLL
    for (int k = 0; k < 8; ++k) {
      const Number<V> turned = Times(odd[k], kRoots[k]);
      x[k] = even[k] + turned;
      x[k + 8] = even[k] - turned;
    }
  } else if constexpr (kRadix == 5) {
    constexpr T kCosine1 = T(0.30901699437494742410), kCosine2 = T(-0.80901699437494742410);
    constexpr T kSine1 = T(0.95105651629515357212), kSine2 = T(0.58778525229247312917);
    const Number<V> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
    const Number<V> e = x[0] + Scale(a, kCosine1) + Scale(b, kCosine2);
    const Number<V> f = x[0] + Scale(a, kCosine2) + Scale(b, kCosine1);
    const Number<V> g = Turn(Scale(c, kSine1) + Scale(d, kSine2));
    const Number<V> h = Turn(Scale(c, kSine2) - Scale(d, kSine1));
    x[0] = x[0] + a + b;
    x[1] = e + g;
    x[2] = f + h;
    x[3] = f - h;
    x[4] = e - g;
  }
}

// The last block of `lanes` numbers overlaps the one before where they are no multiple of it.
HILO_INLINE int64_t BlockAt(int64_t i, int64_t lanes, int64_t count) {
  return i + lanes <= count ? i : count - lanes;
}

template <typename V, typename T>
HILO_INLINE Number<V> Load(Parts<T> x, int64_t at) {
  Number<V> number;
  std::memcpy(&number.re, x.re + at, sizeof(V));
  std::memcpy(&number.im, x.im + at, sizeof(V));
  return number;
}
template <typename V, typename T>
HILO_INLINE void Store(Number<V> number, Parts<T> y, int64_t at) {
  std::memcpy(y.re + at, &number.re, sizeof(V));
  std::memcpy(y.im + at, &number.im, sizeof(V));
}

template <typename V, int kRadix, typename T>
HILO_INLINE void FixedStage(int64_t count, int64_t side, const std::complex<T>* twiddles,
                            Parts<T> x, Parts<T> y) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t p = 0; p < count; ++p, twiddles += kRadix) {
    for (int64_t block = 0; block < side; block += kLanes) {
      const int64_t q = BlockAt(block, kLanes, side);
      Number<V> values[kRadix];
      HILO_UNROLL
      for (int k = 0; k < kRadix; ++k) values[k] = Load<V>(x, q + side * (p + count * k));
      Butterfly<kRadix, T>(values);
      Store(values[0], y, q + side * kRadix * p);
      HILO_UNROLL
      for (int j = 1; j < kRadix; ++j)
        Store(Times(values[j], twiddles[j]), y, q + side * (kRadix * p + j));
    }
  }
}

// Results j to j + kCount - 1 of AnyButterfly and those that mirror them.
template <int kCount, typename V, typename T>
HILO_INLINE void MirroredResults(int64_t radix, int64_t j, const std::complex<T>* roots,
                                 const Number<V>* values, Number<V>* results) {
  Number<V> even[kCount], odd[kCount];
  int64_t at[kCount];
  HILO_UNROLL
  for (int i = 0; i < kCount; ++i) even[i] = values[0], odd[i] = {V{}, V{}}, at[i] = 0;
  for (int64_t k = 1; k <= radix / 2; ++k) {
    HILO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      at[i] += j + i;
      if (at[i] >= radix) at[i] -= radix;
      even[i] = even[i] + Scale(values[k], roots[at[i]].real());
      odd[i] = odd[i] + Scale(values[radix - k], roots[at[i]].imag());
    }
  }
  HILO_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const Number<V> turned = Turn(odd[i]);
    results[j + i] = even[i] - turned;
    results[radix - j - i] = even[i] + turned;
  }
}

// Of an odd number of values, which are overwritten. Those at equal distances from the middle are
// added and subtracted first, as their roots differ in the sign of the sine alone.
template <typename V, typename T>
HILO_INLINE void AnyButterfly(int64_t radix, const std::complex<T>* roots, Number<V>* values,
                              Number<V>* results) {
  const int64_t half = radix / 2;
  Number<V> total = values[0];
  for (int64_t k = 1; k <= half; ++k) {
    const Number<V> low = values[k], high = values[radix - k];
    values[k] = low + high;
    values[radix - k] = low - high;
    total = total + values[k];
  }
  results[0] = total;
  int64_t j = 1;
  for (; j + 2 <= half; j += 3) MirroredResults<3>(radix, j, roots, values, results);
  for (; j <= half; ++j) MirroredResults<1>(radix, j, roots, values, results);
}

template <typename V, typename T>
HILO_INLINE void AnyStage(int64_t radix, int64_t count, int64_t side, const std::complex<T>* roots,
                          const std::complex<T>* twiddles, Parts<T> x, Parts<T> y) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t p = 0; p < count; ++p, twiddles += radix) {
    for (int64_t block = 0; block < side; block += kLanes) {
      const int64_t q = BlockAt(block, kLanes, side);
      Number<V> values[kMostRadix], results[kMostRadix];
      for (int64_t k = 0; k < radix; ++k) values[k] = Load<V>(x, q + side * (p + count * k));
      AnyButterfly(radix, roots, values, results);
      for (int64_t j = 0; j < radix; ++j)
        Store(Times(results[j], twiddles[j]), y, q + side * (radix * p + j));
    }
  }
}

template <typename V, typename T>
HILO_INLINE void FirstStage(int64_t radix, int64_t count, const std::complex<T>* roots,
                            Parts<const T> twiddles, Parts<T> x, Parts<T> y) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t block = 0; block < count; block += kLanes) {
    const int64_t p = BlockAt(block, kLanes, count);
    Number<V> values[kMostRadix], results[kMostRadix];
    for (int64_t k = 0; k < radix; ++k) values[k] = Load<V>(x, p + count * k);
    AnyButterfly(radix, roots, values, results);
    for (int64_t j = 0; j < radix; ++j) {
      const Number<V> result = Times(results[j], Load<V>(twiddles, j * count + p));
      T re[kLanes], im[kLanes];
      Store(result, Parts<T>{re, im}, 0);
      for (int64_t i = 0; i < kLanes; ++i) {
        y.re[(p + i) * radix + j] = re[i];
        y.im[(p + i) * radix + j] = im[i];
      }
    }
  }
}

template <typename V, typename T>
HILO_INLINE void Stage(int64_t radix, int64_t count, int64_t side, const std::complex<T>* roots,
                       const std::complex<T>* twiddles, Parts<T> x, Parts<T> y) {
  switch (radix) {
    case 2:
      return FixedStage<V, 2>(count, side, twiddles, x, y);
    case 3:
      return FixedStage<V, 3>(count, side, twiddles, x, y);
    case 4:
      return FixedStage<V, 4>(count, side, twiddles, x, y);
    case 5:
      return FixedStage<V, 5>(count, side, twiddles, x, y);
    case 8:
      return FixedStage<V, 8>(count, side, twiddles, x, y);
    default:
      return AnyStage<V>(radix, count, side, roots, twiddles, x, y);
  }
}

template <typename T, int kBytes>
HILO_INLINE void Part(const std::complex<T>* from, T* re, T* im) {
  constexpr int kLanes = kBytes / sizeof(T);
  HILO_UNROLL
  for (int i = 0; i < kLanes; ++i) re[i] = from[i].real(), im[i] = from[i].imag();
}
template <typename T, int kBytes>
HILO_INLINE void Join(const T* re, const T* im, T factor, std::complex<T>* to) {
  constexpr int kLanes = kBytes / sizeof(T);
  HILO_UNROLL
  for (int i = 0; i < kLanes; ++i) to[i] = {re[i] * factor, im[i] * factor};
}

template <typename V, int... kLane>
HILO_INLINE void Shuffle(const V& x, const V& y, std::integer_sequence<int, kLane...>, V& result) {
  result = __builtin_shufflevector(x, y, kLane...);
}

// Which lanes of two vectors become those of one: Pick::Lane(i) for each i.
template <typename Pick, int... kLane>
constexpr auto Pattern(std::integer_sequence<int, kLane...>) {
  return std::integer_sequence<int, Pick::Lane(kLane)...>();
}
template <typename Pick>
using PatternOf = decltype(Pattern<Pick>(std::make_integer_sequence<int, Pick::kLanes>()));

template <int lanes, int kFirst>
struct EveryOther {
  static constexpr int kLanes = lanes;
  static constexpr int Lane(int i) { return 2 * i + kFirst; }
};
template <int lanes, int kFirst>
struct Alternating {
  static constexpr int kLanes = lanes;
  static constexpr int Lane(int i) { return kFirst + i / 2 + (i % 2) * lanes; }
};
// Every other run of numbers of one vector, and of the other one between them.
template <int lanes, int kRun, int kFirst>
struct Runs {
  static constexpr int kLanes = lanes;
  static constexpr int Lane(int i) {
    return (i & kRun) == 0 ? i + kFirst * kRun : lanes + i - (1 - kFirst) * kRun;
  }
};

// Square matrices of numbers of kWidth lanes each, one row a vector.
template <typename V, int kLanes, int kWidth, int kRun = kWidth>
HILO_INLINE void TransposeRows(V* rows) {
  if constexpr (kRun < kLanes) {
    constexpr int kRows = kLanes / kWidth, kDistance = kRun / kWidth;
    HILO_UNROLL
    for (int i = 0; i < kRows; ++i) {
      if ((i & kDistance) != 0) continue;
      const V x = rows[i], y = rows[i + kDistance];
      Shuffle(x, y, PatternOf<Runs<kLanes, kRun, 0>>(), rows[i]);
      Shuffle(x, y, PatternOf<Runs<kLanes, kRun, 1>>(), rows[i + kDistance]);
    }
    TransposeRows<V, kLanes, kWidth, 2 * kRun>(rows);
  }
}

template <typename V, typename T>
HILO_INLINE void PartLines(const std::complex<T>* const* lines, int64_t count, Parts<T> x) {
  constexpr int kLanes = sizeof(V) / sizeof(T), kNumbers = kLanes / 2;
  int64_t begin = 0;
  for (; begin + kNumbers <= count; begin += kNumbers) {
    V low[kNumbers], high[kNumbers];
    HILO_UNROLL
    for (int i = 0; i < kNumbers; ++i) {
      std::memcpy(&low[i], lines[i] + begin, sizeof(V));
      std::memcpy(&high[i], lines[i + kNumbers] + begin, sizeof(V));
    }
    TransposeRows<V, kLanes, 2>(low);
    TransposeRows<V, kLanes, 2>(high);
    HILO_UNROLL
    for (int i = 0; i < kNumbers; ++i) {
      Number<V> number;
      Shuffle(low[i], high[i], PatternOf<EveryOther<kLanes, 0>>(), number.re);
      Shuffle(low[i], high[i], PatternOf<EveryOther<kLanes, 1>>(), number.im);
      Store(number, x, (begin + i) * kLanes);
    }
  }
  for (; begin < count; ++begin) {
    for (int i = 0; i < kLanes; ++i) {
      x.re[begin * kLanes + i] = lines[i][begin].real();
      x.im[begin * kLanes + i] = lines[i][begin].imag();
    }
  }
}

template <typename V, typename T>
HILO_INLINE void JoinLines(Parts<T> x, T factor, int64_t count, std::complex<T>* const* lines) {
  constexpr int kLanes = sizeof(V) / sizeof(T), kNumbers = kLanes / 2;
  int64_t begin = 0;
  for (; begin + kNumbers <= count; begin += kNumbers) {
    V low[kNumbers], high[kNumbers];
    HILO_UNROLL
    for (int i = 0; i < kNumbers; ++i) {
      const Number<V> number = Scale(Load<V>(x, (begin + i) * kLanes), factor);
      Shuffle(number.re, number.im, PatternOf<Alternating<kLanes, 0>>(), low[i]);
      Shuffle(number.re, number.im, PatternOf<Alternating<kLanes, kLanes / 2>>(), high[i]);
    }
    TransposeRows<V, kLanes, 2>(low);
    TransposeRows<V, kLanes, 2>(high);
    HILO_UNROLL
    for (int i = 0; i < kNumbers; ++i) {
      std::memcpy(static_cast<void*>(lines[i] + begin), &low[i], sizeof(V));
      std::memcpy(static_cast<void*>(lines[i + kNumbers] + begin), &high[i], sizeof(V));
    }
  }
  for (; begin < count; ++begin) {
    for (int i = 0; i < kLanes; ++i) {
      lines[i][begin] = {x.re[begin * kLanes + i] * factor, x.im[begin * kLanes + i] * factor};
    }
  }
}

template <typename V, typename T>
HILO_INLINE void CombineLanes(int64_t count, Parts<const T> twiddles, Parts<T> x, Parts<T> y) {
  constexpr int kLanes = sizeof(V) / sizeof(T);
  for (int64_t block = 0; block < count; block += kLanes) {
    const int64_t k = BlockAt(block, kLanes, count);
    V re[kLanes], im[kLanes];
    HILO_UNROLL
    for (int i = 0; i < kLanes; ++i) {
      const Number<V> number = Load<V>(x, (k + i) * kLanes);
      re[i] = number.re, im[i] = number.im;
    }
    TransposeRows<V, kLanes, 1>(re);
    TransposeRows<V, kLanes, 1>(im);
    Number<V> values[kLanes];
    HILO_UNROLL
    for (int l = 0; l < kLanes; ++l)
      values[l] = Times(Number<V>{re[l], im[l]}, Load<V>(twiddles, l * count + k));
    Butterfly<kLanes, T>(values);
    HILO_UNROLL
    for (int j = 0; j < kLanes; ++j) Store(values[j], y, k + count * j);
  }
}

template <typename V, typename T>
HILO_INLINE void Multiply(Parts<const T> factors, int64_t count, int64_t side, Parts<T> x) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  if (side == 1) {
    int64_t k = 0;
    for (; k + kLanes <= count; k += kLanes) Store(Times(Load<V>(x, k), Load<V>(factors, k)), x, k);
    for (; k < count; ++k) Store(Times(Load<T>(x, k), Load<T>(factors, k)), x, k);
    return;
  }
  for (int64_t k = 0; k < count; ++k) {
    const std::complex<T> factor(factors.re[k], factors.im[k]);
    for (int64_t at = k * side; at < (k + 1) * side; at += kLanes)
      Store(Times(Load<V>(x, at), factor), x, at);
  }
}

template <typename V>
HILO_INLINE Number<V> Conjugate(Number<V> x) {
  return {x.re, -x.im};
}

// With Z the transform of even elements plus i times odd elements, and E and O those of each:
// E[k] = (Z[k] + conj(Z[count - k])) / 2 and O[k] = (Z[k] - conj(Z[count - k])) / 2i.
template <typename V, typename T>
HILO_INLINE void Unfold(const std::complex<T>* roots, int64_t count, int64_t side, Parts<T> x) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t k = 0; 2 * k <= count; ++k) {
    for (int64_t q = 0; q < side; q += kLanes) {
      const int64_t other = q + (count - k) * side;
      const Number<V> z = Load<V>(x, q + k * side);
      const Number<V> mirrored = Conjugate(Load<V>(x, k == 0 ? q : other));
      const Number<V> even = Scale(z + mirrored, T(0.5));
      const Number<V> odd = Times(Turn(Scale(z - mirrored, T(0.5))), roots[k]);
      // The middle one is real, with a zero that has no sign.
      const Number<V> last = even - odd;
      Store(k == 0 ? last : Conjugate(last), x, other);
      Store(even + odd, x, q + k * side);
    }
  }
}

template <typename V, typename T>
HILO_INLINE void FoldBack(const std::complex<T>* roots, int64_t count, int64_t side, Parts<T> x) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T);
  for (int64_t k = 0; 2 * k <= count; ++k) {
    for (int64_t q = 0; q < side; q += kLanes) {
      const int64_t other = q + (count - k) * side;
      Number<V> first = Load<V>(x, q + k * side), last = Load<V>(x, other);
      if (k == 0) first.im = last.im = V{};
      const Number<V> even = Scale(first + Conjugate(last), T(0.5));
      const Number<V> odd = Times(Scale(first - Conjugate(last), T(0.5)), std::conj(roots[k]));
      if (k > 0) Store(Conjugate(even + Turn(odd)), x, other);
      Store(even - Turn(odd), x, q + k * side);
    }
  }
}

}  // namespace xla::cpu::fft

#endif  // HILO_CPU_KERNELS_ISA_FFT_H_
