// Fourier transforms of any length, in one to three dimensions: along one dimension after the
// other, several lines interleaved in the lanes of vectors.
#include <algorithm>
#include <atomic>
#include <complex>
#include <memory>
#include <vector>

#include "cpu/kernels/fft_stages.h"
#include "cpu/kernels/fft_transform.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/scratch.h"
#include "runtime/parallel.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// How the lines of an array along one dimension lie: it has `size` elements in it, `inner` after
// it.
struct Lines {
  int64_t size, inner;

  int64_t First(int64_t line) const { return line / inner * size * inner + line % inner; }
};

enum class Content {
  kComplex,  // all elements of a line, or the first of them
  kReal,     // their real parts
  kHalf,     // the first half, of which the second is the mirror image
};

// Transforms along one dimension of an array, from one array to another or in place.
template <typename T>
class Pass {
 public:
  Pass(const FftFunctions<T>& functions, int64_t length, int64_t count, Content from_content,
       Lines from, Content to_content, Lines to, bool is_inverse)
      : is_folded_(length % 2 == 0 &&
                   (from_content == Content::kReal || from_content == Content::kHalf)),
        is_one_line_(IsOneLine(is_folded_ ? length / 2 : length, count, functions.lanes)),
        transform_(is_folded_ ? length / 2 : length, functions, is_one_line_),
        count_(count),
        from_content_(from_content),
        to_content_(to_content),
        from_(from),
        to_(to),
        is_inverse_(is_inverse),
        functions_(functions) {
    if (!is_folded_) return;
    for (int64_t k = 0; 4 * k <= length; ++k) roots_.push_back(Root<T>(k, length));
  }

  bool Run(const void* from, void* to) const {
    const int64_t vector = functions_.lanes, width = is_one_line_ ? 1 : vector;
    std::atomic<bool> failed = false;
    const int64_t work = transform_.scratch_length() * width * 16;
    runtime::ParallelFor((count_ + width - 1) / width, kWorkWorthAThread / work + 1,
                         [&](int64_t begin, int64_t end) {
                           const int64_t plane =
                               RoundUpTo(transform_.scratch_length() * width, vector) +
                               kVectorsBetween * vector;
                           const Scratch<T> memory(4 * plane);
                           if (memory.get() == nullptr) return (void)(failed = true);
                           T* m = memory.get();
                           for (int64_t block = begin; block < end; ++block) {
                             RunBlock(from, to, block * width, width, {m, m + plane},
                                      {m + 2 * plane, m + 3 * plane});
                           }
                         });
    return !failed;
  }

 private:
  static constexpr int64_t kWorkWorthAThread = 1 << 15;
  // Between arrays that are read and written together, so that they do not begin in the same place
  // of a page: loads would wait for stores that they have nothing to do with.
  static constexpr int64_t kVectorsBetween = 17;

  // Whether lines are transformed one after the other: a few of them would be too much for the
  // cache, or most lanes would have none.
  static bool IsOneLine(int64_t length, int64_t count, int64_t lanes) {
    constexpr int64_t kMostBytes = 4 << 20;
    const int64_t bytes_of_lanes = AnyRadix<T>::WorkLength(length, lanes, /*one_line=*/false) *
                                   lanes * static_cast<int64_t>(sizeof(T));
    return count < 2 || (2 * count <= lanes && AnyRadix<T>::HasVectors(length, lanes)) ||
           bytes_of_lanes > kMostBytes;
  }

  // Lines [line, line + width), as far as there are so many.
  void RunBlock(const void* from, void* to, int64_t line, int64_t width, Parts<T> x,
                Parts<T> work) const {
    const int64_t lines = std::min(width, count_ - line);
    int64_t first[kMostLanes];
    for (int64_t q = 0; q < lines; ++q) first[q] = from_.First(line + q);
    Read(from, first, lines, width, Turned(x));
    const Parts<T> result = transform_(x, work, width);
    for (int64_t q = 0; q < lines; ++q) first[q] = to_.First(line + q);
    Write(Turned(result), first, lines, width, to);
  }

  // The inverse transform is the transform with the parts exchanged.
  Parts<T> Turned(Parts<T> x) const { return is_inverse_ ? Parts<T>{x.im, x.re} : x; }

  void Read(const void* from, const int64_t* first, int64_t lines, int64_t width, Parts<T> x) const;
  void Write(Parts<T> x, const int64_t* first, int64_t lines, int64_t width, void* to) const;

  // What can be copied as whole lines of complex numbers, without gaps between them.
  void ReadLines(const std::complex<T>* const* lines, int64_t count, int64_t width,
                 Parts<T> x) const;
  void WriteLines(Parts<T> x, int64_t count, int64_t width, std::complex<T>* const* lines) const;

  static constexpr int kMostLanes = 16;

  bool is_folded_;  // real numbers are transformed as half as many complex ones
  bool is_one_line_;
  AnyRadix<T> transform_;
  std::vector<std::complex<T>> roots_;
  int64_t count_;
  Content from_content_, to_content_;
  Lines from_, to_;
  bool is_inverse_;
  const FftFunctions<T>& functions_;
};

// So many elements of a line are copied at a time that whole lines of the cache are.
constexpr int64_t kLineStrip = 8;

bool AreNeighbours(const int64_t* first, int64_t lines) {
  return first[lines - 1] - first[0] == lines - 1;
}

// Element k of a line that is the same backwards, conjugated. What could not come from real data is
// ignored.
template <typename T>
std::complex<T> Mirrored(const std::complex<T>* line, int64_t stride, int64_t k, int64_t length) {
  const std::complex<T> value = line[(2 * k > length ? length - k : k) * stride];
  if (k == 0 || 2 * k == length) return {value.real(), T(0)};
  return 2 * k > length ? std::conj(value) : value;
}

template <typename T>
void Pass<T>::ReadLines(const std::complex<T>* const* lines, int64_t count, int64_t width,
                        Parts<T> x) const {
  if (width > 1) return functions_.part_lines(lines, count, x);
  for (int64_t k = 0; k < count; ++k) x.re[k] = lines[0][k].real(), x.im[k] = lines[0][k].imag();
}

template <typename T>
void Pass<T>::WriteLines(Parts<T> x, int64_t count, int64_t width,
                         std::complex<T>* const* lines) const {
  const T scale = is_inverse_ ? T(1) / static_cast<T>(transform_.length()) : T(1);
  if (width > 1) return functions_.join_lines(x, scale, count, lines);
  for (int64_t k = 0; k < count; ++k) lines[0][k] = {x.re[k] * scale, x.im[k] * scale};
}

template <typename T>
void Pass<T>::Read(const void* from, const int64_t* first, int64_t lines, int64_t width,
                   Parts<T> x) const {
  const int64_t length = transform_.length(), stride = from_.inner;
  if (is_folded_ || (from_content_ == Content::kComplex && stride == 1)) {
    const std::complex<T>* pointers[kMostLanes];
    const int64_t scale = from_content_ == Content::kReal ? 1 : 2;
    // Lanes without a line of their own transform another one.
    for (int64_t q = 0; q < width; ++q) {
      pointers[q] = reinterpret_cast<const std::complex<T>*>(static_cast<const T*>(from) +
                                                             scale * first[std::min(q, lines - 1)]);
    }
    ReadLines(pointers, from_content_ == Content::kHalf ? length + 1 : length, width, x);
    if (from_content_ == Content::kHalf) functions_.fold(roots_.data(), length, width, x);
    return;
  }
  const auto* complex = static_cast<const std::complex<T>*>(from);
  const T* real = static_cast<const T*>(from);
  const auto part = [&](const std::complex<T>* values, int64_t k) {
    if (width == 1) {
      x.re[k] = values->real(), x.im[k] = values->imag();
    } else {
      functions_.part(values, x.re + k * width, x.im + k * width);
    }
  };
  if (from_content_ == Content::kComplex && lines == width && AreNeighbours(first, lines)) {
    for (int64_t k = 0; k < length; ++k) part(complex + first[0] + k * stride, k);
    return;
  }
  std::complex<T> strip[kLineStrip * kMostLanes] = {};
  for (int64_t begin = 0; begin < length; begin += kLineStrip) {
    const int64_t count = std::min(kLineStrip, length - begin);
    for (int64_t q = 0; q < lines; ++q) {
      const std::complex<T>* line = complex + first[q];
      std::complex<T>* to = strip + q;
      if (from_content_ == Content::kComplex) {
        for (int64_t i = 0; i < count; ++i) to[i * kMostLanes] = line[(begin + i) * stride];
      } else if (from_content_ == Content::kReal) {
        for (int64_t i = 0; i < count; ++i)
          to[i * kMostLanes] = real[first[q] + (begin + i) * stride];
      } else {
        for (int64_t i = 0; i < count; ++i)
          to[i * kMostLanes] = Mirrored(line, stride, begin + i, length);
      }
    }
    for (int64_t i = 0; i < count; ++i) part(strip + i * kMostLanes, begin + i);
  }
}

template <typename T>
void Pass<T>::Write(Parts<T> x, const int64_t* first, int64_t lines, int64_t width,
                    void* to) const {
  const int64_t stride = to_.inner;
  if (is_folded_ || (to_content_ == Content::kComplex && stride == 1)) {
    // Lanes without a line of their own write where nobody reads.
    const int64_t count = to_content_ == Content::kReal ? transform_.length() : to_.size;
    std::vector<std::complex<T>> unread(lines < width ? count : 0);
    std::complex<T>* pointers[kMostLanes];
    const int64_t scale = to_content_ == Content::kReal ? 1 : 2;
    for (int64_t q = 0; q < width; ++q) {
      pointers[q] = q < lines
                        ? reinterpret_cast<std::complex<T>*>(static_cast<T*>(to) + scale * first[q])
                        : unread.data();
    }
    if (is_folded_ && from_content_ == Content::kReal)
      functions_.unfold(roots_.data(), transform_.length(), width, x);
    return WriteLines(x, count, width, pointers);
  }
  const T scale = is_inverse_ ? T(1) / static_cast<T>(transform_.length()) : T(1);
  auto* complex = static_cast<std::complex<T>*>(to);
  T* real = static_cast<T*>(to);
  const auto join = [&](int64_t k, std::complex<T>* values) {
    if (width == 1) {
      *values = {x.re[k] * scale, x.im[k] * scale};
    } else {
      functions_.join(x.re + k * width, x.im + k * width, scale, values);
    }
  };
  if (to_content_ == Content::kComplex && lines == width && AreNeighbours(first, lines)) {
    for (int64_t k = 0; k < to_.size; ++k) join(k, complex + first[0] + k * stride);
    return;
  }
  std::complex<T> strip[kLineStrip * kMostLanes];
  for (int64_t begin = 0; begin < to_.size; begin += kLineStrip) {
    const int64_t count = std::min(kLineStrip, to_.size - begin);
    for (int64_t i = 0; i < count; ++i) join(begin + i, strip + i * kMostLanes);
    for (int64_t q = 0; q < lines; ++q) {
      const std::complex<T>* values = strip + q;
      const int64_t at = first[q] + begin * stride;
      if (to_content_ == Content::kComplex) {
        for (int64_t i = 0; i < count; ++i) complex[at + i * stride] = values[i * kMostLanes];
      } else {
        for (int64_t i = 0; i < count; ++i) real[at + i * stride] = values[i * kMostLanes].real();
      }
    }
  }
}

// All dimensions of a transform of `planes` arrays that lie one after the other.
template <typename T>
class Fft : public runtime::LibraryKernel {
 public:
  explicit Fft(const runtime::LibraryCall& call) {
    const FftFunctions<T>& functions = FftFunctionsOf<T>(call.instruction_set);
    const Shape &from = call.operands[0], &to = call.results[0];
    const int type = call.instruction.fft_type();
    const int rank = from.dimensions_size(), axes = call.instruction.fft_length_size();
    const bool is_inverse = type == IFFT || type == IRFFT;
    is_empty_ = ShapeUtil::IsZeroElementArray(to) || ShapeUtil::IsZeroElementArray(from);
    if (is_empty_) return;
    from_bytes_ = ShapeUtil::ByteSizeOf(from), to_bytes_ = ShapeUtil::ByteSizeOf(to);
    // Planes one by one stay in the cache, if each has enough lines to interleave.
    int64_t plane = 1, longest = 1;
    for (int d = rank - axes; d < rank; ++d) {
      plane *= to.dimensions(d);
      longest = std::max(longest, to.dimensions(d));
    }
    if (axes > 1 && plane / longest >= functions.lanes) planes_ = ShapeUtil::ElementsIn(to) / plane;
    // The dimension that is not whole is the first to be transformed, and the last in the inverse.
    const auto lines = [&](const Shape& shape, int d) {
      Lines result = {shape.dimensions(d), 1};
      for (int after = d + 1; after < rank; ++after) result.inner *= shape.dimensions(after);
      return result;
    };
    const int last = rank - 1;
    const Shape& middle = type == IRFFT ? from : to;
    const auto count = [&](const Shape& shape, int d) {
      return ShapeUtil::ElementsIn(shape) / shape.dimensions(d) / planes_;
    };
    const auto add_last = [&] {
      passes_.emplace_back(functions, call.instruction.fft_length(axes - 1), count(to, last),
                           type == RFFT    ? Content::kReal
                           : type == IRFFT ? Content::kHalf
                                           : Content::kComplex,
                           lines(from, last), type == IRFFT ? Content::kReal : Content::kComplex,
                           lines(to, last), is_inverse);
    };
    if (type != IRFFT) add_last();
    for (int d = rank - axes; d < last; ++d) {
      passes_.emplace_back(functions, middle.dimensions(d), count(middle, d), Content::kComplex,
                           lines(middle, d), Content::kComplex, lines(middle, d), is_inverse);
    }
    if (type == IRFFT) add_last();
    has_own_middle_ = type == IRFFT && axes > 1;
  }

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    if (is_empty_) return absl::OkStatus();
    std::atomic<bool> failed = false;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        if (!RunPlane(static_cast<const char*>(arrays[0]) + plane * (from_bytes_ / planes_),
                      static_cast<char*>(arrays[1]) + plane * (to_bytes_ / planes_))) {
          failed = true;
        }
      }
    };
    if (planes_ < 4) {
      run(0, planes_);
    } else {
      runtime::ParallelFor(planes_, (1 << 17) / (to_bytes_ / planes_) + 1, run);
    }
    if (failed) return ResourceExhausted("no memory for a Fourier transform");
    return absl::OkStatus();
  }

 private:
  bool RunPlane(const char* from, char* to) const {
    const Scratch<char> middle(has_own_middle_ ? from_bytes_ / planes_ : 0);
    if (middle.get() == nullptr) return false;
    const void* source = from;
    for (size_t i = 0; i < passes_.size(); ++i) {
      void* target = has_own_middle_ && i + 1 < passes_.size() ? middle.get() : to;
      if (!passes_[i].Run(source, target)) return false;
      source = target;
    }
    return true;
  }

  std::vector<Pass<T>> passes_;
  bool is_empty_ = false, has_own_middle_ = false;
  int64_t planes_ = 1, from_bytes_ = 0, to_bytes_ = 0;
};

}  // namespace

KernelOrStatus MakeFft(const runtime::LibraryCall& call) {
  switch (call.operands[0].element_type()) {
    case F32:
    case C64:
      return std::make_unique<Fft<float>>(call);
    case F64:
    case C128:
      return std::make_unique<Fft<double>>(call);
    default:
      return Unimplemented("fft of %s", ShapeUtil::HumanString(call.operands[0]));
  }
}

}  // namespace xla::cpu
