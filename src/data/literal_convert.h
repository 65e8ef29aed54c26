// Conversion of elements between types.
#ifndef HILO_DATA_LITERAL_CONVERT_H_
#define HILO_DATA_LITERAL_CONVERT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Converts `count` elements as the operation convert does (see LiteralBase::Convert). The types
// must be array types, and not complex to real.
void ConvertElements(PrimitiveType from, const void* source, PrimitiveType to, void* destination,
                     int64_t count);

// Between elements of `bits` (less than 8) bits, one per byte, and a stream of bits without gaps,
// the first element lowest. The stream has (count * bits + 7) / 8 bytes.
std::string PackBits(const char* elements, int64_t count, int64_t bits);
void UnpackBits(absl::string_view stream, int64_t count, int64_t bits, char* elements);

}  // namespace xla

#endif  // HILO_DATA_LITERAL_CONVERT_H_
