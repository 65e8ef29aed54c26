#include "xla/packed_literal_reader.h"

#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

PackedLiteralReader::PackedLiteralReader(std::unique_ptr<tsl::RandomAccessFile> file)
    : file_(std::move(file)) {}

absl::StatusOr<Literal> PackedLiteralReader::Read(const Shape& shape, const Layout* layout) {
  if (!shape.IsArray() || shape.element_type() != F32) {
    return Unimplemented("Packed literals have shapes of f32, not %s",
                         ShapeUtil::HumanString(shape));
  }
  Shape with_layout = shape;
  if (layout != nullptr) *with_layout.mutable_layout() = *layout;
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(with_layout));
  const int64_t bytes = literal.size_bytes();
  if (bytes == 0) return literal;
  char* buffer = static_cast<char*>(literal.untyped_data());
  absl::string_view read;
  HILO_RETURN_IF_ERROR(file_->Read(offset_, bytes, &read, buffer));
  if (static_cast<int64_t>(read.size()) != bytes) {
    return absl::OutOfRangeError(absl::StrFormat("%d bytes are left of the %d that %s takes",
                                                 read.size(), bytes,
                                                 ShapeUtil::HumanString(shape)));
  }
  if (read.data() != buffer) std::memcpy(buffer, read.data(), bytes);
  offset_ += bytes;
  return literal;
}

bool PackedLiteralReader::IsExhausted() const {
  char byte;
  absl::string_view read;
  file_->Read(offset_, 1, &read, &byte).IgnoreError();
  return read.empty();
}

}  // namespace xla
