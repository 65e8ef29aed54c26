// Contractions without rows, as depthwise convolutions are: each element of the right side meets
// one of the left side only.
#ifndef HILO_CPU_KERNELS_DIRECT_PRODUCT_H_
#define HILO_CPU_KERNELS_DIRECT_PRODUCT_H_

#include <memory>

#include "cpu/kernels/contraction.h"

namespace xla::cpu {

// Whether a contraction has no rows and a loop along which adjacent elements of the result come
// from elements of the right side, inside of its bounds, that are adjacent or a few apart; or
// groups that are adjacent there.
template <typename T>
bool IsDirect(const Contraction& contraction);

// Whether that is so because of a loop along which the right side is read with a stride.
bool HasRowsWithStride(const Contraction& contraction);

// A product of operands of T for which IsDirect holds: sums of so many neighbours at a time.
template <typename T>
std::unique_ptr<Product> MakeDirectProduct(const Contraction& contraction);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_DIRECT_PRODUCT_H_
