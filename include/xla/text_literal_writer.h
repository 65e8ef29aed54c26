// Literals as text files.
#ifndef XLA_TEXT_LITERAL_WRITER_H_
#define XLA_TEXT_LITERAL_WRITER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace xla {

class TextLiteralWriter {
 public:
  TextLiteralWriter() = delete;

  // Writes the shape and, for each element in row-major order, a line "(1, 0): 2.5".
  // InvalidArgument for literals that are no arrays; an error says when the file cannot be written.
  static absl::Status WriteToPath(const LiteralSlice& literal, absl::string_view path);
};

}  // namespace xla

#endif  // XLA_TEXT_LITERAL_WRITER_H_
