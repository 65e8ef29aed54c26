#include "cpu/kernels/matrix_tiles.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cpu/kernels/vector_code.h"

#define HILO_PROCESSOR plain
#define HILO_TARGET
#define HILO_BYTES 16
#define HILO_VECTORS 2
#if defined(__x86_64__)
#define HILO_ADD_INTEGER_PAIRS(sum, x, y) \
  _mm_add_epi32((__m128i)sum, _mm_madd_epi16((__m128i)x, (__m128i)y))
#endif
#include "cpu/kernels/matrix_tiles.inc"

#if defined(__x86_64__)
#define HILO_PROCESSOR avx2
#define HILO_TARGET __attribute__((target("avx2,fma,f16c")))
#define HILO_BYTES 32
#define HILO_VECTORS 2
#define HILO_ROUND_TO_HALF(from, to) \
  _mm_storeu_si128((__m128i*)(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), 0))
#define HILO_WIDEN_HALF(from, to) \
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(from))))
#define HILO_ADD_INTEGER_PAIRS(sum, x, y) \
  _mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)x, (__m256i)y))
#include "cpu/kernels/matrix_tiles.inc"

#define HILO_PROCESSOR avx512
#define HILO_TARGET HILO_AVX512
#define HILO_BYTES 64
#define HILO_VECTORS 4
#define HILO_HAS_MASKS
#define HILO_ROUND_TO_HALF(from, to) \
  _mm256_storeu_si256((__m256i*)(to), _mm512_cvtps_ph(_mm512_loadu_ps(from), 0))
#define HILO_WIDEN_HALF(from, to) \
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(from))))
#define HILO_ADD_INTEGER_PAIRS(sum, x, y) \
  _mm512_add_epi32((__m512i)sum, _mm512_madd_epi16((__m512i)x, (__m512i)y))
#include "cpu/kernels/matrix_tiles.inc"

// With instructions for products of narrow numbers.
#define HILO_PROCESSOR avx512_narrow
#define HILO_TARGET \
  __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vnni,avx512bf16,fma")))
#define HILO_BYTES 64
#define HILO_VECTORS 4
#define HILO_HAS_MASKS
#define HILO_ROUND_TO_HALF(from, to) \
  _mm256_storeu_si256((__m256i*)(to), _mm512_cvtps_ph(_mm512_loadu_ps(from), 0))
#define HILO_WIDEN_HALF(from, to) \
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(from))))
#define HILO_ADD_INTEGER_PAIRS(sum, x, y) _mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)y)
#define HILO_ADD_REAL_PAIRS(sum, x, y) _mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)y)
#include "cpu/kernels/matrix_tiles.inc"
#endif

namespace xla::cpu {
namespace {

template <typename T>
Tiles<T> ChooseTiles() {
#if defined(__x86_64__)
  if (VectorBytesOfHost() == 64 && __builtin_cpu_supports("avx512vnni") &&
      __builtin_cpu_supports("avx512bf16")) {
    return avx512_narrow::Make<T>();
  }
  if (VectorBytesOfHost() == 64) return avx512::Make<T>();
  if (VectorBytesOfHost() == 32) return avx2::Make<T>();
#endif
  return plain::Make<T>();
}

}  // namespace

template <typename T>
const Tiles<T>& TilesOfHost() {
  static const Tiles<T> tiles = ChooseTiles<T>();
  return tiles;
}

template const Tiles<float>& TilesOfHost<float>();
template const Tiles<double>& TilesOfHost<double>();
template const Tiles<uint32_t>& TilesOfHost<uint32_t>();
template const Tiles<uint64_t>& TilesOfHost<uint64_t>();

}  // namespace xla::cpu
