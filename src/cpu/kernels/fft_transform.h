// Fourier transforms of one length, of lines that are interleaved or of a line by itself.
#ifndef HILO_CPU_KERNELS_FFT_TRANSFORM_H_
#define HILO_CPU_KERNELS_FFT_TRANSFORM_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/kernels/fft_stages.h"
#include "xla/util.h"

namespace xla::cpu {

// exp(-2 pi i numerator / denominator)
template <typename T>
std::complex<T> Root(int64_t numerator, int64_t denominator) {
  const double angle =
      -2 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

// Complex numbers whose parts lie in arrays of their own.
template <typename T>
class PartTable {
 public:
  void Add(std::complex<T> number) {
    re_.push_back(number.real());
    im_.push_back(number.imag());
  }
  bool empty() const { return re_.empty(); }
  Parts<const T> parts() const { return {re_.data(), im_.data()}; }
  Parts<T> parts() { return {re_.data(), im_.data()}; }

 private:
  std::vector<T> re_, im_;
};

// sum over k of x[k] exp(-2 pi i j k / length), up to large prime factors of the length.
template <typename T>
class MixedRadix {
 public:
  // `one_line`: mostly for a line by itself.
  MixedRadix(int64_t length, const FftFunctions<T>& functions, bool one_line)
      : length_(length), functions_(&functions) {
    int64_t rest = length, side = 1;
    if (one_line && HasLanes(length, functions.lanes)) {
      rest = length / functions.lanes;
      for (int64_t l = 0; l < functions.lanes; ++l) {
        for (int64_t k = 0; k < rest; ++k) lane_twiddles_.Add(Root<T>(l * k, length));
      }
    } else if (one_line) {
      first_radix_ = FirstRadix(length, functions.lanes);
    }
    if (first_radix_ > 1) {
      rest = length / first_radix_;
      first_roots_ = Roots(first_radix_);
      for (int64_t j = 0; j < first_radix_; ++j) {
        for (int64_t p = 0; p < rest; ++p) first_twiddles_.Add(Root<T>(p * j, length));
      }
      side = first_radix_;
    }
    while (NextRadix(rest) <= kMostRadix && rest > 1) {
      Stage stage = {NextRadix(rest)};
      stage.count = rest / stage.radix;
      stage.side = side;
      stage.roots = Roots(stage.radix);
      for (int64_t p = 0; p < stage.count; ++p) {
        for (int64_t j = 0; j < stage.radix; ++j) stage.twiddles.push_back(Root<T>(p * j, rest));
      }
      rest /= stage.radix;
      side *= stage.radix;
      stages_.push_back(std::move(stage));
    }
    lines_of_rest_ = length / RestOf(length);
  }

  // The product of the large prime factors of a length.
  static int64_t RestOf(int64_t length) {
    while (length > 1 && NextRadix(length) <= kMostRadix) length /= NextRadix(length);
    return length;
  }

  // Whether a line by itself is transformed in whole vectors.
  static bool HasVectors(int64_t length, int64_t lanes) {
    return HasLanes(length, lanes) || FirstRadix(length, lanes) > 1;
  }

  int64_t length() const { return length_; }

  // Element k of line q is number k * lines + q. The result is in the returned one of x and work;
  // the other is overwritten. transform_rest(x, work, side) does the same to `side` lines of as
  // many elements as the rest of the length has, and leaves the result in x.
  template <typename TransformRest>
  Parts<T> operator()(Parts<T> x, Parts<T> work, int64_t lines,
                      const TransformRest& transform_rest) const {
    const int64_t interleaved = lane_twiddles_.empty() ? lines : lines * functions_->lanes;
    if (first_radix_ > 1) {
      functions_->first_stage(first_radix_, length_ / first_radix_, first_roots_.data(),
                              first_twiddles_.parts(), x, work);
      std::swap(x, work);
    }
    for (const Stage& stage : stages_) {
      functions_->stage(stage.radix, stage.count, stage.side * interleaved, stage.roots.data(),
                        stage.twiddles.data(), x, work);
      std::swap(x, work);
    }
    transform_rest(x, work, lines_of_rest_ * lines);
    if (lane_twiddles_.empty()) return x;
    functions_->combine_lanes(length_ / functions_->lanes, lane_twiddles_.parts(), x, work);
    return work;
  }
  Parts<T> operator()(Parts<T> x, Parts<T> work, int64_t lines) const {
    return (*this)(x, work, lines, [](Parts<T>, Parts<T>, int64_t) {});
  }

 private:
  struct Stage {
    int64_t radix, count = 0, side = 0;
    std::vector<std::complex<T>> roots = {}, twiddles = {};
  };

  static std::vector<std::complex<T>> Roots(int64_t radix) {
    std::vector<std::complex<T>> roots;
    for (int64_t k = 0; k < radix; ++k) roots.push_back(Root<T>(k, radix));
    return roots;
  }

  static int64_t NextRadix(int64_t length) {
    // Eights and fours are better than eights and a two.
    if (length % 8 == 0 && (length % 16 != 0 || length % 32 == 0)) return 8;
    for (int64_t radix : {4, 2, 3, 5}) {
      if (length % radix == 0) return radix;
    }
    for (int64_t radix = 7; radix <= kMostRadix; radix += 2) {
      if (length % radix == 0) return radix;
    }
    return length;
  }

  // Whether every `lanes`-th number may be a line of its own.
  static bool HasLanes(int64_t length, int64_t lanes) {
    return length % lanes == 0 && length / lanes >= lanes;
  }
  // The least odd number by which the stages behind it have whole vectors, or 1.
  static int64_t FirstRadix(int64_t length, int64_t lanes) {
    for (int64_t radix = lanes | 1; radix <= kMostRadix; radix += 2) {
      if (length % radix == 0 && length / radix >= lanes) return radix;
    }
    return 1;
  }

  int64_t length_;
  const FftFunctions<T>* functions_;
  int64_t first_radix_ = 1;
  std::vector<std::complex<T>> first_roots_;
  PartTable<T> first_twiddles_;
  std::vector<Stage> stages_;
  PartTable<T> lane_twiddles_;
  int64_t lines_of_rest_;
};

// The same for any length by Bluestein's method: with j k = (j^2 + k^2 - (j - k)^2) / 2 the sum is
// a convolution with a chirp, exp(pi i k^2 / length), which transforms of a length without large
// prime factors compute.
template <typename T>
class Bluestein {
 public:
  Bluestein(int64_t length, const FftFunctions<T>& functions, bool one_line)
      : length_(length), inner_(InnerLength(length), functions, one_line), functions_(functions) {
    // k^2 modulo 2 * length, step by step as k^2 could be too large.
    for (int64_t k = 0, square = 0; k < length; ++k) {
      chirp_.Add(Root<T>(square, 2 * length));
      square = (square + 2 * k + 1) % (2 * length);
    }
    const int64_t inner = inner_.length();
    std::vector<T> re(inner), im(inner), work_re(inner), work_im(inner);
    for (int64_t k = 0; k < length; ++k) {
      for (int64_t at : {k, (inner - k) % inner})
        re[at] = chirp_.parts().re[k], im[at] = -chirp_.parts().im[k];
    }
    const Parts<T> result = inner_({re.data(), im.data()}, {work_re.data(), work_im.data()}, 1);
    for (int64_t k = 0; k < inner; ++k)
      chirp_transform_.Add(std::complex<T>(result.re[k], result.im[k]) / T(inner));
  }

  static int64_t InnerLength(int64_t length) {
    int64_t least = 0;
    for (int64_t factor : {1, 3, 5, 9, 15}) {
      int64_t inner = factor;
      while (inner < 2 * length - 1) inner *= 2;
      if (least == 0 || inner < least) least = inner;
    }
    return least;
  }

  int64_t length() const { return length_; }
  // Elements of a line that x and work must hold.
  int64_t scratch_length() const { return inner_.length(); }

  Parts<T> operator()(Parts<T> x, Parts<T> work, int64_t lines) const {
    functions_.multiply(chirp_.parts(), length_, lines, x);
    std::fill(x.re + length_ * lines, x.re + scratch_length() * lines, T(0));
    std::fill(x.im + length_ * lines, x.im + scratch_length() * lines, T(0));
    const Parts<T> spectrum = inner_(x, work, lines);
    functions_.multiply(chirp_transform_.parts(), scratch_length(), lines, spectrum);
    // The inverse transform is the transform with the parts exchanged.
    const Parts<T> other = spectrum.re == x.re ? work : x;
    const Parts<T> product = inner_({spectrum.im, spectrum.re}, {other.im, other.re}, lines);
    const Parts<T> result = {product.im, product.re};
    functions_.multiply(chirp_.parts(), length_, lines, result);
    return result;
  }

 private:
  int64_t length_;
  MixedRadix<T> inner_;
  const FftFunctions<T>& functions_;
  PartTable<T> chirp_, chirp_transform_;
};

// The same for any length: by stages as far as they go, and then by Bluestein's method, or by that
// alone where it leaves too few lines for vectors.
template <typename T>
class AnyRadix {
 public:
  // `one_line`: for one line at a time, or else for as many as there are lanes.
  AnyRadix(int64_t length, const FftFunctions<T>& functions, bool one_line)
      : length_(length),
        scratch_length_(WorkLength(length, functions.lanes, one_line)),
        functions_(functions) {
    const int64_t rest = RestOf(length, functions.lanes, one_line);
    if (rest < length || length == 1) stages_.emplace(length, functions, one_line);
    if (rest > 1) rest_.emplace(rest, functions, one_line && rest == length);
  }

  // How many elements of a line are worked with.
  static int64_t WorkLength(int64_t length, int64_t lanes, bool one_line) {
    const int64_t rest = RestOf(length, lanes, one_line);
    const int64_t inner = rest > 1 ? Bluestein<T>::InnerLength(rest) : 0;
    // Of the rest, lines that are one vector beside each other lie in what is free, twice.
    return rest == length ? std::max(inner, length)
                          : std::max(length, 2 * inner * (one_line ? lanes : 1));
  }

  // Whether a line by itself is transformed in whole vectors.
  static bool HasVectors(int64_t length, int64_t lanes) {
    const bool is_whole = RestOf(length, lanes, /*one_line=*/true) == length && length > 1;
    return MixedRadix<T>::HasVectors(is_whole ? Bluestein<T>::InnerLength(length) : length, lanes);
  }

  int64_t length() const { return length_; }
  // Elements of a line that x and work must hold.
  int64_t scratch_length() const { return scratch_length_; }

  Parts<T> operator()(Parts<T> x, Parts<T> work, int64_t lines) const {
    if (!stages_.has_value()) return (*rest_)(x, work, lines);
    if (!rest_.has_value()) return (*stages_)(x, work, lines);
    return (*stages_)(x, work, lines, [&](Parts<T> from, Parts<T> free, int64_t side) {
      TransformRest(from, free, side);
    });
  }

 private:
  // What Bluestein's method is for.
  static int64_t RestOf(int64_t length, int64_t lanes, bool one_line) {
    const int64_t rest = MixedRadix<T>::RestOf(length);
    return one_line && rest > 1 && IsBestWhole(length, rest, lanes) ? length : rest;
  }

  // Whether that takes less time for a line by itself than for all lines of its rest, which are
  // copied to where they are beside each other, and fill vectors or not.
  static bool IsBestWhole(int64_t length, int64_t rest, int64_t lanes) {
    constexpr double kCacheBytes = 1 << 20, kOutOfCache = 2, kCopies = 6;
    const int64_t lines = length / rest, vectors = CeilOfRatio(lines, lanes);
    const auto inner = static_cast<double>(Bluestein<T>::InnerLength(length));
    const auto of_rest = static_cast<double>(Bluestein<T>::InnerLength(rest));
    const double whole =
        inner * std::log2(inner) * (4 * sizeof(T) * inner > kCacheBytes ? kOutOfCache : 1);
    const double parts = of_rest * std::log2(of_rest) * static_cast<double>(vectors * lanes) +
                         kCopies * static_cast<double>(length);
    return lines < lanes || whole <= parts;
  }

  // A vector of lines after the other.
  void TransformRest(Parts<T> x, Parts<T> work, int64_t side) const {
    const int64_t lanes = functions_.lanes, elements = rest_->scratch_length() * lanes;
    for (int64_t first = 0; first < side; first += lanes) {
      const int64_t lines = std::min(lanes, side - first);
      for (const auto& [from, to] : {std::pair(x.re, work.re), std::pair(x.im, work.im)}) {
        if (lines < lanes) std::fill(to, to + rest_->length() * lanes, T(0));
        for (int64_t k = 0; k < rest_->length(); ++k)
          std::copy_n(from + k * side + first, lines, to + k * lanes);
      }
      const Parts<T> result = (*rest_)(work, {work.re + elements, work.im + elements}, lanes);
      for (const auto& [from, to] : {std::pair(result.re, x.re), std::pair(result.im, x.im)}) {
        for (int64_t k = 0; k < rest_->length(); ++k)
          std::copy_n(from + k * lanes, lines, to + k * side + first);
      }
    }
  }

  int64_t length_, scratch_length_;
  const FftFunctions<T>& functions_;
  std::optional<MixedRadix<T>> stages_;
  std::optional<Bluestein<T>> rest_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_FFT_TRANSFORM_H_
