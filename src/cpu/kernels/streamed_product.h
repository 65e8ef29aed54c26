// Contractions of few rows with a large matrix, as layers of a network have that sees one image or
// a few words: what takes time is to read the matrix once, so all of it is read in the order in
// which it lies in memory, in a few streams.
#ifndef HILO_CPU_KERNELS_STREAMED_PRODUCT_H_
#define HILO_CPU_KERNELS_STREAMED_PRODUCT_H_

#include <memory>

#include "cpu/kernels/contraction.h"

namespace xla::cpu {

// Whether it is one whose right side is that matrix. T is what sums are made in: float or double.
template <typename T>
bool IsStreamed(const Contraction& contraction);

template <typename T>
std::unique_ptr<Product> MakeStreamedProduct(const Contraction& contraction);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_STREAMED_PRODUCT_H_
