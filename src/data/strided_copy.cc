#include "data/strided_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/check.h"

namespace xla {
namespace {

struct Loop {
  int64_t count;
  int64_t source_stride;
  int64_t destination_stride;
};
using Loops = absl::InlinedVector<Loop, 8>;

// The loops from outermost to innermost, in the order of the destination, with those merged that
// walk on where the next inner one ends. Returns false when there is nothing to do.
bool PlanLoops(absl::Span<const int64_t> counts, absl::Span<const int64_t> source_strides,
               absl::Span<const int64_t> destination_strides, Loops* loops) {
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] <= 0) return false;
    if (counts[d] > 1) loops->push_back({counts[d], source_strides[d], destination_strides[d]});
  }
  std::stable_sort(loops->begin(), loops->end(), [](const Loop& a, const Loop& b) {
    return std::abs(a.destination_stride) > std::abs(b.destination_stride);
  });
  Loops merged;
  for (const Loop& loop : *loops) {
    if (!merged.empty() && merged.back().source_stride == loop.source_stride * loop.count &&
        merged.back().destination_stride == loop.destination_stride * loop.count) {
      merged.back() = {merged.back().count * loop.count, loop.source_stride,
                       loop.destination_stride};
    } else {
      merged.push_back(loop);
    }
  }
  if (merged.empty()) merged.push_back({1, 1, 1});
  *loops = std::move(merged);
  return true;
}

// The first elements by themselves, and then as many again as there are: memcpy knows the widest
// vectors of the machine.
template <typename T>
void FillInner(const T& value, int64_t count, T* destination) {
  int64_t filled = std::min<int64_t>(count, 256 / sizeof(T));
  std::fill_n(destination, filled, value);
  for (; filled < count; filled *= 2) {
    std::memcpy(destination + filled, destination, std::min(filled, count - filled) * sizeof(T));
  }
}

template <typename T>
void CopyInner(const Loop& loop, const T* source, T* destination) {
  if (loop.source_stride == 1 && loop.destination_stride == 1) {
    std::memcpy(destination, source, loop.count * sizeof(T));
  } else if (loop.source_stride == 0 && loop.destination_stride == 1) {
    FillInner(*source, loop.count, destination);
  } else {
    for (int64_t i = 0; i < loop.count; ++i)
      destination[i * loop.destination_stride] = source[i * loop.source_stride];
  }
}

// A matrix transpose in tiles, so that both sides stay in the cache.
template <typename T>
void CopyTransposed(Loop outer, Loop inner, const T* source, T* destination) {
  constexpr int64_t kTile = 32;
  if (inner.count < std::min(kTile, outer.count)) std::swap(outer, inner);
  for (int64_t i0 = 0; i0 < outer.count; i0 += kTile) {
    const int64_t i1 = std::min(outer.count, i0 + kTile);
    for (int64_t j0 = 0; j0 < inner.count; j0 += kTile) {
      const int64_t j1 = std::min(inner.count, j0 + kTile);
      for (int64_t i = i0; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j) {
          destination[i * outer.destination_stride + j * inner.destination_stride] =
              source[i * outer.source_stride + j * inner.source_stride];
        }
      }
    }
  }
}

template <typename T>
void CopyLoops(absl::Span<const Loop> loops, const T* source, T* destination) {
  if (loops.size() == 1) return CopyInner(loops[0], source, destination);
  if (loops.size() == 2 && loops[0].source_stride == 1 && loops[1].source_stride != 1) {
    return CopyTransposed(loops[0], loops[1], source, destination);
  }
  for (int64_t i = 0; i < loops[0].count; ++i) {
    CopyLoops(loops.subspan(1), source + i * loops[0].source_stride,
              destination + i * loops[0].destination_stride);
  }
}

template <typename T>
void CopyElements(Loops& loops, const char* source, char* destination) {
  // Of a transpose the loop that is contiguous in the source goes next to the innermost one.
  if (loops.back().source_stride != 1) {
    const auto contiguous = std::find_if(loops.begin(), loops.end() - 1,
                                         [](const Loop& loop) { return loop.source_stride == 1; });
    if (contiguous < loops.end() - 1) std::rotate(contiguous, contiguous + 1, loops.end() - 1);
  }
  CopyLoops<T>(loops, reinterpret_cast<const T*>(source), reinterpret_cast<T*>(destination));
}

struct SixteenBytes {
  uint64_t halves[2];
};

bool EqualLoops(absl::Span<const Loop> loops, int64_t bytes, const char* a, const char* b) {
  const Loop& loop = loops[0];
  if (loops.size() == 1 && loop.source_stride == 1 && loop.destination_stride == 1) {
    return std::memcmp(a, b, loop.count * bytes) == 0;
  }
  for (int64_t i = 0; i < loop.count; ++i) {
    const char* a_next = a + i * loop.source_stride * bytes;
    const char* b_next = b + i * loop.destination_stride * bytes;
    const bool equal = loops.size() == 1 ? std::memcmp(a_next, b_next, bytes) == 0
                                         : EqualLoops(loops.subspan(1), bytes, a_next, b_next);
    if (!equal) return false;
  }
  return true;
}

}  // namespace

void CopyStrided(int64_t element_bytes, absl::Span<const int64_t> counts, const char* source,
                 absl::Span<const int64_t> source_strides, char* destination,
                 absl::Span<const int64_t> destination_strides) {
  Loops loops;
  if (!PlanLoops(counts, source_strides, destination_strides, &loops)) return;
  switch (element_bytes) {
    case 1:
      return CopyElements<uint8_t>(loops, source, destination);
    case 2:
      return CopyElements<uint16_t>(loops, source, destination);
    case 4:
      return CopyElements<uint32_t>(loops, source, destination);
    case 8:
      return CopyElements<uint64_t>(loops, source, destination);
    case 16:
      return CopyElements<SixteenBytes>(loops, source, destination);
    default:
      LOG(FATAL) << "Elements of " << element_bytes << " bytes.";
  }
}

bool EqualStrided(int64_t element_bytes, absl::Span<const int64_t> counts, const char* a,
                  absl::Span<const int64_t> a_strides, const char* b,
                  absl::Span<const int64_t> b_strides) {
  Loops loops;
  if (!PlanLoops(counts, a_strides, b_strides, &loops)) return true;
  return EqualLoops(loops, element_bytes, a, b);
}

}  // namespace xla
