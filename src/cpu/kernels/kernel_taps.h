// Kernels of convolutions whose taps lie one after the other in memory.
#ifndef HILO_CPU_KERNELS_KERNEL_TAPS_H_
#define HILO_CPU_KERNELS_KERNEL_TAPS_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "cpu/kernels/contraction.h"

namespace xla::cpu {

// How many taps, each of one pair of features, are adjacent in the kernel, the right side of all
// parts; 1 where others are, or too many. Parts that use some of the taps each would read all lines
// of the cache for a few elements of them.
int64_t AdjacentTaps(absl::Span<const Contraction> parts);

// The same contraction of a kernel whose taps are outermost: a matrix of features for each.
void PutTapsFirst(int64_t taps, Contraction& part);

// A product that hands `inner` such a copy. ResourceExhausted when there is no memory for it.
std::unique_ptr<Product> MakeProductWithTapsFirst(const Contraction& part, int64_t taps,
                                                  std::unique_ptr<Product> inner);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_KERNEL_TAPS_H_
