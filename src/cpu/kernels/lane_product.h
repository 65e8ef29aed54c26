// Products that share so little that tiles have nothing to reuse, as gradients of depthwise
// kernels: vectors go along a loop whose neighbours are neighbours on both sides. Lanes are groups,
// or parts of the depth whose sums are added in the end.
#ifndef HILO_CPU_KERNELS_LANE_PRODUCT_H_
#define HILO_CPU_KERNELS_LANE_PRODUCT_H_

#include <memory>

#include "cpu/kernels/contraction.h"

namespace xla::cpu {

// A contraction of T, which is float or double, without bounds.
template <typename T>
bool HasLanes(const Contraction& contraction);

template <typename T>
std::unique_ptr<Product> MakeLaneProduct(const Contraction& contraction);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_LANE_PRODUCT_H_
