#include "data/sizes.h"

#include <algorithm>
#include <cstddef>

namespace xla {

DimensionVector DenseStrides(absl::Span<const int64_t> dimensions,
                             absl::Span<const int64_t> minor_to_major) {
  DimensionVector strides(dimensions.size());
  uint64_t stride = 1;  // Overflows, harmlessly, only for arrays without elements.
  for (const int64_t d : minor_to_major) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(dimensions[d], 1));
  }
  return strides;
}

DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size());
  uint64_t stride = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(dimensions[d], 1));
  }
  return strides;
}

int64_t LargestDivisor(int64_t number, int64_t most) {
  for (int64_t divisor = std::min(number, most); divisor > 1; --divisor) {
    if (number % divisor == 0) return divisor;
  }
  return 1;
}

}  // namespace xla
