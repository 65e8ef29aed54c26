#ifndef HILO_CPU_KERNELS_TILED_PRODUCT_H_
#define HILO_CPU_KERNELS_TILED_PRODUCT_H_

#include <memory>

#include "cpu/kernels/contraction.h"
#include "cpu/kernels/matrix_sides.h"

namespace xla::cpu {

// Products of blocks of rows and panels of columns, for every contraction. T is what sums are made
// in; they are rounded to `sum_type` before they become elements of the result.
template <typename T>
std::unique_ptr<Product> MakeTiledProduct(const Contraction& contraction, Form form,
                                          PrimitiveType sum_type);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_TILED_PRODUCT_H_
