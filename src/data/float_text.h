// The text of array elements: what HLO text has between the braces of a literal.
#ifndef HILO_DATA_FLOAT_TEXT_H_
#define HILO_DATA_FLOAT_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Appends an element of any array type. Floating-point numbers have as many digits as it takes to
// read the same value back; a NaN that is not the plain quiet one shows its mantissa bits,
// nan(0x1). bool is 1 or 0.
template <typename NativeT>
void AppendElement(NativeT value, std::string* out);

template <typename NativeT>
std::string FormatElement(NativeT value) {
  std::string result;
  AppendElement(value, &result);
  return result;
}

// Reads an element of type NativeT from the whole of `text`: decimal numbers; for floating point
// also inf, nan and nan(0xBITS) with an optional minus sign; for bool true, false, 1, 0; for
// complex (re, im). Numbers round to nearest. InvalidArgument when the text is no such number or a
// finite number lies outside of the type's finite range (u64 also takes negative int64 values for
// their bits).
template <typename NativeT>
absl::StatusOr<NativeT> ParseElement(absl::string_view text);

// The same with the type as a value: stores the element at `element`.
absl::Status ParseElement(PrimitiveType type, absl::string_view text, void* element);

// Rounds once, to nearest with ties to even, where a cast of double would go by way of float.
half RoundToHalf(double value);
bfloat16 RoundToBfloat16(double value);

}  // namespace xla

#endif  // HILO_DATA_FLOAT_TEXT_H_
