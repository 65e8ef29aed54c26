#include "front/stablehlo/bytecode/byte_reader.h"

#include "absl/numeric/bits.h"

namespace xla::stablehlo {

uint64_t ByteReader::LongVarint(uint8_t first) {
  if (!ok_) return 0;
  // A first byte 0 says nothing of the value, which is the next 8 bytes.
  const int more = first == 0 ? 8 : absl::countr_zero(first);
  const absl::string_view bytes = Bytes(more);
  if (!ok_) return 0;
  uint64_t value = 0;
  for (int i = more - 1; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return first == 0 ? value : (value << 8 | first) >> (more + 1);
}

}  // namespace xla::stablehlo
