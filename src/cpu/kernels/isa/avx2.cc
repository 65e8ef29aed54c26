// AVX2 with FMA and F16C.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cpu/kernels/isa/fft.h"
#include "cpu/kernels/isa/function_table.h"
#include "cpu/kernels/isa/small_matrices.h"
#include "cpu/kernels/isa/vector_code.h"

#define HILO_ISA avx2
#define HILO_TARGET __attribute__((target("avx2,fma,f16c")))
#define HILO_BYTES 32
#define HILO_VECTORS 2
#define HILO_DOT_ROWS 3

namespace xla::cpu::avx2 {

template <typename Wide, typename Narrow>
HILO_TARGET HILO_INLINE Wide Widen(Narrow numbers) {
  return (Wide)_mm256_cvtepu16_epi32((__m128i)numbers);
}
template <typename Wide, bool kAreSigned, typename Bytes>
HILO_TARGET HILO_INLINE Wide WidenBytes(Bytes numbers) {
  const __m128i bytes = _mm_cvtsi64_si128((long long)numbers);
  return (Wide)(kAreSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
}

template <typename V, typename T>
HILO_TARGET HILO_INLINE V LoadFirst(int64_t count, const T* from) {
  if constexpr (sizeof(T) == 4) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes);
    return (V)_mm256_maskload_epi32((const int*)from, mask);
  } else {
    const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lanes);
    return (V)_mm256_maskload_epi64((const long long*)from, mask);
  }
}

// By halves: processors with AVX2 take long for stores with masks.
template <typename V, typename T>
HILO_TARGET HILO_INLINE void StoreFirst(int64_t count, V value, T* to) {
  constexpr int64_t kHalf = 16 / sizeof(T);
  if (count == 2 * kHalf) return _mm256_storeu_si256((__m256i*)to, (__m256i)value);
  __m128i rest = _mm256_castsi256_si128((__m256i)value);
  if (count & kHalf) {
    _mm_storeu_si128((__m128i*)to, rest);
    rest = _mm256_extracti128_si256((__m256i)value, 1);
    to += kHalf;
  }
  if (count & (kHalf / 2)) {
    _mm_storel_epi64((__m128i*)to, rest);
    rest = _mm_unpackhi_epi64(rest, rest);
    to += kHalf / 2;
  }
  if (kHalf == 4 && (count & 1)) _mm_storeu_si32(to, rest);
}

template <typename V>
HILO_TARGET HILO_INLINE void AddIntegerPairs(V& sum, V x, V y) {
  sum = (V)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)x, (__m256i)y));
}

HILO_TARGET HILO_INLINE void RoundHalves(const float* from, uint16_t* to) {
  _mm_storeu_si128((__m128i*)to, _mm256_cvtps_ph(_mm256_loadu_ps(from), 0));
}
HILO_TARGET HILO_INLINE void WidenHalves(const uint16_t* from, float* to) {
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)from)));
}

}  // namespace xla::cpu::avx2

#define HILO_HAS_PARTS
#define HILO_HAS_INTEGER_PAIRS
#define HILO_HAS_HALVES
#include "cpu/kernels/isa/functions.inc"
#endif
