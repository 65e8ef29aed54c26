// Contractions of few sums that each have many products, as gradients of weights are: parts of the
// depth become groups, for threads to choose from, whose sums are added in order.
#ifndef HILO_CPU_KERNELS_SPLIT_PRODUCT_H_
#define HILO_CPU_KERNELS_SPLIT_PRODUCT_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "cpu/kernels/contraction.h"

namespace xla::cpu {

struct SplitContraction {
  Contraction parts;                // a group for each, the outermost, with sums of T
  std::optional<Contraction> rest;  // of the depth that makes no whole part
};

// Nothing where it is not worth it. T is what sums are made in, of real numbers.
template <typename T>
std::optional<SplitContraction> SplitDepth(const Contraction& contraction);

template <typename T>
std::unique_ptr<Product> MakeSplitProduct(
    const Contraction& whole, const SplitContraction& split,
    absl::FunctionRef<std::unique_ptr<Product>(const Contraction&)> make);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_SPLIT_PRODUCT_H_
