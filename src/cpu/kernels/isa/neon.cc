// AArch64, all of which have these.
#if defined(__aarch64__)
#include <arm_neon.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cpu/kernels/isa/fft.h"
#include "cpu/kernels/isa/function_table.h"
#include "cpu/kernels/isa/small_matrices.h"
#include "cpu/kernels/isa/vector_code.h"

#define HILO_ISA neon
#define HILO_TARGET
#define HILO_BYTES 16
#define HILO_VECTORS 4
#define HILO_DOT_ROWS 4

namespace xla::cpu::neon {

template <typename Wide, typename Narrow>
HILO_INLINE Wide Widen(Narrow numbers) {
  return (Wide)vmovl_u16((uint16x4_t)numbers);
}
template <typename Wide, bool kAreSigned, typename Bytes>
HILO_INLINE Wide WidenBytes(Bytes numbers) {
  const uint8x8_t bytes = vcreate_u8((uint32_t)numbers);
  if constexpr (kAreSigned)
    return (Wide)vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(bytes))));
  return (Wide)vmovl_u16(vget_low_u16(vmovl_u8(bytes)));
}

template <typename V>
HILO_INLINE void AddIntegerPairs(V& sum, V x, V y) {
  const int16x8_t left = (int16x8_t)x, right = (int16x8_t)y;
  const int32x4_t low = vmull_s16(vget_low_s16(left), vget_low_s16(right));
  sum = (V)vaddq_s32((int32x4_t)sum, vpaddq_s32(low, vmull_high_s16(left, right)));
}

HILO_INLINE void RoundHalves(const float* from, uint16_t* to) {
  vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(from))));
}
HILO_INLINE void WidenHalves(const uint16_t* from, float* to) {
  vst1q_f32(to, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))));
}

}  // namespace xla::cpu::neon

#define HILO_HAS_INTEGER_PAIRS
#define HILO_HAS_HALVES
#include "cpu/kernels/isa/functions.inc"
#endif
