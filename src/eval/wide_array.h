// Whole arrays in wide types, for operations that multiply and add.
#ifndef HILO_EVAL_WIDE_ARRAY_H_
#define HILO_EVAL_WIDE_ARRAY_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/literal_convert.h"
#include "data/strided_copy.h"
#include "eval/element.h"
#include "eval/value.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::eval {

// All elements in row-major order, as elements of another kind where need be: integers to wider
// kinds, real to complex.
template <typename Wide>
std::vector<Wide> LoadAs(const Literal& array) {
  const Format& format = FormatOf(array.shape().element_type());
  const int64_t count = array.element_count();
  std::vector<Wide> result(count);
  if (count == 0) return result;
  if (format.kind == kKindOf<Wide>) {
    format.load(Data(array), 1, count, result.data());
    return result;
  }
  KindSwitch(
      [&](auto from) {
        using From = decltype(from);
        if constexpr (std::is_convertible_v<From, Wide>) {
          Lanes lanes;
          for (int64_t first = 0; first < count; first += kLanes) {
            const int64_t size = std::min(kLanes, count - first);
            format.load(Data(array) + first * format.bytes, 1, size, lanes.bytes);
            const From* values = reinterpret_cast<const From*>(lanes.bytes);
            for (int64_t i = 0; i < size; ++i) result[first + i] = static_cast<Wide>(values[i]);
          }
        }
      },
      format.kind);
  return result;
}

// The kind to compute a product with: that of the result, or a wider one where an operand needs it.
// Unimplemented when the result cannot hold it.
absl::StatusOr<Kind> ProductKind(const HloInstruction& instruction);

// Rounds values to an array's type and writes them, one after the other. Complex values need a
// complex type.
template <typename Wide>
void StoreFrom(const std::vector<Wide>& values, Literal& array) {
  const Format& format = FormatOf(array.shape().element_type());
  const int64_t count = static_cast<int64_t>(values.size());
  if (format.kind == kKindOf<Wide>) {
    format.store(values.data(), count, MutableData(array));
  } else {
    ConvertElements(std::is_same_v<Wide, double> ? F64 : C128, values.data(), format.type,
                    MutableData(array), count);
  }
}

// Rounds sums of products in place where the operands are real and the result is not: they are sums
// in the operands' type then.
void RoundProducts(const HloInstruction& instruction, std::vector<double>& values);
template <typename Wide>
void RoundProducts(const HloInstruction&, std::vector<Wide>&) {}

// The elements of a box, one after the other: element i is at the sum of i * strides.
template <typename Wide>
std::vector<Wide> Pack(const std::vector<Wide>& array, absl::Span<const int64_t> sizes,
                       absl::Span<const int64_t> strides) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  std::vector<Wide> result(count);
  CopyStrided(sizeof(Wide), sizes, reinterpret_cast<const char*>(array.data()), strides,
              reinterpret_cast<char*>(result.data()), RowMajorStrides(sizes));
  return result;
}

// Multiply-add without the checks for infinities that complex multiplication has, and without
// overflow for integers.
template <typename Wide>
Wide MultiplyAdd(Wide sum, Wide x, Wide y) {
  if constexpr (std::is_same_v<Wide, complex128>) {
    return {sum.real() + (x.real() * y.real() - x.imag() * y.imag()),
            sum.imag() + (x.real() * y.imag() + x.imag() * y.real())};
  } else if constexpr (std::is_same_v<Wide, int64_t>) {
    return static_cast<int64_t>(static_cast<uint64_t>(sum) +
                                static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  } else {
    return sum + x * y;
  }
}

// sums[j] += x * row[j]
template <typename Wide>
void AddScaledRow(Wide x, const Wide* row, int64_t count, Wide* sums) {
  for (int64_t j = 0; j < count; ++j) sums[j] = MultiplyAdd(sums[j], x, row[j]);
}

}  // namespace xla::eval

#endif  // HILO_EVAL_WIDE_ARRAY_H_
