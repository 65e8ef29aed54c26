#include "cpu/kernels/padded_product.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/work.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMostGrowth = 4, kPaddingOfSmall = 16;

// A dimension of the array with its bound.
struct Side {
  int bound;
  int64_t stride, inside, before, size, padded_stride = 0;
};

std::optional<std::vector<Side>> SidesOf(const Contraction& c) {
  std::vector<Side> sides;
  for (size_t b = 0; b < c.bounds.size(); ++b) {
    const Bound& bound = c.bounds[b];
    if (bound.stride == 0) continue;  // never outside
    int64_t least = bound.start, most = bound.start;
    for (const Loops* loops : {&c.groups, &c.rows, &c.columns, &c.depth}) {
      for (const Loop& loop : *loops) {
        if (loop.bound == static_cast<int>(b))
          (loop.step < 0 ? least : most) += loop.step * (loop.size - 1);
      }
    }
    const int64_t before = std::max<int64_t>(0, -least);
    const int64_t size = before + std::max(bound.size, most + 1);
    if (size > kMostGrowth * bound.size + kPaddingOfSmall) return std::nullopt;
    sides.push_back({static_cast<int>(b), bound.stride, bound.size, before, size});
  }
  absl::c_sort(sides, [](const Side& x, const Side& y) { return x.stride > y.stride; });
  return sides;
}

// Distances in the array as distances in its copy.
class Distances {
 public:
  // Nothing is valid where the dimensions are not nested.
  Distances(std::vector<Side>& sides, int64_t count) : sides_(sides), around_(sides.size() + 1, 0) {
    int64_t padded = 1, inner = 1;
    for (size_t i = sides.size(); i-- > 0;) {
      Side& side = sides[i];
      is_valid_ &= side.stride % inner == 0;
      padded *= side.stride / inner;
      side.padded_stride = padded;
      padded *= side.size;
      inner = side.stride * side.inside;
    }
    is_valid_ &= count % inner == 0;
    padded_count_ = padded * (count / inner);
    count_ = count;
  }

  bool is_valid() const { return is_valid_; }
  int64_t padded_count() const { return padded_count_; }

  // Of a loop that does not move along bounds. Not valid where it goes over one.
  int64_t OfStride(int64_t stride, int64_t size) {
    if (stride == 0) return 0;
    const int64_t distance = std::abs(stride);
    size_t i = 0;
    while (i < sides_.size() && distance < sides_[i].stride * sides_[i].inside) ++i;
    // Now between dimension i - 1 and dimension i.
    const int64_t end = i == 0 ? count_ : sides_[i - 1].stride;
    around_[i] += distance * (size - 1);
    is_valid_ &= around_[i] < end;
    if (i == sides_.size()) return stride;
    const Side& side = sides_[i];
    const int64_t whole = side.stride * side.inside;
    is_valid_ &= distance % whole == 0;
    return stride / whole * side.padded_stride * side.size;
  }
  // Of an element.
  int64_t OfPlace(int64_t place) {
    is_valid_ &= place >= 0 && place < count_;
    int64_t padded = 0;
    for (const Side& side : sides_) {
      const int64_t whole = side.stride * side.inside;
      padded += place / whole * side.padded_stride * side.size;
      place %= whole;
      padded += place / side.stride * side.padded_stride;
      place %= side.stride;
    }
    return padded + place;
  }

 private:
  const std::vector<Side>& sides_;
  std::vector<int64_t> around_;  // how far loops go between dimensions
  int64_t count_, padded_count_;
  bool is_valid_ = true;
};

Padding PaddingOf(const std::vector<Side>& sides, int64_t count, int64_t padded_count) {
  Padding padding = {{}, {}, padded_count};
  int64_t end = count;
  for (const Side& side : sides) {
    const int64_t whole = side.stride * side.inside;
    padding.rows.push_back({end / whole, end / whole, 0, whole});
    padding.rows.push_back({side.size, side.inside, side.before, side.stride});
    end = side.stride;
  }
  padding.row = padding.rows.back();
  padding.rows.pop_back();
  return padding;
}

class PaddedProduct : public Product {
 public:
  PaddedProduct(const Contraction& whole, const PaddedContraction& padded,
                std::unique_ptr<Product> product)
      : array_(padded.padded),
        bytes_(primitive_util::ByteWidth(whole.types[array_])),
        padding_(padded.padding),
        product_(std::move(product)) {}

  absl::Status Run(const void* left, const void* right, void* result) const override {
    return RunPadded(left, right,
                     [&](const void* x, const void* y) { return product_->Run(x, y, result); });
  }
  bool HasBlocks() const override { return product_->HasBlocks(); }
  absl::Status RunBlocks(const void* left, const void* right,
                         const Epilogue& epilogue) const override {
    return RunPadded(left, right, [&](const void* x, const void* y) {
      return product_->RunBlocks(x, y, epilogue);
    });
  }

 private:
  template <typename RunProduct>
  absl::Status RunPadded(const void* left, const void* right, const RunProduct& run) const {
    const Scratch<char> copy(padding_.padded_count * bytes_);
    if (copy.get() == nullptr)
      return ResourceExhausted("no memory for %d elements", padding_.padded_count);
    Copy(static_cast<const char*>(array_ == kLeft ? left : right), copy.get());
    return array_ == kLeft ? run(copy.get(), right) : run(left, copy.get());
  }

  void Copy(const char* from, char* to) const {
    const int64_t unit = padding_.row.stride * bytes_, row_bytes = padding_.row.size * unit;
    const int64_t before = padding_.row.before * unit, inside = padding_.row.inside * unit;
    const int64_t row_count = padding_.padded_count * bytes_ / row_bytes;
    runtime::ParallelFor(row_count, LeastParts(static_cast<double>(row_bytes)),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t row = begin; row < end; ++row) {
                             char* const target = to + row * row_bytes;
                             int64_t rest = row, place = 0;
                             bool is_inside = true;
                             for (size_t i = padding_.rows.size(); i-- > 0;) {
                               const Padding::Dimension& dimension = padding_.rows[i];
                               const int64_t at = rest % dimension.size - dimension.before;
                               rest /= dimension.size;
                               is_inside &= at >= 0 && at < dimension.inside;
                               place += at * dimension.stride;
                             }
                             if (!is_inside) {
                               std::memset(target, 0, row_bytes);
                               continue;
                             }
                             std::memset(target, 0, before);
                             std::memcpy(target + before, from + place * bytes_, inside);
                             std::memset(target + before + inside, 0, row_bytes - before - inside);
                           }
                         });
  }

  const Array array_;
  const int64_t bytes_;
  const Padding padding_;
  const std::unique_ptr<Product> product_;
};

}  // namespace

bool PaddedContraction::IsWorthACopy() const {
  constexpr double kLeastProducts = 4;  // with each element
  double products = 1;
  for (const Loops* loops :
       {&contraction.groups, &contraction.rows, &contraction.columns, &contraction.depth}) {
    products *= static_cast<double>(Count(*loops));
  }
  return products >= kLeastProducts * static_cast<double>(padding.padded_count);
}

std::optional<PaddedContraction> PadBounds(const Contraction& whole) {
  if (whole.counts[whole.bounded] == 0) return std::nullopt;
  std::optional<std::vector<Side>> sides = SidesOf(whole);
  if (!sides.has_value() || sides->empty()) return std::nullopt;
  const Array array = whole.bounded;
  PaddedContraction padded = {whole, array, {}};
  Contraction& c = padded.contraction;
  Distances distances(*sides, whole.counts[array]);
  if (!distances.is_valid()) return std::nullopt;
  c.offsets[array] = distances.OfPlace(c.offsets[array]);
  for (const Side& side : *sides)
    c.offsets[array] += (c.bounds[side.bound].start + side.before) * side.padded_stride;
  for (Loops* loops : {&c.groups, &c.rows, &c.columns, &c.depth}) {
    for (Loop& loop : *loops) {
      if (loop.bound < 0) {
        loop.strides[array] = distances.OfStride(loop.strides[array], loop.size);
        continue;
      }
      const auto side =
          absl::c_find_if(*sides, [&](const Side& one) { return one.bound == loop.bound; });
      if (side == sides->end() || loop.strides[array] != 0) return std::nullopt;
      loop.strides[array] = loop.step * side->padded_stride;
      loop.bound = -1, loop.step = 0;
    }
  }
  if (!distances.is_valid()) return std::nullopt;
  c.bounds.clear();
  c.counts[array] = distances.padded_count();
  c.Simplify();
  padded.padding = PaddingOf(*sides, whole.counts[array], distances.padded_count());
  return padded;
}

std::unique_ptr<Product> MakePaddedProduct(const Contraction& whole,
                                           const PaddedContraction& padded,
                                           std::unique_ptr<Product> product) {
  return std::make_unique<PaddedProduct>(whole, padded, std::move(product));
}

}  // namespace xla::cpu
