// Orders of numbered elements by a comparison that may be anything: every index stays in its range
// and the time is bounded, whatever it says.
#ifndef HILO_DATA_SORT_ORDER_H_
#define HILO_DATA_SORT_ORDER_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace xla {

// Merges neighbouring runs of growing length: stable.
template <typename Less>
void MergeSort(std::vector<int64_t>& order, Less less) {
  const size_t count = order.size();
  std::vector<int64_t> merged(count);
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      const size_t middle = std::min(begin + width, count),
                   end = std::min(begin + 2 * width, count);
      size_t left = begin, right = middle;
      for (size_t i = begin; i < end; ++i) {
        const bool takes_right = right < end && (left == middle || less(order[right], order[left]));
        merged[i] = takes_right ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
}

// Introsort: quicksort by the median of three, a heap where that goes too deep, insertion for what
// is short. Elements that compare equal land where XLA:CPU, too, puts them (observed), so that
// results that depend on it agree.
template <typename Less>
class IntroSort {
 public:
  IntroSort(std::vector<int64_t>& order, Less less)
      : order_(order), less_(less), steps_left_(2 * kShort * order.size()) {
    const size_t count = order.size();
    if (count > 1) Partition(0, count, 2 * static_cast<int>(std::bit_width(count) - 1));
    for (size_t i = 1; i < count; ++i) Insert(i, i < kShort && less_(order_[i], order_[0]));
  }

 private:
  static constexpr size_t kShort = 16;

  // Leaves stretches of up to kShort elements, none of which belongs after a later stretch.
  void Partition(size_t begin, size_t end, int depth) {
    for (; end - begin > kShort; --depth) {
      if (depth == 0) return HeapSort(begin, end);
      const size_t cut = Split(begin, end);
      Partition(cut, end, depth - 1);
      end = cut;
    }
  }

  void HeapSort(size_t begin, size_t end) {
    const absl::Span<int64_t> range = absl::MakeSpan(order_).subspan(begin, end - begin);
    std::make_heap(range.begin(), range.end(), less_);
    std::sort_heap(range.begin(), range.end(), less_);
  }

  // Moves the median of three to the front and splits the rest by it.
  size_t Split(size_t begin, size_t end) {
    std::swap(order_[begin], order_[Median(begin + 1, begin + (end - begin) / 2, end - 1)]);
    const int64_t pivot = order_[begin];
    size_t left = begin + 1, right = end;
    while (true) {
      while (left < end && less_(order_[left], pivot)) ++left;
      --right;
      while (right > begin && less_(pivot, order_[right])) --right;
      if (left >= right) return left;
      std::swap(order_[left++], order_[right]);
    }
  }

  size_t Median(size_t a, size_t b, size_t c) const {
    const auto less = [&](size_t i, size_t j) { return less_(order_[i], order_[j]); };
    if (less(a, b)) return less(b, c) ? b : less(a, c) ? c : a;
    return less(a, c) ? a : less(b, c) ? c : b;
  }

  // Moves an element down into the sorted ones before it. An order takes less than kShort steps for
  // each; a comparison that is none may want more than there are.
  void Insert(size_t position, bool is_least) {
    const int64_t element = order_[position];
    for (; position > 0 && steps_left_ > 0; --position, --steps_left_) {
      if (!is_least && !less_(element, order_[position - 1])) break;
      order_[position] = order_[position - 1];
    }
    order_[position] = element;
  }

  std::vector<int64_t>& order_;
  Less less_;
  size_t steps_left_;
};

}  // namespace xla

#endif  // HILO_DATA_SORT_ORDER_H_
