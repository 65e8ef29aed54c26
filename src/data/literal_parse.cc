#include "data/literal_parse.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/float_text.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

class ValueReader {
 public:
  explicit ValueReader(absl::string_view* text) : text_(*text) {}

  absl::StatusOr<Literal> Read(const Shape& shape) {
    if (shape.IsTuple()) return ReadTuple(shape);
    if (!shape.IsArray())
      return InvalidArgument("Shape %s has no values", ShapeUtil::HumanString(shape));
    Shape row_major = shape;
    LayoutUtil::SetToDefaultLayout(&row_major);
    HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(row_major));
    HILO_RETURN_IF_ERROR(primitive_util::ArrayTypeSwitch(
        [&](auto constant) {
          using NativeT = primitive_util::NativeTypeOf<constant>;
          NativeT* next = literal.data<NativeT>().data();
          return ReadDimension(literal.shape().dimensions(), next);
        },
        shape.element_type()));
    if (!shape.has_layout() || LayoutUtil::HasDescendingLayout(shape.layout())) {
      if (shape.has_layout()) *literal.mutable_shape_do_not_use() = shape;
      return literal;
    }
    return literal.Relayout(shape);
  }

 private:
  absl::StatusOr<Literal> ReadTuple(const Shape& shape) {
    std::vector<Literal> elements;
    HILO_RETURN_IF_ERROR(Expect('('));
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      if (i > 0) HILO_RETURN_IF_ERROR(Expect(','));
      HILO_ASSIGN_OR_RETURN(elements.emplace_back(), Read(shape.tuple_shapes(i)));
    }
    HILO_RETURN_IF_ERROR(Expect(')'));
    return Literal::MoveIntoTuple(absl::MakeSpan(elements));
  }

  template <typename NativeT>
  absl::Status ReadDimension(absl::Span<const int64_t> dimensions, NativeT*& next) {
    if (dimensions.empty()) {
      HILO_ASSIGN_OR_RETURN(*next++, ParseElement<NativeT>(NextValue()));
      text_.remove_prefix(value_size_);
      return absl::OkStatus();
    }
    HILO_RETURN_IF_ERROR(Expect('{'));
    for (int64_t i = 0; i < dimensions[0]; ++i) {
      SkipBlanks();
      if (i > 0 && !TryConsume(',')) return WrongCount(dimensions[0], i);
      SkipBlanks();
      if (absl::StartsWith(text_, "}")) return WrongCount(dimensions[0], i);
      HILO_RETURN_IF_ERROR(ReadDimension(dimensions.subspan(1), next));
    }
    SkipBlanks();
    if (absl::StartsWith(text_, ","))
      return InvalidArgument("More than %d elements in a dimension", dimensions[0]);
    return Expect('}');
  }

  absl::Status WrongCount(int64_t wanted, int64_t found) {
    return InvalidArgument("A dimension of %d elements has only %d", wanted, found);
  }

  // The text up to the next separator; it stays in front until it is known to be good.
  absl::string_view NextValue() {
    SkipBlanks();
    int depth = 0;
    for (value_size_ = 0; value_size_ < text_.size(); ++value_size_) {
      const char c = text_[value_size_];
      if (depth == 0 && (c == ',' || c == '}' || c == ')' || c == '/' || absl::ascii_isspace(c)))
        break;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return text_.substr(0, value_size_);
  }

  void SkipBlanks() {
    while (!text_.empty()) {
      if (absl::ascii_isspace(text_[0])) {
        text_.remove_prefix(1);
      } else if (absl::StartsWith(text_, "/*")) {
        const size_t end = text_.find("*/", 2);
        text_.remove_prefix(end == absl::string_view::npos ? text_.size() : end + 2);
      } else if (absl::StartsWith(text_, "//")) {
        const size_t end = text_.find('\n');
        text_.remove_prefix(end == absl::string_view::npos ? text_.size() : end + 1);
      } else {
        return;
      }
    }
  }

  bool TryConsume(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  absl::Status Expect(char c) {
    SkipBlanks();
    if (TryConsume(c)) return absl::OkStatus();
    return InvalidArgument("'%c' expected, found '%s'", c, text_.substr(0, 20));
  }

  absl::string_view& text_;
  size_t value_size_ = 0;
};

}  // namespace

absl::StatusOr<Literal> ParseLiteralValues(absl::string_view* text, const Shape& shape) {
  return ValueReader(text).Read(shape);
}

}  // namespace xla
