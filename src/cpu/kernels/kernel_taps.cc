#include "cpu/kernels/kernel_taps.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "cpu/kernels/scratch.h"
#include "cpu/kernels/work.h"
#include "data/strided_copy.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// More of them are no kernel but what a gradient of one is summed up over.
constexpr int64_t kMostTaps = 32;
// Pairs of features that are copied at a time.
constexpr int64_t kPairs = 64;

bool IsAlongWindow(const Loop& loop) { return loop.bound >= 0; }

// Whether the taps that a part uses are among `taps` adjacent elements.
bool AreAmong(int64_t taps, const Contraction& part) {
  int64_t least = part.offsets[kRight] % taps, most = least;
  for (const Loop& loop : part.depth) {
    if (!IsAlongWindow(loop)) continue;
    const int64_t distance = loop.strides[kRight] * (loop.size - 1);
    (distance < 0 ? least : most) += distance;
  }
  return least >= 0 && most < taps;
}

class ProductWithTapsFirst : public Product {
 public:
  ProductWithTapsFirst(int64_t bytes, int64_t pairs, int64_t taps, std::unique_ptr<Product> inner)
      : bytes_(bytes), pairs_(pairs), taps_(taps), inner_(std::move(inner)) {}

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const Scratch<char> copy(pairs_ * taps_ * bytes_);
    if (copy.get() == nullptr)
      return ResourceExhausted("no memory for a kernel of %d elements", pairs_ * taps_);
    Copy(static_cast<const char*>(right), copy.get());
    return inner_->Run(left, copy.get(), result);
  }

 private:
  void Copy(const char* from, char* to) const {
    runtime::ParallelFor(
        CeilOfRatio(pairs_, kPairs), LeastParts(static_cast<double>(kPairs * taps_)),
        [&](int64_t begin, int64_t end) {
          const int64_t first = begin * kPairs, last = std::min(end * kPairs, pairs_);
          CopyStrided(bytes_, {taps_, last - first}, from + first * taps_ * bytes_, {1, taps_},
                      to + first * bytes_, {pairs_, 1});
        });
  }

  const int64_t bytes_, pairs_, taps_;
  const std::unique_ptr<Product> inner_;
};

}  // namespace

int64_t AdjacentTaps(absl::Span<const Contraction> parts) {
  int64_t taps = 0;
  for (const Contraction& part : parts) {
    for (const Loops* loops : {&part.groups, &part.columns, &part.depth}) {
      for (const Loop& loop : *loops) {
        if (loop.size > 1 && !IsAlongWindow(loop)) taps = std::gcd(taps, loop.strides[kRight]);
      }
    }
  }
  if (taps <= 1 || taps > kMostTaps) return 1;
  for (const Contraction& part : parts) {
    if (part.counts[kRight] % taps != 0 || !AreAmong(taps, part)) return 1;
  }
  return taps;
}

void PutTapsFirst(int64_t taps, Contraction& part) {
  const int64_t pairs = part.counts[kRight] / taps;
  for (Loops* loops : {&part.groups, &part.columns, &part.depth}) {
    for (Loop& loop : *loops) {
      int64_t& stride = loop.strides[kRight];
      stride = IsAlongWindow(loop) ? stride * pairs : stride / taps;
    }
  }
  int64_t& offset = part.offsets[kRight];
  offset = offset / taps + offset % taps * pairs;
}

std::unique_ptr<Product> MakeProductWithTapsFirst(const Contraction& part, int64_t taps,
                                                  std::unique_ptr<Product> inner) {
  return std::make_unique<ProductWithTapsFirst>(primitive_util::ByteWidth(part.types[kRight]),
                                                part.counts[kRight] / taps, taps, std::move(inner));
}

}  // namespace xla::cpu
