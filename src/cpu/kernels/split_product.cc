#include "cpu/kernels/split_product.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/store.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// With as many blocks of such sizes, threads have enough to choose from.
constexpr int64_t kBlockRows = 128, kBlockColumns = 64, kEnoughBlocks = 8;
constexpr int64_t kMostParts = 16, kLeastDepth = 256;
constexpr double kLeastProducts = 1 << 19;
constexpr int64_t kElementsAtOnce = 1024;

template <typename T>
class SplitProduct : public Product {
 public:
  SplitProduct(const Contraction& whole, int64_t parts, std::unique_ptr<Product> product,
               std::unique_ptr<Product> rest)
      : count_(whole.counts[kResult]),
        parts_(parts),
        bytes_(primitive_util::ByteWidth(whole.types[kResult])),
        store_(StoreElementsOf<T>(whole.types[kResult], whole.instruction_set)),
        product_(std::move(product)),
        rest_(std::move(rest)) {}

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t sums_of_each = parts_ + (rest_ != nullptr);
    const Scratch<T> sums(sums_of_each * count_);
    if (sums.get() == nullptr) return ResourceExhausted("no memory for %d sums", count_);
    HILO_RETURN_IF_ERROR(product_->Run(left, right, sums.get()));
    if (rest_ != nullptr)
      HILO_RETURN_IF_ERROR(rest_->Run(left, right, sums.get() + parts_ * count_));
    const int64_t blocks = CeilOfRatio(count_, kElementsAtOnce);
    runtime::ParallelFor(blocks, kMostParts, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * kElementsAtOnce;
        const int64_t count = std::min(kElementsAtOnce, count_ - first);
        T* const total = sums.get() + first;
        for (int64_t part = 1; part < sums_of_each; ++part) {
          const T* const more = total + part * count_;
          for (int64_t i = 0; i < count; ++i) total[i] += more[i];
        }
        store_(total, count, static_cast<char*>(result) + first * bytes_, 1);
      }
    });
    return absl::OkStatus();
  }

 private:
  const int64_t count_, parts_, bytes_;
  StoreElements<T>* const store_;
  const std::unique_ptr<Product> product_, rest_;
};

// Of up to `wanted` parts of a loop; fewer, but more than half as many, where these leave no rest.
int64_t PartSize(int64_t loop_size, int64_t wanted) {
  const int64_t least = CeilOfRatio(loop_size, wanted);
  for (int64_t size = least; size < 2 * least; ++size) {
    if (loop_size % size == 0) return size;
  }
  return least;
}

}  // namespace

template <typename T>
std::optional<SplitContraction> SplitDepth(const Contraction& contraction) {
  const int64_t groups = Count(contraction.groups), rows = Count(contraction.rows),
                columns = Count(contraction.columns), depth = Count(contraction.depth);
  const int64_t results = contraction.counts[kResult];
  const int64_t blocks =
      groups * CeilOfRatio(rows, kBlockRows) * CeilOfRatio(columns, kBlockColumns);
  if (groups * rows * columns != results || contraction.offsets[kResult] != 0 || blocks == 0 ||
      blocks >= kEnoughBlocks || depth < 2 * kLeastDepth ||
      static_cast<double>(results) * static_cast<double>(depth) < kLeastProducts ||
      StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) == nullptr) {
    return std::nullopt;
  }
  int64_t longest = -1;
  for (size_t i = 0; i < contraction.depth.size(); ++i) {
    const Loop& loop = contraction.depth[i];
    if (loop.bound < 0 && (longest < 0 || loop.size > contraction.depth[longest].size))
      longest = static_cast<int64_t>(i);
  }
  if (longest < 0) return std::nullopt;
  const Loop& loop = contraction.depth[longest];
  const int64_t wanted = std::min(kMostParts / blocks, depth / kLeastDepth);
  const int64_t size = PartSize(loop.size, wanted), parts = loop.size / size;
  if (parts < 2) return std::nullopt;

  SplitContraction split = {contraction, std::nullopt};
  split.parts.epilogue_columns = 0;
  split.parts.types[kResult] = TypeOf<T>(false);
  split.parts.depth[longest].size = size;
  if (loop.size > parts * size) {
    split.rest = split.parts;
    split.rest->depth[longest].size = loop.size - parts * size;
    for (Array array : {kLeft, kRight})
      split.rest->offsets[array] += parts * size * loop.strides[array];
  }
  split.parts.counts[kResult] = parts * results;
  split.parts.groups.insert(
      split.parts.groups.begin(),
      {parts, {size * loop.strides[kLeft], size * loop.strides[kRight], results}});
  return split;
}

template <typename T>
std::unique_ptr<Product> MakeSplitProduct(
    const Contraction& whole, const SplitContraction& split,
    absl::FunctionRef<std::unique_ptr<Product>(const Contraction&)> make) {
  return std::make_unique<SplitProduct<T>>(
      whole, split.parts.counts[kResult] / whole.counts[kResult], make(split.parts),
      split.rest.has_value() ? make(*split.rest) : nullptr);
}

#define HILO_INSTANTIATE(T)                                                   \
  template std::optional<SplitContraction> SplitDepth<T>(const Contraction&); \
  template std::unique_ptr<Product> MakeSplitProduct<T>(                      \
      const Contraction&, const SplitContraction&,                            \
      absl::FunctionRef<std::unique_ptr<Product>(const Contraction&)>);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(uint32_t)
HILO_INSTANTIATE(uint64_t)
#undef HILO_INSTANTIATE

}  // namespace xla::cpu
