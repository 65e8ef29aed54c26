#include "tools/literal_display.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/shape.h"

namespace xla {
namespace {

constexpr int64_t kShownWhole = 10;
constexpr int64_t kShownAtEdges = 3;

// The values from dimension `index->size()` on, below the position `index`.
void AppendValues(const Literal& literal, std::vector<int64_t>* index, std::string* text) {
  const Shape& shape = literal.shape();
  const size_t dimension = index->size();
  if (dimension == static_cast<size_t>(shape.dimensions_size())) {
    text->append(literal.GetAsString(*index));
    return;
  }
  const bool is_row = dimension + 1 == static_cast<size_t>(shape.dimensions_size());
  const int64_t size = literal.GetDynamicSize(static_cast<int64_t>(dimension));
  const std::string separator =
      is_row ? ", " : absl::StrCat(",\n", std::string(dimension + 3, ' '));
  text->push_back('{');
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0) text->append(separator);
    if (size > kShownWhole && i == kShownAtEdges) {
      text->append("...");
      i = size - kShownAtEdges - 1;
      continue;
    }
    index->push_back(i);
    AppendValues(literal, index, text);
    index->pop_back();
  }
  text->push_back('}');
}

}  // namespace

std::string ShortenedText(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (!shape.IsArray()) return WholeText(literal);
  std::string text = absl::StrCat(shape.ToString(), shape.dimensions_size() > 1 ? "\n  " : " ");
  std::vector<int64_t> index;
  AppendValues(literal, &index, &text);
  return text;
}

std::string WholeText(const Literal& literal) { return literal.ToStringOneline(); }

}  // namespace xla
