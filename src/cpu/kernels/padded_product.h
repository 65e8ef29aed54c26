// Contractions with a side that is read beyond its bounds, as convolutions are: a copy of it has
// the zeros that are read there, so that places along rows and along the depth add up everywhere.
#ifndef HILO_CPU_KERNELS_PADDED_PRODUCT_H_
#define HILO_CPU_KERNELS_PADDED_PRODUCT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/kernels/contraction.h"

namespace xla::cpu {

// An array and its copy with zeros around it.
struct Padding {
  // A dimension as steps from one row to the next, where a row goes along the last dimension that
  // has bounds and what lies between its neighbours.
  struct Dimension {
    int64_t size, inside, before, stride;  // padded and own size, places in front, own stride
  };
  std::vector<Dimension> rows;  // the outermost first
  Dimension row;
  int64_t padded_count;
};

struct PaddedContraction {
  Contraction contraction;  // without bounds
  Array padded;
  Padding padding;

  // Where tiles read it.
  bool IsWorthACopy() const;
};

// Nothing where the array has no bounds or the copy would be much larger.
std::optional<PaddedContraction> PadBounds(const Contraction& contraction);

// `product` is that of the contraction without bounds.
std::unique_ptr<Product> MakePaddedProduct(const Contraction& whole,
                                           const PaddedContraction& padded,
                                           std::unique_ptr<Product> product);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_PADDED_PRODUCT_H_
