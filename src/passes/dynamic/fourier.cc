// Transforms of as many elements as there are, which may be any number.
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "ir/records.h"
#include "passes/dynamic/operations.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Complex numbers in their parts.
struct Parts {
  HloInstruction *re, *im;
};

class Transform {
 public:
  explicit Transform(const SizedOperation& operation)
      : builder_(operation.instruction),
        attributes_(operation.instruction.attributes_as<FftAttributes>()),
        real_(operation.operand(0)->shape().element_type() == F64 ||
                      operation.operand(0)->shape().element_type() == C128
                  ? F64
                  : F32),
        sizes_(operation.operands[0]) {}

  SizedValue Make(HloInstruction* value) {
    const int64_t axes = static_cast<int64_t>(attributes_.fft_length.size());
    const int64_t rank = value->shape().dimensions_size();
    const int type = attributes_.fft_type;
    const bool is_inverse = type == IFFT || type == IRFFT;
    // The dimension that is not whole is the first to be transformed, and the last in the inverse.
    if (type == RFFT) value = Real(value);
    for (int64_t d = rank - axes; d + 1 < rank; ++d) value = Along(value, d, is_inverse);
    if (type == IRFFT) {
      value = Half(value);
    } else if (type != RFFT) {
      value = Along(value, rank - 1, is_inverse);
    }
    return {value, {sizes_}};
  }

 private:
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* x, HloInstruction* y) {
    return builder_.Binary(opcode, x, y);
  }
  HloInstruction* Part(HloOpcode opcode, HloInstruction* x) {
    return builder_.Add(HloInstruction::CreateUnary(
        ShapeUtil::MakeShape(real_, x->shape().dimensions()), opcode, x));
  }
  HloInstruction* Complex(const Parts& x) {
    return builder_.Add(HloInstruction::CreateBinary(
        ShapeUtil::MakeShape(real_ == F64 ? C128 : C64, x.re->shape().dimensions()),
        HloOpcode::kComplex, x.re, x.im));
  }
  Parts Times(const Parts& x, const Parts& y) {
    const auto product = [&](HloInstruction* a, HloInstruction* b) {
      return Binary(HloOpcode::kMultiply, a, b);
    };
    return {Binary(HloOpcode::kSubtract, product(x.re, y.re), product(x.im, y.im)),
            Binary(HloOpcode::kAdd, product(x.re, y.im), product(x.im, y.re))};
  }
  HloInstruction* Fixed(HloInstruction* x, int type, int64_t length) {
    auto attributes = std::make_unique<FftAttributes>();
    attributes->fft_type = type;
    attributes->fft_length = {length};
    return builder_.Add(
        HloInstruction::Create(HloOpcode::kFft, x->shape(), {x}, std::move(attributes)));
  }
  HloInstruction* WithColumns(HloInstruction* x, int64_t columns) {
    const Shape& shape = x->shape();
    const int last = shape.dimensions_size() - 1;
    Shape changed = shape;
    changed.set_dimensions(last, columns);
    PaddingConfig padding;
    for (int d = 0; d <= last; ++d) padding.add_dimensions();
    padding.mutable_dimensions(last)->set_edge_padding_high(columns - shape.dimensions(last));
    return builder_.Add(HloInstruction::CreatePad(
        changed, x, builder_.Constant(LiteralUtil::Zero(shape.element_type())), padding));
  }

  // Of real numbers, the first half of the transform.
  HloInstruction* Real(HloInstruction* x) {
    const int64_t last = x->shape().dimensions_size() - 1;
    const int64_t kept = x->shape().dimensions(static_cast<int>(last)) / 2 + 1;
    HloInstruction* whole = Along(
        Complex({x, builder_.Broadcast(builder_.Number(real_, 0), x->shape().dimensions())}), last,
        /*is_inverse=*/false);
    if (sizes_[last] != nullptr) sizes_[last] = builder_.Plus(builder_.Over(sizes_[last], 2), 1);
    return WithColumns(whole, kept);
  }

  // Back from that half: numbers between the first and the middle one stand for two.
  HloInstruction* Half(HloInstruction* x) {
    const int64_t last = x->shape().dimensions_size() - 1;
    const int64_t length = attributes_.fft_length.back();
    if (sizes_[last] != nullptr) {
      HloInstruction* half = sizes_[last];
      HloInstruction* whole = builder_.Plus(builder_.Times(builder_.Plus(half, -1), 2), length % 2);
      whole = builder_.Select(
          builder_.Compare(ComparisonDirection::kEq, half, builder_.Size(length / 2 + 1)),
          builder_.Size(length), whole);
      sizes_[last] = builder_.Clamp(whole, length);
    }
    x = WithColumns(x, length);
    const auto bounds = x->shape().dimensions();
    HloInstruction* size = builder_.Broadcast(builder_.SizeOf(*x, sizes_, last), bounds);
    HloInstruction* number = builder_.Iota(S32, bounds, last);
    HloInstruction* twice = Binary(HloOpcode::kAdd, number, number);
    HloInstruction* zero = builder_.Broadcast(builder_.Number(real_, 0), bounds);
    HloInstruction* one = builder_.Broadcast(builder_.Number(real_, 1), bounds);
    HloInstruction* is_first = builder_.Compare(ComparisonDirection::kEq, number,
                                                builder_.Broadcast(builder_.Size(0), bounds));
    HloInstruction* is_single =
        Binary(HloOpcode::kOr, is_first, builder_.Compare(ComparisonDirection::kEq, twice, size));
    HloInstruction* is_half = builder_.Compare(ComparisonDirection::kLe, twice, size);
    HloInstruction* weight = builder_.Select(
        is_half, builder_.Select(is_single, one, Binary(HloOpcode::kAdd, one, one)), zero);
    const Parts weighted = {
        builder_.Select(is_half, Binary(HloOpcode::kMultiply, Part(HloOpcode::kReal, x), weight),
                        zero),
        builder_.Select(
            is_half,
            builder_.Select(is_single, zero,
                            Binary(HloOpcode::kMultiply, Part(HloOpcode::kImag, x), weight)),
            zero)};
    return Part(HloOpcode::kReal, Along(Complex(weighted), last, /*is_inverse=*/true));
  }

  // Of complex numbers, along any dimension.
  HloInstruction* Along(HloInstruction* x, int64_t dimension, bool is_inverse) {
    std::vector<int64_t> order = AllDimensions(x->shape().dimensions_size());
    std::swap(order[dimension], order.back());
    x = builder_.Transpose(x, order);
    const int64_t length = x->shape().dimensions().back();
    x = sizes_[dimension] == nullptr ? Fixed(x, is_inverse ? IFFT : FFT, length)
                                     : Sized(x, sizes_[dimension], is_inverse);
    return builder_.Transpose(x, order);
  }

  // Bluestein's method, with a chirp for the number of elements that there are: with j k = (j^2 +
  // k^2 - (j - k)^2) / 2 the transform is a convolution, which transforms of a fixed length
  // compute.
  HloInstruction* Sized(HloInstruction* x, HloInstruction* size, bool is_inverse) {
    const int64_t bound = x->shape().dimensions().back();
    int64_t inner = 1;
    while (inner < 2 * bound - 1) inner *= 2;
    const int64_t last = x->shape().dimensions_size() - 1;
    const Parts chirp = Chirp(bound, size, builder_.Iota(S64, {bound}, 0));
    // Its conjugate, of which negative numbers lie at the end.
    HloInstruction* number = builder_.Iota(S64, {inner}, 0);
    HloInstruction* mirrored = Binary(
        HloOpcode::kSubtract,
        builder_.Broadcast(builder_.Number(S64, static_cast<double>(inner)), {inner}), number);
    const Parts around = Chirp(inner, size, Binary(HloOpcode::kMinimum, number, mirrored));
    HloInstruction* spectrum =
        Fixed(Complex({around.re, builder_.Unary(HloOpcode::kNegate, around.im)}), FFT, inner);

    const auto stretched = [&](HloInstruction* row, const Shape& shape) {
      return builder_.Broadcast(row, shape.dimensions(), {last});
    };
    const auto turned = [&](const Parts& value, const Shape& shape) {
      return Times(value, {stretched(chirp.re, shape), stretched(chirp.im, shape)});
    };
    const auto conjugate = [&](Parts value) {
      if (is_inverse) value.im = builder_.Unary(HloOpcode::kNegate, value.im);
      return value;
    };
    ArraySizes sizes(x->shape().dimensions_size());
    sizes[last] = size;
    x = builder_.MaskWithZero(x, sizes, {last});
    Parts value = conjugate({Part(HloOpcode::kReal, x), Part(HloOpcode::kImag, x)});
    HloInstruction* transformed =
        Fixed(WithColumns(Complex(turned(value, x->shape())), inner), FFT, inner);
    HloInstruction* product =
        Binary(HloOpcode::kMultiply, transformed, stretched(spectrum, transformed->shape()));
    HloInstruction* convolved = WithColumns(Fixed(product, IFFT, inner), bound);
    value = conjugate(turned({Part(HloOpcode::kReal, convolved), Part(HloOpcode::kImag, convolved)},
                             convolved->shape()));
    if (is_inverse) {
      HloInstruction* count = builder_.Convert(size, real_);
      value.re = Binary(HloOpcode::kDivide, value.re, count);
      value.im = Binary(HloOpcode::kDivide, value.im, count);
    }
    return Complex(value);
  }

  // exp(-pi i number^2 / size) where number < size, else zero.
  Parts Chirp(int64_t length, HloInstruction* size, HloInstruction* number) {
    const std::vector<int64_t> bounds = {length};
    HloInstruction* count = builder_.Broadcast(
        builder_.Convert(Binary(HloOpcode::kMaximum, size, builder_.Size(1)), S64), bounds);
    HloInstruction* square =
        Binary(HloOpcode::kRemainder, Binary(HloOpcode::kMultiply, number, number),
               Binary(HloOpcode::kAdd, count, count));
    HloInstruction* angle = Binary(
        HloOpcode::kMultiply,
        Binary(HloOpcode::kDivide, builder_.Convert(square, F64), builder_.Convert(count, F64)),
        builder_.Number(F64, -std::numbers::pi));
    HloInstruction* inside = builder_.Compare(ComparisonDirection::kLt, number, count);
    HloInstruction* zero = builder_.Broadcast(builder_.Number(real_, 0), bounds);
    const auto part = [&](HloOpcode opcode) {
      return builder_.Select(inside, builder_.Convert(builder_.Unary(opcode, angle), real_), zero);
    };
    return {part(HloOpcode::kCos), part(HloOpcode::kSin)};
  }

  SizeBuilder builder_;
  const FftAttributes& attributes_;
  const PrimitiveType real_;
  ArraySizes sizes_;
};

}  // namespace

absl::StatusOr<SizedValue> ResolveFft(const SizedOperation& operation) {
  const ArraySizes& sizes = operation.operands[0];
  const size_t axes = operation.instruction.attributes_as<FftAttributes>().fft_length.size();
  for (size_t d = sizes.size() - axes; d < sizes.size(); ++d) {
    if (sizes[d] != nullptr) return Transform(operation).Make(operation.operand(0));
  }
  return SizedValue{&operation.instruction, {sizes}};
}

}  // namespace xla::passes
