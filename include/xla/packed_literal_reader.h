// Literals from files that hold nothing but elements.
#ifndef XLA_PACKED_LITERAL_READER_H_
#define XLA_PACKED_LITERAL_READER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/tsl/platform/file_system.h"

namespace xla {

// Reads one array of F32 after the other. The file has the elements in the order of the layout,
// little-endian.
class PackedLiteralReader {
 public:
  explicit PackedLiteralReader(std::unique_ptr<tsl::RandomAccessFile> file);
  // Of a file that is the reader's own from now on.
  explicit PackedLiteralReader(tsl::RandomAccessFile* file)
      : PackedLiteralReader(std::unique_ptr<tsl::RandomAccessFile>(file)) {}

  // The next elements, as many as the shape has. The layout is that of the shape, or the default,
  // unless one is given. Unimplemented for other element types; an error says when the file ends.
  absl::StatusOr<Literal> Read(const Shape& shape, const Layout* layout = nullptr);
  // Whether nothing is left to read.
  bool IsExhausted() const;

 private:
  std::unique_ptr<tsl::RandomAccessFile> file_;
  uint64_t offset_ = 0;
};

}  // namespace xla

#endif  // XLA_PACKED_LITERAL_READER_H_
