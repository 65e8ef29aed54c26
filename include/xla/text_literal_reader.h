// Literals from text files.
#ifndef XLA_TEXT_LITERAL_READER_H_
#define XLA_TEXT_LITERAL_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace xla {

class TextLiteralReader {
 public:
  TextLiteralReader() = delete;

  // Reads what TextLiteralWriter writes: a shape, then elements in any order. Empty lines and what
  // follows a '#' do not count. Elements of which the file says nothing are NaN, or 0 where the
  // type has no NaN. InvalidArgument, with the line, for anything else; NotFound without such a
  // file.
  static absl::StatusOr<Literal> ReadPath(absl::string_view path);
};

}  // namespace xla

#endif  // XLA_TEXT_LITERAL_READER_H_
