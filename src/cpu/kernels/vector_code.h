// For files whose inner loops are written as vectors once for each kind of processor. Include it
// last: products and sums that follow may become one instruction, which is more exact, and these
// are the files whose speed is that of the whole operation.
#ifndef HILO_CPU_KERNELS_VECTOR_CODE_H_
#define HILO_CPU_KERNELS_VECTOR_CODE_H_

#if defined(__clang__)
#pragma clang fp contract(fast)
#define HILO_UNROLL _Pragma("unroll")
#else
#pragma GCC optimize("fp-contract=fast")
// Some versions warn of their own headers of intrinsics.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define HILO_UNROLL _Pragma("GCC unroll 8")
#endif
#define HILO_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define HILO_AVX2 __attribute__((target("avx2,fma")))
#define HILO_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#endif

namespace xla::cpu {

// How many bytes the vectors of this processor have.
inline int VectorBytesOfHost() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return 64;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
#endif
  return 16;
}

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_VECTOR_CODE_H_
