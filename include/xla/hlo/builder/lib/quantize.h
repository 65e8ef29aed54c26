// Numbers of 8 or 16 bits, packed into words of 32.
#ifndef XLA_HLO_BUILDER_LIB_QUANTIZE_H_
#define XLA_HLO_BUILDER_LIB_QUANTIZE_H_

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tsl/platform/bfloat16.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/types.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

// What the least and the largest quantized number stand for.
struct QuantizedRange {
  QuantizedRange() = default;
  QuantizedRange(float min_in, float max_in) : min(min_in), max(max_in) {}

  bool operator==(const QuantizedRange& other) const {
    return min == other.min && max == other.max;
  }
  bool operator!=(const QuantizedRange& other) const { return !(*this == other); }

  tsl::bfloat16 min = tsl::bfloat16(0.0f);
  tsl::bfloat16 max = tsl::bfloat16(0.0f);
};

// The integers in words, the first one in the highest bits; the last word is filled up with zeros.
template <typename T>
std::vector<uint32_t> PackToUint32(absl::Span<const T> input) {
  static_assert(std::is_integral<T>::value && sizeof(T) <= 4, "integers of up to 32 bits");
  constexpr size_t kInWord = 4 / sizeof(T);
  std::vector<uint32_t> words((input.size() + kInWord - 1) / kInWord, 0);
  for (size_t i = 0; i < input.size(); ++i) {
    const size_t place = kInWord - 1 - i % kInWord;
    const uint32_t bits = static_cast<typename std::make_unsigned<T>::type>(input[i]);
    words[i / kInWord] |= bits << (8 * sizeof(T) * place);
  }
  return words;
}

// The numbers of type T packed in U32 [d_0, ..., d_n], as BF16 [d_0, ..., d_n * (4 / sizeof(T))]:
//   (number + offset) * (max - min) / (largest T - least T) + min
// in BF16, where the offset is 0 for unsigned and half the range, 2^(bits - 1), for signed types.
// With `transpose_output` the dimensions of the result are in reverse order. The only mode is
// "MIN_COMBINED". InvalidArgument for another mode, and unless the input has U32 and a rank of at
// least 1.
template <typename T>
XlaOp Dequantize(XlaOp input, const QuantizedRange& range,
                 absl::string_view mode_string = "MIN_COMBINED", bool transpose_output = false) {
  static_assert(std::is_integral<T>::value && sizeof(T) <= 2, "integers of 8 or 16 bits");
  constexpr int64_t kInWord = 4 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kBits = 8 * static_cast<int64_t>(sizeof(T));
  XlaBuilder* const builder = input.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    const absl::StatusOr<Shape> shape = builder->GetShape(input);
    if (!shape.ok()) return shape.status();
    if (!shape->IsArray() || shape->element_type() != U32 || shape->dimensions_size() == 0) {
      return InvalidArgument("dequantize: the input is %s, no array of U32", shape->ToString());
    }
    if (mode_string != "MIN_COMBINED") {
      return InvalidArgument("dequantize: there is no mode %s, only MIN_COMBINED",
                             std::string(mode_string));
    }
    // One more dimension, for the numbers of a word.
    const int64_t rank = shape->dimensions_size();
    std::vector<int64_t> unpacked(shape->dimensions().begin(), shape->dimensions().end());
    std::vector<int64_t> dimensions(rank);
    std::iota(dimensions.begin(), dimensions.end(), 0);
    unpacked.push_back(kInWord);
    // The number to the top of the word, then down again, with copies of the sign if it has one.
    std::vector<uint32_t> shifts;
    for (int64_t i = 0; i < kInWord; ++i) shifts.push_back(static_cast<uint32_t>(i * kBits));
    const XlaOp words =
        ShiftLeft(BroadcastInDim(input, unpacked, dimensions),
                  BroadcastInDim(ConstantR1<uint32_t>(builder, shifts), unpacked, {rank}));
    XlaOp numbers;
    if (std::is_signed<T>::value) {
      numbers = ShiftRightArithmetic(BitcastConvertType(words, S32),
                                     ConstantR0<int32_t>(builder, 32 - kBits));
    } else {
      numbers = ShiftRightLogical(words, ConstantR0<uint32_t>(builder, 32 - kBits));
    }
    const float numbers_of_t = static_cast<float>(std::numeric_limits<T>::max()) -
                               static_cast<float>(std::numeric_limits<T>::min());
    const tsl::bfloat16 scale = (range.max - range.min) / static_cast<tsl::bfloat16>(numbers_of_t);
    const tsl::bfloat16 offset(std::is_signed<T>::value ? (numbers_of_t + 1) / 2 : 0.0f);
    const XlaOp shifted =
        ConvertElementType(numbers, BF16) + ConstantR0<tsl::bfloat16>(builder, offset);
    const XlaOp result = shifted * ConstantR0<tsl::bfloat16>(builder, scale) +
                         ConstantR0<tsl::bfloat16>(builder, range.min);
    const XlaOp joined = Collapse(result, {rank - 1, rank});
    if (!transpose_output) return joined;
    return Transpose(joined, std::vector<int64_t>(dimensions.rbegin(), dimensions.rend()));
  });
}

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_QUANTIZE_H_
