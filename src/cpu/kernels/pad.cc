// Padding of arrays with short rows: the result is filled, and elements are put between.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/kernels/kernels.h"
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
    part_elements_ = ShapeUtil::ElementsIn(to);
    for (int d = 0; d < to.dimensions_size(); ++d) {
      const auto& padding = call.instruction.padding_config().dimensions(d);
      Dimension dimension = {to.dimensions(d), padding.edge_padding_low(),
                             padding.interior_padding() + 1, from_strides[d], to_strides[d]};
      const int64_t low = dimension.low, step = dimension.step;
      dimension.begin = low < 0 ? CeilOfRatio(-low, step) : 0;
      const int64_t last = dimension.size - 1 - low;
      dimension.end = last < 0 ? 0 : std::min(from.dimensions(d), last / step + 1);
      dimension.end = std::max(dimension.begin, dimension.end);
      const int64_t bytes = part_elements_ * element_bytes_;
      if (inner_.empty() && bytes > kMostBytesOfPart &&
          bytes >= kLeastBytesOfPart * dimension.size) {
        part_elements_ /= dimension.size;
        parts_ *= dimension.size;
        outer_.push_back(dimension);
      } else {
        inner_.push_back(dimension);
      }
    }
  }

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    const int64_t bytes = part_elements_ * element_bytes_;
    runtime::ParallelFor(
        parts_, kWorkWorthAThread / (bytes + 1) + 1, [&](int64_t begin, int64_t end) {
          for (int64_t part = begin; part < end; ++part) {
            RunPart(static_cast<const char*>(arrays[0]), static_cast<const char*>(arrays[1]), part,
                    static_cast<char*>(arrays[2]) + part * bytes);
          }
        });
    return absl::OkStatus();
  }

 private:
  // Parts stay in the cache from when they are filled, and are worth more than finding them.
  static constexpr int64_t kMostBytesOfPart = 16 << 10, kLeastBytesOfPart = 2 << 10;
  static constexpr int64_t kWorkWorthAThread = 1 << 17;

  // Element i of the operand, begin <= i < end, is element low + step * i of the result.
  struct Dimension {
    int64_t size, low, step, from_stride, to_stride, begin = 0, end = 0;
  };

  void Fill(const char* value, char* to) const {
    const int64_t bytes = part_elements_ * element_bytes_;
    if (element_bytes_ == 1) return (void)std::memset(to, *value, bytes);
    int64_t filled = std::min(bytes, element_bytes_);
    std::memcpy(to, value, filled);
    for (; filled < bytes; filled *= 2)
      std::memcpy(to + filled, to, std::min(filled, bytes - filled));
  }

  void RunPart(const char* from, const char* value, int64_t part, char* to) const {
    Fill(value, to);
    for (size_t d = outer_.size(); d-- > 0; part /= outer_[d].size) {
      const Dimension& dimension = outer_[d];
      const int64_t distance = part % dimension.size - dimension.low;
      const int64_t i = distance / dimension.step;
      if (distance < 0 || distance % dimension.step != 0 || i >= dimension.end) return;
      from += i * dimension.from_stride * element_bytes_;
    }
    DimensionVector counts, from_strides, to_strides;
    for (const Dimension& dimension : inner_) {
      counts.push_back(dimension.end - dimension.begin);
      from_strides.push_back(dimension.from_stride);
      to_strides.push_back(dimension.to_stride * dimension.step);
      from += dimension.begin * dimension.from_stride * element_bytes_;
      to +=
          (dimension.low + dimension.begin * dimension.step) * dimension.to_stride * element_bytes_;
      if (counts.back() == 0) return;
    }
    CopyStrided(element_bytes_, counts, from, from_strides, to, to_strides);
  }

  const int64_t element_bytes_;
  std::vector<Dimension> outer_, inner_;  // a part has the inner ones
  int64_t parts_ = 1, part_elements_;
};

}  // namespace

KernelOrStatus MakePad(const runtime::LibraryCall& call) { return std::make_unique<Pad>(call); }

}  // namespace xla::cpu
