#include "cpu/kernels/contraction.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// How far an array moves with a step of a loop, along its bound too.
int64_t Distance(const Contraction& contraction, const Loop& loop, Array array) {
  const int64_t along = loop.bound >= 0 && array == contraction.bounded
                            ? loop.step * contraction.bounds[loop.bound].stride
                            : 0;
  return std::abs(loop.strides[array] + along);
}

// The largest steps of an array outermost, so that memory is read in order and loops become one.
void Order(const Contraction& contraction, Array array, Loops& loops) {
  std::erase_if(loops, [](const Loop& loop) { return loop.size == 1; });
  std::stable_sort(loops.begin(), loops.end(), [&](const Loop& x, const Loop& y) {
    return Distance(contraction, x, array) > Distance(contraction, y, array);
  });
  Loops joined;
  for (const Loop& loop : loops) {
    if (!joined.empty() && AreOne(joined.back(), loop, {kLeft, kRight, kResult})) {
      const int64_t size = joined.back().size * loop.size;
      joined.back() = loop;
      joined.back().size = size;
    } else {
      joined.push_back(loop);
    }
  }
  loops = std::move(joined);
}

}  // namespace

int64_t Count(const Loops& loops) {
  int64_t count = 1;
  for (const Loop& loop : loops) count *= loop.size;
  return count;
}

bool AreOne(const Loop& outer, const Loop& inner, absl::Span<const Array> arrays) {
  if (outer.bound != inner.bound || outer.step != inner.step * inner.size) return false;
  for (Array array : arrays) {
    if (outer.strides[array] != inner.strides[array] * inner.size) return false;
  }
  return true;
}

void Contraction::ExchangeSides() {
  std::swap(types[kLeft], types[kRight]);
  std::swap(counts[kLeft], counts[kRight]);
  std::swap(offsets[kLeft], offsets[kRight]);
  std::swap(rows, columns);
  for (Loops* loops : {&groups, &rows, &columns, &depth}) {
    for (Loop& loop : *loops) std::swap(loop.strides[kLeft], loop.strides[kRight]);
  }
  bounded = bounded == kLeft ? kRight : kLeft;
}

// Whether adjacent results come from adjacent elements of the array with bounds, by windows that
// overlap, and so few results from each window that tiles of windows would be mostly copies. Rows
// of planes are computed with what lies between the results of two rows.
bool Contraction::HasWindowsOfPlanes() const {
  constexpr int64_t kMostResultsOfWindow = 32, kMostResultsInVain = 12;
  constexpr double kMostOfRowInVain = 0.2;
  const bool is_left = bounded == kLeft;
  const Loops& moving = is_left ? rows : columns;
  const auto row = absl::c_find_if(moving, [&](const Loop& loop) {
    return loop.bound >= 0 && loop.size > 1 && loop.step >= 1 && loop.step <= kMostStepOfPlanes &&
           bounds[loop.bound].stride == 1;
  });
  if (row == moving.end() || absl::c_any_of(types, primitive_util::IsComplexType) ||
      absl::c_none_of(depth, [](const Loop& loop) { return loop.bound >= 0 && loop.size > 1; })) {
    return false;
  }
  const int64_t results = Count(is_left ? columns : rows);
  if (!absl::c_all_of(types, primitive_util::IsFloatingPointType)) return results == 1;
  const auto whole = static_cast<double>(bounds[row->bound].size);
  const double in_vain = whole - static_cast<double>(row->size * row->step);
  return results <=
         (in_vain > kMostOfRowInVain * whole ? kMostResultsInVain : kMostResultsOfWindow);
}

void Contraction::Simplify() {
  const bool keeps_planes = HasWindowsOfPlanes();
  const auto all = {&groups, &rows, &columns, &depth};
  for (size_t b = 0; b < bounds.size(); ++b) {
    Bound& bound = bounds[b];
    int64_t least = bound.start, most = bound.start;
    for (Loops* loops : all) {
      for (const Loop& loop : *loops) {
        if (loop.bound == static_cast<int>(b))
          (loop.step < 0 ? least : most) += loop.step * (loop.size - 1);
      }
    }
    if (least >= 0 && most < bound.size && !(keeps_planes && bound.size > 1)) {
      // Never outside.
      offsets[bounded] += bound.start * bound.stride;
      for (Loops* loops : all) {
        for (Loop& loop : *loops) {
          if (loop.bound != static_cast<int>(b)) continue;
          loop.strides[bounded] += loop.step * bound.stride;
          loop.bound = -1;
          loop.step = 0;
        }
      }
      bound = {1, 0, 0};
      continue;
    }
    // What lies between neighbours of the dimension belongs to it: they are inside together.
    for (Loop& loop : depth) {
      const int64_t stride = loop.strides[bounded];
      if (loop.bound >= 0 || stride <= 0 || loop.size == 1 || bound.stride != stride * loop.size)
        continue;
      for (Loops* loops : all) {
        for (Loop& other : *loops) {
          if (other.bound == static_cast<int>(b)) other.step *= loop.size;
        }
      }
      bound = {bound.size * loop.size, stride, bound.start * loop.size};
      loop.strides[bounded] = 0;
      loop.bound = static_cast<int>(b);
      loop.step = 1;
      break;
    }
  }
  Order(*this, kResult, groups);
  Order(*this, kResult, rows);
  Order(*this, kResult, columns);
  Order(*this, bounded, depth);
}

bool Contraction::HasBounds() const {
  return std::any_of(bounds.begin(), bounds.end(),
                     [](const Bound& bound) { return bound.stride != 0; });
}

absl::Status Product::RunBlocks(const void*, const void*, const Epilogue&) const {
  return Internal("a product without blocks");
}

}  // namespace xla::cpu
