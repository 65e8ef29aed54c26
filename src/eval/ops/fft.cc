// Fourier transforms of any length over the innermost dimensions.
#include <cmath>
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/walk.h"
#include "eval/wide_array.h"
#include "ir/records.h"
#include "xla/xla_data.pb.h"

namespace xla::eval {
namespace {

using Vector = std::vector<complex128>;

// e^(sign * 2 pi i k / n) for k from 0 to n - 1.
Vector RootsOfUnity(int64_t n, int sign) {
  Vector roots(n);
  for (int64_t k = 0; k < n; ++k) {
    const double angle = sign * 2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

// The transform of x[0], x[stride], ... `roots` are those of the whole length, which is a multiple of n. Even lengths
// are halved (Cooley and Tukey), odd ones are summed up directly.
void Transform(const complex128* x, int64_t stride, int64_t n, const Vector& roots, complex128* result) {
  const int64_t length = static_cast<int64_t>(roots.size());
  if (n % 2 != 0) {
    for (int64_t k = 0; k < n; ++k) {
      complex128 sum = 0;
      for (int64_t j = 0; j < n; ++j) sum = MultiplyAdd(sum, x[j * stride], roots[j * k % n * (length / n)]);
      result[k] = sum;
    }
    return;
  }
  const int64_t half = n / 2;
  Transform(x, 2 * stride, half, roots, result);
  Transform(x + stride, 2 * stride, half, roots, result + half);
  for (int64_t k = 0; k < half; ++k) {
    const complex128 even = result[k], odd = result[half + k];
    const complex128 root = roots[k * (length / n)];
    result[k] = MultiplyAdd(even, odd, root);
    result[half + k] = MultiplyAdd(even, odd, -root);
  }
}

// An array of complex numbers that is transformed one dimension after the other.
class Transformer {
 public:
  Transformer(Vector values, absl::Span<const int64_t> sizes)
      : values_(std::move(values)), sizes_(sizes.begin(), sizes.end()) {}

  // Lines of `length` elements go in; they are taken from or extended out of the array's lines by `read`.
  void TransformDimension(int64_t dimension, int64_t length, bool inverse, int64_t result_length) {
    const Vector roots = RootsOfUnity(length, inverse ? 1 : -1);
    DimensionVector result_sizes = sizes_;
    result_sizes[dimension] = result_length;
    const DimensionVector strides = RowMajorStrides(sizes_), result_strides = RowMajorStrides(result_sizes);
    int64_t count = 1;
    for (int64_t size : result_sizes) count *= size;
    Vector result(count);
    DimensionVector lines = sizes_;
    lines[dimension] = 1;
    Vector line(length), transformed(length);
    for (Walk<2> at(lines, {strides, result_strides}); !at.done() && length > 0; at.Next()) {
      ReadLine(values_.data() + at[0], strides[dimension], sizes_[dimension], line);
      Transform(line.data(), 1, length, roots, transformed.data());
      const double scale = inverse ? static_cast<double>(length) : 1;
      for (int64_t k = 0; k < result_length; ++k) result[at[1] + k * result_strides[dimension]] = transformed[k] / scale;
    }
    values_ = std::move(result);
    sizes_ = result_sizes;
  }

  const Vector& values() const { return values_; }

 private:
  // A line that has only the first half of a symmetric spectrum is completed.
  static void ReadLine(const complex128* from, int64_t stride, int64_t size, Vector& line) {
    const int64_t length = static_cast<int64_t>(line.size());
    for (int64_t k = 0; k < length; ++k) {
      const bool mirrored = k >= size;
      const int64_t source = mirrored ? length - k : k;
      const complex128 value = source < size ? from[source * stride] : 0;
      line[k] = mirrored ? std::conj(value) : value;
    }
  }

  Vector values_;
  DimensionVector sizes_;
};

}  // namespace

// The transform of real numbers leaves out the conjugate half of the last dimension, which is done first; its inverse
// fills it in and does it last.
absl::StatusOr<Value> Fft(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<FftAttributes>();
  const auto& lengths = attributes.fft_length;
  const int64_t rank = instruction.shape().dimensions_size();
  const int64_t last = rank - 1, first = rank - static_cast<int64_t>(lengths.size());
  const bool inverse = attributes.fft_type == IFFT || attributes.fft_type == IRFFT;
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  if (result.element_count() == 0 || frame.array(0).element_count() == 0) return Value(std::move(result));

  Transformer transformer(LoadAs<complex128>(frame.array(0)), frame.array(0).shape().dimensions());
  const auto transform = [&](int64_t d) {
    const int64_t result_length = instruction.shape().dimensions(static_cast<int>(d));
    transformer.TransformDimension(d, lengths[d - first], inverse, result_length);
  };
  if (attributes.fft_type != IRFFT) transform(last);
  for (int64_t d = last - 1; d >= first; --d) transform(d);
  if (attributes.fft_type == IRFFT) transform(last);

  const Format& format = FormatOf(instruction.shape().element_type());
  const int64_t count = result.element_count();
  if (format.kind == Kind::kComplex) {
    format.store(transformer.values().data(), count, MutableData(result));
  } else {
    std::vector<double> real(count);
    for (int64_t i = 0; i < count; ++i) real[i] = transformer.values()[i].real();
    format.store(real.data(), count, MutableData(result));
  }
  return Value(std::move(result));
}

}  // namespace xla::eval
