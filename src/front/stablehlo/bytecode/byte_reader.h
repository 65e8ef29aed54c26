// The numbers of MLIR bytecode.
#ifndef HILO_FRONT_STABLEHLO_BYTECODE_BYTE_READER_H_
#define HILO_FRONT_STABLEHLO_BYTECODE_BYTE_READER_H_

#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"

namespace xla::stablehlo {

// Reads up to the end of `bytes`. What is not there reads as zero, and ok() is false from then on.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes)
      : cursor_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  // Everything was read, and nothing more.
  bool Complete() const { return ok_ && AtEnd(); }
  bool AtEnd() const { return cursor_ == end_; }
  const char* position() const { return cursor_; }

  uint8_t Byte() {
    if (AtEnd()) return Fail();
    return static_cast<uint8_t>(*cursor_++);
  }
  // As many zero bits as the first byte ends in, so many bytes follow it.
  uint64_t Varint() {
    const uint8_t first = Byte();
    if (first & 1) return first >> 1;
    return LongVarint(first);
  }
  // Zigzag: 0, -1, 1, -2, ...
  int64_t SignedVarint() {
    const uint64_t value = Varint();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  struct Flagged {
    uint64_t value;
    bool flag;
  };
  Flagged FlaggedVarint() {
    const uint64_t value = Varint();
    return {value >> 1, (value & 1) != 0};
  }
  // A number of things that take at least a byte each, so that there cannot be more than are left.
  uint64_t Count() { return Within(Varint()); }
  absl::string_view Bytes(uint64_t size) {
    if (size > Left()) return Fail(), absl::string_view();
    const absl::string_view bytes(cursor_, size);
    cursor_ += size;
    return bytes;
  }
  // Bytes with their number before them.
  absl::string_view Blob() { return Bytes(Varint()); }
  // A count that was read otherwise; 0 if it is more than what is left.
  uint64_t Within(uint64_t count) { return count <= Left() ? count : Fail(); }
  uint8_t Fail() {
    ok_ = false;
    cursor_ = end_;
    return 0;
  }

 private:
  uint64_t Left() const { return end_ - cursor_; }
  uint64_t LongVarint(uint8_t first);

  const char* cursor_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_BYTECODE_BYTE_READER_H_
