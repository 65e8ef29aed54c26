// For files whose inner loops are written as vectors once for each instruction set. Include it
// last: products and sums that follow may become one instruction, which is more exact, and these
// are the files whose speed is that of the whole operation.
#ifndef HILO_CPU_KERNELS_ISA_VECTOR_CODE_H_
#define HILO_CPU_KERNELS_ISA_VECTOR_CODE_H_

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

#endif  // HILO_CPU_KERNELS_ISA_VECTOR_CODE_H_
