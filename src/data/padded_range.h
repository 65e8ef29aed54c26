// Where elements lie in an array that is padded.
#ifndef HILO_DATA_PADDED_RANGE_H_
#define HILO_DATA_PADDED_RANGE_H_

#include <algorithm>
#include <cstdint>

#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

// The operand's elements that negative padding leaves in the result, along one dimension.
struct PaddedRange {
  int64_t first, count;  // in the operand
  int64_t start, step;   // in the result

  PaddedRange(const PaddingConfig::PaddingConfigDimension& padding, int64_t size,
              int64_t result_size) {
    step = padding.interior_padding() + 1;
    const int64_t low = padding.edge_padding_low();
    first = low < 0 ? CeilOfRatio(-low, step) : 0;
    start = low + first * step;
    const int64_t last = result_size > start ? first + (result_size - 1 - start) / step : first - 1;
    count = std::max<int64_t>(0, std::min(last, size - 1) - first + 1);
  }

  // Those of them that lie in [begin, end) of the result.
  PaddedRange Within(int64_t begin, int64_t end) const {
    PaddedRange part = *this;
    const int64_t skipped = std::min(count, CeilOfRatio(std::max<int64_t>(begin - start, 0), step));
    part.first += skipped;
    part.start += skipped * step;
    part.count =
        std::min(count - skipped, CeilOfRatio(std::max<int64_t>(end - part.start, 0), step));
    return part;
  }
};

}  // namespace xla

#endif  // HILO_DATA_PADDED_RANGE_H_
