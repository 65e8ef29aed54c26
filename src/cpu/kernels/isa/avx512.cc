// AVX-512 with F, BW, DQ and VL, and the same with instructions for products of narrow numbers.
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

#define HILO_ISA avx512
#define HILO_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#define HILO_BYTES 64
#define HILO_VECTORS 4
#define HILO_DOT_ROWS 4

namespace xla::cpu::avx512 {

template <typename Wide, typename Narrow>
HILO_TARGET HILO_INLINE Wide Widen(Narrow numbers) {
  return (Wide)_mm512_cvtepu16_epi32((__m256i)numbers);
}

template <typename Wide, bool kAreSigned, typename Bytes>
HILO_TARGET HILO_INLINE Wide WidenBytes(Bytes numbers) {
  return (Wide)(kAreSigned ? _mm512_cvtepi8_epi32((__m128i)numbers)
                           : _mm512_cvtepu8_epi32((__m128i)numbers));
}

template <typename V, typename T>
HILO_TARGET HILO_INLINE V LoadLanes(uint32_t mask, const T* from) {
  if constexpr (sizeof(T) == 1) {
    return (V)_mm_maskz_loadu_epi8(static_cast<uint16_t>(mask), from);
  } else if constexpr (sizeof(T) == 2) {
    return (V)_mm256_maskz_loadu_epi16(static_cast<uint16_t>(mask), from);
  } else if constexpr (sizeof(T) == 4) {
    return (V)_mm512_maskz_loadu_epi32(static_cast<uint16_t>(mask), from);
  } else {
    return (V)_mm512_maskz_loadu_epi64(static_cast<uint8_t>(mask), from);
  }
}

template <typename V, typename T>
HILO_TARGET HILO_INLINE void StoreLanes(uint32_t mask, V value, T* to) {
  if constexpr (sizeof(T) == 4) {
    _mm512_mask_storeu_epi32(to, static_cast<uint16_t>(mask), (__m512i)value);
  } else {
    _mm512_mask_storeu_epi64(to, static_cast<uint8_t>(mask), (__m512i)value);
  }
}

template <typename V>
HILO_TARGET HILO_INLINE void AddIntegerPairs(V& sum, V x, V y) {
  sum = (V)_mm512_add_epi32((__m512i)sum, _mm512_madd_epi16((__m512i)x, (__m512i)y));
}

HILO_TARGET HILO_INLINE void RoundHalves(const float* from, uint16_t* to) {
  _mm256_storeu_si256((__m256i*)to, _mm512_cvtps_ph(_mm512_loadu_ps(from), 0));
}
HILO_TARGET HILO_INLINE void WidenHalves(const uint16_t* from, float* to) {
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)from)));
}

}  // namespace xla::cpu::avx512

#define HILO_HAS_MASKS
#define HILO_HAS_HALVES
#define HILO_HAS_INTEGER_PAIRS
#include "cpu/kernels/isa/functions.inc"

#define HILO_ISA avx512_narrow
#define HILO_TARGET \
  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vnni,avx512bf16,fma")))
#define HILO_BYTES 64
#define HILO_VECTORS 4
#define HILO_DOT_ROWS 4

namespace xla::cpu::avx512_narrow {

using avx512::Fft;
using avx512::LoadLanes;
using avx512::RoundHalves;
using avx512::Search;
using avx512::SmallMatrices;
using avx512::StoreLanes;
using avx512::Widen;
using avx512::WidenBytes;
using avx512::WidenHalves;

template <typename V>
HILO_TARGET HILO_INLINE void AddIntegerPairs(V& sum, V x, V y) {
  sum = (V)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)y);
}
template <typename V>
HILO_TARGET HILO_INLINE void AddQuads(V& sum, V unsigned_numbers, V signed_numbers) {
  sum = (V)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)unsigned_numbers, (__m512i)signed_numbers);
}
template <typename V>
HILO_TARGET HILO_INLINE void AddRealPairs(V& sum, V x, V y) {
  sum = (V)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)y);
}

}  // namespace xla::cpu::avx512_narrow

#define HILO_HAS_MASKS
#define HILO_HAS_HALVES
#define HILO_HAS_INTEGER_PAIRS
#define HILO_HAS_REAL_PAIRS
#define HILO_HAS_QUADS
#define HILO_HAS_FFT
#include "cpu/kernels/isa/functions.inc"
#endif
