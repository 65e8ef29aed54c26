// Vectors of 16 bytes, as every processor has.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "cpu/kernels/isa/fft.h"
#include "cpu/kernels/isa/function_table.h"
#include "cpu/kernels/isa/small_matrices.h"
#include "cpu/kernels/isa/vector_code.h"

#define HILO_ISA generic
#define HILO_TARGET
#define HILO_BYTES 16
#define HILO_VECTORS 2
#define HILO_DOT_ROWS 3

namespace xla::cpu::generic {

template <typename Wide, typename Narrow>
HILO_INLINE Wide Widen(Narrow numbers) {
  return __builtin_convertvector(numbers, Wide);
}
template <typename Wide, bool kAreSigned, typename Bytes>
HILO_INLINE Wide WidenBytes(Bytes numbers) {
  typedef int8_t Signed __attribute__((vector_size(sizeof(Bytes))));
  if constexpr (kAreSigned) return __builtin_convertvector((Signed)numbers, Wide);
  return __builtin_convertvector(numbers, Wide);
}

#if defined(__x86_64__)
#define HILO_HAS_INTEGER_PAIRS
template <typename V>
HILO_INLINE void AddIntegerPairs(V& sum, V x, V y) {
  sum = (V)_mm_add_epi32((__m128i)sum, _mm_madd_epi16((__m128i)x, (__m128i)y));
}

#endif

}  // namespace xla::cpu::generic

#include "cpu/kernels/isa/functions.inc"
