// Convolutions whose spatial dimensions come last: neighbours in the result come from neighbours in
// the input, so that tiles read rows of a padded copy of the input for each place of the kernel.
#ifndef HILO_CPU_KERNELS_PLANAR_PRODUCT_H_
#define HILO_CPU_KERNELS_PLANAR_PRODUCT_H_

#include <memory>

#include "absl/types/span.h"
#include "cpu/kernels/contraction.h"

namespace xla::cpu {

// Whether a contraction is such a convolution and not done better otherwise. The input is the right
// side.
bool HasPlanes(const Contraction& contraction);

// Null where it has no planes or is not one of T, which is float or double.
template <typename T>
std::unique_ptr<Product> MakePlanarProduct(const Contraction& contraction);

// The same of a convolution in parts, each of which makes other results from the same input: they
// share one copy of it. Their groups, rows and bounds are of the same sizes.
template <typename T>
std::unique_ptr<Product> MakePlanarProductOfParts(absl::Span<const Contraction> parts);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_PLANAR_PRODUCT_H_
