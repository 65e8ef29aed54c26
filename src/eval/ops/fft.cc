// Fourier transforms of any length, in one to three dimensions.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/wide_array.h"
#include "ir/records.h"

namespace xla::eval {
namespace {

complex128 Multiply(complex128 x, complex128 y) { return MultiplyAdd(complex128(0), x, y); }

// exp(-2 pi i numerator / denominator)
complex128 Root(int64_t numerator, int64_t denominator) {
  const double angle =
      -2 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {std::cos(angle), std::sin(angle)};
}

// sum over k of x[k] exp(-2 pi i j k / length), for lengths that are powers of two.
class PowerOfTwoTransform {
 public:
  explicit PowerOfTwoTransform(int64_t length) : length_(length) {
    for (int64_t k = 0; k < length / 2; ++k) roots_.push_back(Root(k, length));
  }

  void operator()(complex128* line) const {
    Reorder(line);
    for (int64_t half = 1; half < length_; half *= 2) {
      const int64_t step = length_ / (2 * half);
      for (int64_t block = 0; block < length_; block += 2 * half) {
        for (int64_t k = 0; k < half; ++k) {
          complex128& even = line[block + k];
          complex128& odd = line[block + k + half];
          const complex128 turned = Multiply(odd, roots_[k * step]);
          odd = even - turned;
          even += turned;
        }
      }
    }
  }

 private:
  // Swaps the elements whose indices are each other's bits backwards.
  void Reorder(complex128* line) const {
    for (int64_t i = 0, reversed = 0; i < length_; ++i) {
      if (i < reversed) std::swap(line[i], line[reversed]);
      int64_t bit = length_ / 2;
      while (bit > 0 && (reversed & bit)) reversed ^= bit, bit /= 2;
      reversed |= bit;
    }
  }

  int64_t length_;
  std::vector<complex128> roots_;
};

int64_t PowerOfTwoFrom(int64_t minimum) {
  int64_t power = 1;
  while (power < minimum) power *= 2;
  return power;
}

// The same for any length, by Bluestein's method: with j k = (j^2 + k^2 - (j - k)^2) / 2 the sum is
// a convolution with a chirp, exp(pi i k^2 / length), which transforms of a power of two compute.
class Transform {
 public:
  explicit Transform(int64_t length)
      : length_(length),
        is_direct_(PowerOfTwoFrom(length) == length),
        inner_(is_direct_ ? length : PowerOfTwoFrom(2 * length - 1)),
        work_(is_direct_ ? 0 : PowerOfTwoFrom(2 * length - 1)) {
    if (is_direct_) return;
    // k^2 modulo 2 * length, step by step as k^2 could be too large.
    for (int64_t k = 0, square = 0; k < length; ++k) {
      chirp_.push_back(Root(square, 2 * length));
      square = (square + 2 * k + 1) % (2 * length);
    }
    chirp_transform_.resize(work_.size());
    for (int64_t k = 0; k < length; ++k) {
      chirp_transform_[k] = std::conj(chirp_[k]);
      if (k > 0) chirp_transform_[work_.size() - k] = std::conj(chirp_[k]);
    }
    inner_(chirp_transform_.data());
  }

  void operator()(complex128* line) {
    if (is_direct_) return inner_(line);
    std::fill(work_.begin(), work_.end(), complex128(0));
    for (int64_t k = 0; k < length_; ++k) work_[k] = Multiply(line[k], chirp_[k]);
    inner_(work_.data());
    // The inverse transform is the conjugate of the transform of the conjugate.
    for (size_t k = 0; k < work_.size(); ++k)
      work_[k] = std::conj(Multiply(work_[k], chirp_transform_[k]));
    inner_(work_.data());
    const double scale = 1 / static_cast<double>(work_.size());
    for (int64_t k = 0; k < length_; ++k)
      line[k] = Multiply(std::conj(work_[k]) * scale, chirp_[k]);
  }

 private:
  int64_t length_;
  bool is_direct_;
  PowerOfTwoTransform inner_;
  std::vector<complex128> work_;
  std::vector<complex128> chirp_;
  std::vector<complex128> chirp_transform_;
};

// A complex array, row-major.
struct Spectrum {
  std::vector<complex128> values;
  DimensionVector sizes;

  // Transforms along a dimension; the inverse divides by the length.
  void TransformAlong(size_t dimension, bool is_inverse) {
    const int64_t length = sizes[dimension], stride = RowMajorStrides(sizes)[dimension];
    const int64_t count = static_cast<int64_t>(values.size());
    if (count == 0) return;
    Transform transform(length);
    std::vector<complex128> line(length);
    const double scale = is_inverse ? 1 / static_cast<double>(length) : 1;
    const auto turn = [&](complex128 x) { return is_inverse ? std::conj(x) : x; };
    for (int64_t block = 0; block < count; block += length * stride) {
      for (int64_t start = block; start < block + stride; ++start) {
        for (int64_t k = 0; k < length; ++k) line[k] = turn(values[start + k * stride]);
        transform(line.data());
        for (int64_t k = 0; k < length; ++k) values[start + k * stride] = turn(line[k]) * scale;
      }
    }
  }

  // Gives the last dimension another size, where element i of each row of the result is
  // element(row, i).
  template <typename F>
  void ResizeRows(int64_t size, F&& element) {
    const int64_t old_size = sizes.back();
    const int64_t rows = old_size == 0 ? 0 : static_cast<int64_t>(values.size()) / old_size;
    std::vector<complex128> resized;
    resized.reserve(rows * size);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < size; ++i)
        resized.push_back(element(values.data() + row * old_size, i));
    }
    values = std::move(resized);
    sizes.back() = size;
  }
};

// The whole spectrum of real data of `length` elements from its first half. What could not come
// from real data is ignored.
void MirrorRows(Spectrum& spectrum, int64_t length) {
  spectrum.ResizeRows(length, [length](const complex128* row, int64_t i) {
    const complex128 value = 2 * i <= length ? row[i] : std::conj(row[length - i]);
    return i == 0 || 2 * i == length ? complex128(value.real()) : value;
  });
}

void Compute(Spectrum& spectrum, int type, int64_t axes, int64_t length) {
  const size_t rank = spectrum.sizes.size();
  const bool is_inverse = type == IFFT || type == IRFFT;
  // The dimension that is not whole is the last in the inverse.
  if (type != IRFFT) spectrum.TransformAlong(rank - 1, is_inverse);
  if (type == RFFT)
    spectrum.ResizeRows(length / 2 + 1, [](const complex128* row, int64_t i) { return row[i]; });
  for (size_t d = rank - axes; d + 1 < rank; ++d) spectrum.TransformAlong(d, is_inverse);
  if (type == IRFFT) {
    MirrorRows(spectrum, length);
    spectrum.TransformAlong(rank - 1, is_inverse);
  }
}

}  // namespace

absl::StatusOr<Value> Fft(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<FftAttributes>();
  const Literal& operand = frame.array(0);
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  if (result.element_count() == 0 || operand.element_count() == 0) return Value(std::move(result));
  const auto sizes = operand.shape().dimensions();
  Spectrum spectrum{LoadAs<complex128>(operand), DimensionVector(sizes.begin(), sizes.end())};
  Compute(spectrum, attributes.fft_type, static_cast<int64_t>(attributes.fft_length.size()),
          attributes.fft_length.back());

  const Format& format = FormatOf(instruction.shape().element_type());
  if (format.kind == Kind::kComplex) {
    format.store(spectrum.values.data(), result.element_count(), MutableData(result));
  } else {
    std::vector<double> real;
    for (const complex128& value : spectrum.values) real.push_back(value.real());
    format.store(real.data(), result.element_count(), MutableData(result));
  }
  return Value(std::move(result));
}

}  // namespace xla::eval
