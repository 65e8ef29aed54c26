#include "xla/text_literal_writer.h"

#include <fstream>
#include <string>

#include "absl/strings/str_join.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

absl::Status TextLiteralWriter::WriteToPath(const LiteralSlice& literal, absl::string_view path) {
  if (!literal.shape().IsArray() || !literal.IsKnown()) {
    return InvalidArgument("A literal of shape %s has no elements to write",
                           ShapeUtil::HumanString(literal.shape()));
  }
  std::ofstream file{std::string(path)};
  file << ShapeUtil::HumanString(literal.shape()) << "\n";
  literal.EachCellAsString([&](absl::Span<const int64_t> index, const std::string& value) {
    file << "(" << absl::StrJoin(index, ", ") << "): " << value << "\n";
  });
  file.close();
  if (!file) return Unavailable("Cannot write %s", path);
  return absl::OkStatus();
}

}  // namespace xla
