// How much work is worth a thread.
#ifndef HILO_CPU_KERNELS_WORK_H_
#define HILO_CPU_KERNELS_WORK_H_

#include <cstdint>

namespace xla::cpu {

// How many parts of so many products each one thread should take at least.
inline int64_t LeastParts(double products) {
  constexpr double kProductsWorthAThread = 1 << 17;
  return static_cast<int64_t>(kProductsWorthAThread / (products + 1));
}

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_WORK_H_
