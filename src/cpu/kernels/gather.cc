#include "cpu/kernels/gather.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

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
  if (to_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(source[i * stride]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = static_cast<T>(source[i * stride]);
  }
}

void WidenHalf(const char* from, int64_t stride, int64_t count, float* to, int64_t to_stride) {
  const auto widen = TilesOfHost<float>().widen_half;
  if (stride != 1 || to_stride != 1 || widen == nullptr)
    return Copy<float, half>(from, stride, count, to, to_stride);
  widen(reinterpret_cast<const uint16_t*>(from), count, to);
}

template <typename T>
void Clear(int64_t count, T* to, int64_t to_stride) {
  for (int64_t i = 0; i < count; ++i) to[i * to_stride] = T(0);
}

}  // namespace

template <typename T>
CopyElements<T>* CopyElementsOf(PrimitiveType type) {
  if constexpr (std::is_same_v<T, float>) {
    if (type == F32) return Copy<T, float>;
    if (type == BF16) return Copy<T, bfloat16>;
    if (type == F16) return WidenHalf;
  } else if constexpr (std::is_same_v<T, double>) {
    if (type == F64) return Copy<T, double>;
    if (type == F32) return Copy<T, float>;
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

template <typename T>
Gatherer<T>::Gatherer(const Contraction& contraction, Array array)
    : copy_(CopyElementsOf<T>(contraction.types[array])),
      is_same_type_(copy_ == Copy<T, T>),
      element_bytes_(primitive_util::ByteWidth(contraction.types[array])) {
  const std::vector<Bound> bounds =
      contraction.bounded == array ? contraction.bounds : std::vector<Bound>();
  outer_ = Walk(array == kLeft ? contraction.rows : contraction.columns, bounds, array);
  depth_ = Walk(contraction.depth, bounds, array);
}

template <typename T>
void Gatherer<T>::Fill(const char* base, bool x_is_depth, int64_t x_begin, int64_t x_count,
                       int64_t y_begin, int64_t y_count, T* to, int64_t x_stride,
                       int64_t y_stride) const {
  const Walk& x = x_is_depth ? depth_ : outer_;
  const Walk& y = x_is_depth ? outer_ : depth_;
  const int64_t bounds = static_cast<int64_t>(x.bounds().size());
  // The range of y as runs of its innermost loop.
  const Loop inner = y.loops().empty() ? Loop() : y.loops().back();
  struct Run {
    int64_t begin, count, offset;
  };
  absl::InlinedVector<Run, 8> runs;
  absl::InlinedVector<int64_t, 16> along;  // of each run
  for (int64_t at = y_begin; at < y_begin + y_count;) {
    const int64_t count = std::min(inner.size - at % inner.size, y_begin + y_count - at);
    along.resize(along.size() + bounds);
    runs.push_back({at - y_begin, count, y.Place(at, along.data() + along.size() - bounds)});
    at += count;
  }
  const int64_t bound_of_inner = bounds == 0 ? -1 : inner.bound;
  const int64_t stride = y.stride();
  absl::InlinedVector<int64_t, 4> x_along(bounds);
  for (int64_t i = 0; i < x_count; ++i) {
    const int64_t x_offset = x.Place(x_begin + i, x_along.data());
    for (size_t r = 0; r < runs.size(); ++r) {
      const Run& run = runs[r];
      T* target = to + i * x_stride + run.begin * y_stride;
      int64_t offset = x_offset + run.offset, first = 0, last = run.count;
      for (int64_t b = 0; b < bounds; ++b) {
        const Bound& bound = x.bounds()[b];
        const int64_t place = bound.start + x_along[b] + along[r * bounds + b];
        offset += place * bound.stride;
        if (b != bound_of_inner) {
          if (place < 0 || place >= bound.size) last = 0;
          continue;
        }
        if (place < 0) first = (-place + inner.step - 1) / inner.step;
        last = std::min(last, place >= bound.size ? 0 : (bound.size - 1 - place) / inner.step + 1);
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

#define HILO_INSTANTIATE(T)                                   \
  template CopyElements<T>* CopyElementsOf<T>(PrimitiveType); \
  template class Gatherer<T>;
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(uint16_t)
HILO_INSTANTIATE(uint32_t)
HILO_INSTANTIATE(uint64_t)
HILO_INSTANTIATE(complex64)
HILO_INSTANTIATE(complex128)
#undef HILO_INSTANTIATE

}  // namespace xla::cpu
