// Padding of arrays with short rows: the result is filled, and elements are put between.
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
    part_elements_ = ShapeUtil::ElementsIn(to);
    for (int d = 0; d < to.dimensions_size(); ++d) {
      const PaddedRange range(call.instruction.padding_config().dimensions(d), from.dimensions(d),
                              to.dimensions(d));
      const Dimension dimension = {range, to.dimensions(d), from_strides[d], to_strides[d]};
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

  struct Dimension {
    PaddedRange range;
    int64_t size, from_stride, to_stride;
  };

  void RunPart(const char* from, const char* value, int64_t part, char* to) const {
    CopyStrided(element_bytes_, {part_elements_}, value, {0}, to, {1});
    for (size_t d = outer_.size(); d-- > 0; part /= outer_[d].size) {
      const auto& [range, size, from_stride, to_stride] = outer_[d];
      const int64_t distance = part % size - range.start;
      const int64_t i = distance / range.step;
      if (distance < 0 || distance % range.step != 0 || i >= range.count) return;
      from += (range.first + i) * from_stride * element_bytes_;
    }
    DimensionVector counts, from_strides, to_strides;
    for (const auto& [range, size, from_stride, to_stride] : inner_) {
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
  std::vector<Dimension> outer_, inner_;  // a part has the inner ones
  int64_t parts_ = 1, part_elements_;
};

}  // namespace

KernelOrStatus MakePad(const runtime::LibraryCall& call) { return std::make_unique<Pad>(call); }

}  // namespace xla::cpu
