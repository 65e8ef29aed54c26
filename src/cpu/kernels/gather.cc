#include "cpu/kernels/gather.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "cpu/kernels/matrix_tiles.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::cpu {
namespace {

template <typename T, typename From>
void Copy(const char* from, int64_t stride, int64_t count, T* to, int64_t to_stride) {
  const From* source = reinterpret_cast<const From*>(from);
  if constexpr (std::is_same_v<T, From>) {
    if (stride == 1 && to_stride == 1) {
      std::memcpy(static_cast<void*>(to), from, static_cast<size_t>(count) * sizeof(T));
      return;
    }
  }
  if (to_stride == 1 && stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(source[i]);
  } else if (to_stride == 1 && stride == 2) {  // Vectors do that.
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(source[2 * i]);
  } else if (to_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(source[i * stride]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = static_cast<T>(source[i * stride]);
  }
}

// A float of 16 bits.
template <typename From, codegen::InstructionSet kSet>
void WidenRow(const char* from, int64_t stride, int64_t count, float* to, int64_t to_stride) {
  static const auto widen = std::is_same_v<From, half> ? TilesOf<float>(kSet).widen_half
                                                       : TilesOf<float>(kSet).widen_bfloat16;
  if (stride != 1 || to_stride != 1 || widen == nullptr)
    return Copy<float, From>(from, stride, count, to, to_stride);
  widen(reinterpret_cast<const uint16_t*>(from), count, to);
}

// What copies parts of rows fastest; null where a plain copy does (Tiles in matrix_tiles.h).
template <typename T>
struct CopyFunctions {
  void (*within)(const T*, int64_t first, int64_t last, int64_t count, T*) = nullptr;
  void (*runs)(const T*, int64_t stride, int64_t runs, int64_t length, T*, int64_t to) = nullptr;

  explicit CopyFunctions(codegen::InstructionSet set) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
      const Tiles<T>& tiles = TilesOf<T>(set);
      within = tiles.copy_within, runs = tiles.copy_runs;
    }
  }
};

// Walks from one index to the next.
class Steps {
 public:
  Steps(const Walk& walk, int64_t begin, int64_t* along)
      : walk_(walk), at_(walk.loops().size()), along_(along) {
    offset_ = walk.Place(begin, along);
    for (size_t i = at_.size(); i-- > 0;) {
      const int64_t size = walk.loops()[i].size;
      at_[i] = i == 0 ? begin : begin % size;
      begin /= size;
    }
  }
  int64_t offset() const { return offset_; }
  void Advance() {
    for (size_t i = at_.size(); i-- > 0;) {
      const Loop& loop = walk_.loops()[i];
      Move(loop, 1);
      if (++at_[i] < loop.size || i == 0) return;
      Move(loop, -loop.size);
      at_[i] = 0;
    }
  }

 private:
  void Move(const Loop& loop, int64_t steps) {
    offset_ += steps * loop.strides[walk_.array()];
    if (loop.bound >= 0) along_[loop.bound] += steps * loop.step;
  }

  const Walk& walk_;
  absl::InlinedVector<int64_t, 4> at_;
  int64_t* const along_;
  int64_t offset_;
};

template <typename T>
void Clear(int64_t count, T* to, int64_t to_stride) {
  for (int64_t i = 0; i < count; ++i) to[i * to_stride] = T(0);
}

}  // namespace

template <typename T>
CopyElements<T>* CopyElementsOf(PrimitiveType type, codegen::InstructionSet set) {
  if constexpr (std::is_same_v<T, float>) {
    if (type == F32) return Copy<T, float>;
    if (type == S8) return Copy<T, int8_t>;
    if (type == U8) return Copy<T, uint8_t>;
    if (type == BF16 || type == F16) {
      return ForInstructionSet(set, [&](auto known) -> CopyElements<float>* {
        return type == F16 ? WidenRow<half, known()> : WidenRow<bfloat16, known()>;
      });
    }
  } else if constexpr (std::is_same_v<T, double>) {
    if (type == F64) return Copy<T, double>;
    if (type == F32) return Copy<T, float>;
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    if (type == S8 || type == U8) return Copy<T, uint8_t>;
  } else if constexpr (std::is_same_v<T, uint16_t>) {
    if (type == BF16 || type == S16) return Copy<T, uint16_t>;
    if (type == S8) return Copy<T, int8_t>;
    if (type == U8) return Copy<T, uint8_t>;
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    if (type == S8) return Copy<T, int8_t>;
    if (type == U8) return Copy<T, uint8_t>;
    if (type == S16) return Copy<T, int16_t>;
    if (type == U16) return Copy<T, uint16_t>;
    if (type == S32 || type == U32) return Copy<T, uint32_t>;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    if (type == S64 || type == U64) return Copy<T, uint64_t>;
    if (type == S32) return Copy<T, int32_t>;
  } else {
    if (type == C64 && std::is_same_v<T, complex64>) return Copy<T, complex64>;
    if (type == C128 && std::is_same_v<T, complex128>) return Copy<T, T>;
  }
  return nullptr;
}

Walk::Walk(const Loops& loops, std::vector<Bound> bounds, Array array)
    : bounds_(std::move(bounds)), array_(array) {
  for (Loop loop : loops) {
    if (loop.size == 1) continue;
    if (bounds_.empty()) loop.bound = -1, loop.step = 0;
    if (!loops_.empty() && AreOne(loops_.back(), loop, {array})) {
      loop.size *= loops_.back().size;
      loops_.pop_back();
    }
    loops_.push_back(loop);
  }
}

int64_t Walk::stride() const {
  if (loops_.empty()) return 1;
  const Loop& inner = loops_.back();
  return inner.strides[array_] + (inner.bound < 0 ? 0 : inner.step * bounds_[inner.bound].stride);
}

int64_t Walk::Place(int64_t index, int64_t* along) const {
  if (!bounds_.empty()) std::fill_n(along, bounds_.size(), 0);
  int64_t offset = 0;
  for (size_t i = loops_.size(); i-- > 0;) {
    const Loop& loop = loops_[i];
    const int64_t at = i == 0 ? index : index % loop.size;
    if (i > 0) index /= loop.size;
    offset += at * loop.strides[array_];
    if (loop.bound >= 0) along[loop.bound] += at * loop.step;
  }
  return offset;
}

std::vector<int64_t> Walk::Places() const {
  std::vector<int64_t> places = {0};
  for (const Loop& loop : loops_) {
    const int64_t stride = loop.strides[array_];
    std::vector<int64_t> outer = std::move(places);
    places.clear();
    places.reserve(outer.size() * static_cast<size_t>(loop.size));
    for (int64_t place : outer) {
      for (int64_t i = 0; i < loop.size; ++i) places.push_back(place + i * stride);
    }
  }
  return places;
}

template <typename T>
void Walk::FindPlaces(const T* base, int64_t begin, int64_t count, const T** to) const {
  const int64_t inner = loops_.empty() ? 1 : loops_.back().size, step = stride();
  for (int64_t at = begin; at < begin + count;) {
    const int64_t some = std::min(inner - at % inner, begin + count - at);
    const T* const place = base + Place(at);
    for (int64_t i = 0; i < some; ++i) *to++ = place + i * step;
    at += some;
  }
}

template <typename T>
Gatherer<T>::Gatherer(const Contraction& contraction, Array array)
    : instruction_set_(contraction.instruction_set),
      copy_(CopyElementsOf<T>(contraction.types[array], contraction.instruction_set)),
      is_same_type_(copy_ == Copy<T, T>),
      element_bytes_(primitive_util::ByteWidth(contraction.types[array])) {
  std::vector<Bound> bounds;
  if (contraction.bounded == array && contraction.HasBounds()) bounds = contraction.bounds;
  outer_ = Walk(array == kLeft ? contraction.rows : contraction.columns, bounds, array);
  depth_ = Walk(contraction.depth, bounds, array);
}

template <typename T>
void Gatherer<T>::Fill(const char* base, bool x_is_depth, int64_t x_begin, int64_t x_count,
                       int64_t y_begin, int64_t y_count, T* to, int64_t x_stride,
                       int64_t y_stride) const {
  if (x_count == 0 || y_count == 0) return;
  const Walk& x = x_is_depth ? depth_ : outer_;
  const Walk& y = x_is_depth ? outer_ : depth_;
  const size_t bounds = x.bounds().size();
  const int64_t stride = y.stride();
  // The range of y as runs of its innermost loop.
  const Loop inner = y.loops().empty() ? Loop() : y.loops().back();
  struct Run {
    int64_t begin, count, offset;
  };
  absl::InlinedVector<Run, 8> runs;
  absl::InlinedVector<int64_t, 24> places;  // of each run along each bound
  for (int64_t at = y_begin; at < y_begin + y_count;) {
    const int64_t count = std::min(inner.size - at % inner.size, y_begin + y_count - at);
    places.resize(places.size() + bounds);
    int64_t* const along = places.data() + places.size() - bounds;
    int64_t offset = y.Place(at, along);
    for (size_t b = 0; b < bounds; ++b) {
      along[b] += x.bounds()[b].start;
      offset += along[b] * x.bounds()[b].stride;
    }
    runs.push_back({at - y_begin, count, offset});
    at += count;
  }
  const int bound_of_inner = bounds == 0 ? -1 : inner.bound;
  const CopyFunctions<T> functions(instruction_set_);
  const bool are_rows = is_same_type_ && stride == 1 && y_stride == 1;
  const auto copy_within = are_rows ? functions.within : nullptr;
  absl::InlinedVector<int64_t, 4> x_along(bounds);
  Steps steps(x, x_begin, x_along.data());
  if (bounds == 0) {
    const auto copy_run = [&](int64_t x_offset, const Run& run, T* target) {
      const char* const from = base + (x_offset + run.offset) * element_bytes_;
      target += run.begin * y_stride;
      if (copy_within == nullptr) return copy_(from, stride, run.count, target, y_stride);
      copy_within(reinterpret_cast<const T*>(from), 0, run.count, run.count, target);
    };
    // As the elements follow one another in memory.
    const bool are_runs_apart =
        runs.size() > 1 && std::abs(x.stride()) < std::abs(runs[1].offset - runs[0].offset);
    if (!are_runs_apart) {
      for (int64_t i = 0; i < x_count; ++i, steps.Advance()) {
        for (const Run& run : runs) copy_run(steps.offset(), run, to + i * x_stride);
      }
      return;
    }
    if (x.IsRegular() && are_rows && functions.runs != nullptr) {
      for (const Run& run : runs) {
        functions.runs(reinterpret_cast<const T*>(base) + steps.offset() + run.offset, x.stride(),
                       x_count, run.count, to + run.begin, x_stride);
      }
      return;
    }
    absl::InlinedVector<int64_t, 64> offsets;
    for (int64_t i = 0; i < x_count; ++i, steps.Advance()) offsets.push_back(steps.offset());
    for (const Run& run : runs) {
      for (int64_t i = 0; i < x_count; ++i) copy_run(offsets[i], run, to + i * x_stride);
    }
    return;
  }
  for (int64_t i = 0; i < x_count; ++i, steps.Advance()) {
    int64_t x_offset = steps.offset();
    for (size_t b = 0; b < bounds; ++b) x_offset += x_along[b] * x.bounds()[b].stride;
    const int64_t* along = places.data();
    for (const Run& run : runs) {
      T* target = to + i * x_stride + run.begin * y_stride;
      int64_t first = 0, last = run.count;
      for (size_t b = 0; b < bounds; ++b) {
        const int64_t place = x_along[b] + along[b], size = x.bounds()[b].size;
        if (static_cast<int>(b) != bound_of_inner) {
          if (static_cast<uint64_t>(place) >= static_cast<uint64_t>(size)) last = 0;
        } else if (inner.step == 1) {
          first = std::max<int64_t>(0, -place);
          last = std::min(last, size - place);
        } else {
          if (place < 0) first = (-place + inner.step - 1) / inner.step;
          last = std::min(last, place >= size ? 0 : (size - 1 - place) / inner.step + 1);
        }
      }
      along += bounds;
      const int64_t offset = x_offset + run.offset;
      if (copy_within != nullptr) {
        copy_within(reinterpret_cast<const T*>(base) + offset, first, last, run.count, target);
        continue;
      }
      if (first >= last) {
        Clear(run.count, target, y_stride);
        continue;
      }
      if (first > 0) Clear(first, target, y_stride);
      copy_(base + (offset + first * stride) * element_bytes_, stride, last - first,
            target + first * y_stride, y_stride);
      if (last < run.count) Clear(run.count - last, target + last * y_stride, y_stride);
    }
  }
}

template <typename T>
int64_t Gatherer<T>::RunLength() const {
  return is_same_type_ && depth_.stride() == 1 && !depth_.loops().empty() &&
                 (depth_.loops().back().bound < 0 || depth_.loops().back().step == 1)
             ? depth_.loops().back().size
             : 0;
}

template <typename T>
void Gatherer<T>::FindRuns(const char* base, int64_t begin, int64_t count, int64_t first,
                           int64_t runs, int64_t length, const T* zeros, const T** to,
                           T* copies) const {
  const std::vector<Bound>& bounds = depth_.bounds();
  const int along_run = bounds.empty() ? -1 : depth_.loops().back().bound;
  const Loop rows = outer_.loops().empty() ? Loop() : outer_.loops().back();
  const int64_t stride = outer_.stride();
  absl::InlinedVector<int64_t, 4> start(bounds.size()), along(bounds.size());
  for (int64_t t = 0; t < runs; ++t) {
    const int64_t offset = depth_.Place(first + t * length, start.data());
    for (size_t b = 0; b < bounds.size(); ++b) start[b] += bounds[b].start;
    // Rows of the innermost loop: those of [whole, end) have all of the run.
    for (int64_t row = begin; row < begin + count;) {
      const int64_t some = std::min(rows.size - row % rows.size, begin + count - row);
      const T* place =
          reinterpret_cast<const T*>(base) + (offset + outer_.Place(row, along.data()));
      int64_t whole = 0, end = some;
      for (size_t b = 0; b < bounds.size(); ++b) {
        along[b] += start[b];
        place += along[b] * bounds[b].stride;
        const int64_t step = rows.bound == static_cast<int>(b) ? rows.step : 0;
        const int64_t last = bounds[b].size - (along_run == static_cast<int>(b) ? length : 1);
        if (step > 0) {
          if (along[b] < 0) whole = std::max(whole, (-along[b] + step - 1) / step);
          end = std::min(end, along[b] > last ? 0 : (last - along[b]) / step + 1);
        } else if (along[b] < 0 || along[b] > last || along[b] + step * (some - 1) < 0) {
          end = 0;
        }
      }
      for (int64_t r = 0; r < some; ++r, ++to) {
        if (r >= whole && r < end) {
          *to = place + r * stride;
          continue;
        }
        int64_t from = 0, until = length;
        for (size_t b = 0; b < bounds.size(); ++b) {
          const int64_t at = along[b] + (rows.bound == static_cast<int>(b) ? r * rows.step : 0);
          if (along_run == static_cast<int>(b)) {
            from = std::max<int64_t>(0, -at);
            until = std::min(until, bounds[b].size - at);
          } else if (at < 0 || at >= bounds[b].size) {
            until = 0;
          }
        }
        if (from >= until) {
          *to = zeros;
          continue;
        }
        std::fill_n(copies, length, T(0));
        std::copy(place + (r * stride + from), place + (r * stride + until), copies + from);
        *to = copies;
        copies += length;
      }
      row += some;
    }
  }
}

#define HILO_INSTANTIATE(T)                                                            \
  template CopyElements<T>* CopyElementsOf<T>(PrimitiveType, codegen::InstructionSet); \
  template class Gatherer<T>;                                                          \
  template void Walk::FindPlaces(const T*, int64_t, int64_t, const T**) const;
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(uint8_t)
HILO_INSTANTIATE(uint16_t)
HILO_INSTANTIATE(uint32_t)
HILO_INSTANTIATE(uint64_t)
HILO_INSTANTIATE(complex64)
HILO_INSTANTIATE(complex128)
#undef HILO_INSTANTIATE

}  // namespace xla::cpu
