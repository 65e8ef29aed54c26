// A walk over the indices of a box in row-major order that keeps track of positions in several
// arrays.
#ifndef HILO_EVAL_WALK_H_
#define HILO_EVAL_WALK_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "xla/util.h"

namespace xla::eval {

// kArrays arrays of possibly different strides are walked at once. Positions are in elements.
template <int kArrays>
class Walk {
 public:
  using Strides = std::array<absl::Span<const int64_t>, kArrays>;

  // All spans must outlive the walk. An array without strides stays at its start.
  Walk(absl::Span<const int64_t> sizes, Strides strides, std::array<int64_t, kArrays> start = {})
      : sizes_(sizes), strides_(strides), index_(sizes.size(), 0), positions_(start) {
    for (int64_t size : sizes) done_ |= size <= 0;
  }

  bool done() const { return done_; }
  int64_t operator[](int array) const { return positions_[array]; }
  absl::Span<const int64_t> index() const { return index_; }

  void Next() {
    for (size_t d = sizes_.size(); d-- > 0;) {
      if (++index_[d] < sizes_[d]) return Move(d, 1);
      Move(d, 1 - index_[d]);
      index_[d] = 0;
    }
    done_ = true;
  }

 private:
  void Move(size_t dimension, int64_t by) {
    for (int a = 0; a < kArrays; ++a) {
      if (!strides_[a].empty()) positions_[a] += by * strides_[a][dimension];
    }
  }

  absl::Span<const int64_t> sizes_;
  Strides strides_;
  DimensionVector index_;
  std::array<int64_t, kArrays> positions_;
  bool done_ = false;
};

}  // namespace xla::eval

#endif  // HILO_EVAL_WALK_H_
