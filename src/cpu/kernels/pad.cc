// Padding of arrays with short rows: the result is filled, and elements are put between.
#include <algorithm>
#include <memory>
#include <vector>

#include "cpu/kernels/kernels.h"
#include "data/padded_range.h"
#include "data/sizes.h"
#include "data/strided_copy.h"
#include "runtime/parallel.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

class Pad : public runtime::LibraryKernel {
 public:
  explicit Pad(const runtime::LibraryCall& call)
      : element_bytes_(ShapeUtil::ByteSizeOfPrimitiveType(call.results[0].element_type())) {
    const Shape &from = call.operands[0], &to = call.results[0];
    const DimensionVector from_strides = RowMajorStrides(from), to_strides = RowMajorStrides(to);
    for (int d = 0; d < to.dimensions_size(); ++d) {
      const PaddedRange range(call.instruction.padding_config().dimensions(d), from.dimensions(d),
                              to.dimensions(d));
      dimensions_.push_back({range, to.dimensions(d), from_strides[d], to_strides[d]});
    }
    // Parts are so many indices of one dimension, with all that lies inside of it, for each index
    // around it.
    while (split_ + 1 < dimensions_.size() &&
           dimensions_[split_].to_stride * element_bytes_ > kBytesOfPart)
      parts_ *= dimensions_[split_++].size;
    const Dimension& split = dimensions_[split_];
    of_part_ = std::clamp<int64_t>(kBytesOfPart / (split.to_stride * element_bytes_ + 1), 1,
                                   std::max<int64_t>(split.size, 1));
    parts_ *= CeilOfRatio(split.size, of_part_);
  }

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const int64_t bytes = of_part_ * dimensions_[split_].to_stride * element_bytes_;
    runtime::ParallelFor(
        parts_, kWorkWorthAThread / (bytes + 1) + 1, [&](int64_t begin, int64_t end) {
          for (int64_t part = begin; part < end; ++part) {
            RunPart(static_cast<const char*>(arrays[0]), static_cast<const char*>(arrays[1]), part,
                    static_cast<char*>(arrays[2]));
          }
        });
    return absl::OkStatus();
  }

 private:
  // Parts stay in the cache from when they are filled.
  static constexpr int64_t kBytesOfPart = 16 << 10;
  static constexpr int64_t kWorkWorthAThread = 1 << 17;

  struct Dimension {
    PaddedRange range;
    int64_t size, from_stride, to_stride;
  };

  void RunPart(const char* from, const char* value, int64_t part, char* to) const {
    const Dimension& split = dimensions_[split_];
    const int64_t pieces = CeilOfRatio(split.size, of_part_);
    const int64_t first = part % pieces * of_part_;
    const int64_t count = std::min(of_part_, split.size - first);
    to += part / pieces * split.size * split.to_stride * element_bytes_;
    CopyStrided(element_bytes_, {count * split.to_stride}, value, {0},
                to + first * split.to_stride * element_bytes_, {1});
    part /= pieces;
    for (size_t d = split_; d-- > 0; part /= dimensions_[d].size) {
      const auto& [range, size, from_stride, to_stride] = dimensions_[d];
      const int64_t distance = part % size - range.start;
      const int64_t i = distance / range.step;
      if (distance < 0 || distance % range.step != 0 || i >= range.count) return;
      from += (range.first + i) * from_stride * element_bytes_;
    }
    DimensionVector counts, from_strides, to_strides;
    for (size_t d = split_; d < dimensions_.size(); ++d) {
      auto [range, size, from_stride, to_stride] = dimensions_[d];
      if (d == split_) range = range.Within(first, first + count);
      if (range.count == 0) return;
      counts.push_back(range.count);
      from_strides.push_back(from_stride);
      to_strides.push_back(to_stride * range.step);
      from += range.first * from_stride * element_bytes_;
      to += range.start * to_stride * element_bytes_;
    }
    CopyStrided(element_bytes_, counts, from, from_strides, to, to_strides);
  }

  const int64_t element_bytes_;
  std::vector<Dimension> dimensions_;
  size_t split_ = 0;     // the dimension that parts divide,
  int64_t of_part_ = 1;  // and how many of its indices each has
  int64_t parts_ = 1;
};

}  // namespace

KernelOrStatus MakePad(const runtime::LibraryCall& call) { return std::make_unique<Pad>(call); }

}  // namespace xla::cpu
