#include "xla/text_literal_reader.h"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "data/literal_parse.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/index_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// "(1, 0): 2.5"
absl::Status ReadTextElement(absl::string_view line, Literal& literal) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  absl::string_view inside = absl::StripAsciiWhitespace(parts.first);
  if (!absl::ConsumePrefix(&inside, "(") || !absl::ConsumeSuffix(&inside, ")")) {
    return InvalidArgument("expected an index in parentheses and ':'");
  }
  std::vector<int64_t> index;
  for (absl::string_view number : absl::StrSplit(inside, ',')) {
    if (absl::StripAsciiWhitespace(inside).empty()) break;
    if (!absl::SimpleAtoi(number, &index.emplace_back())) {
      return InvalidArgument("'%s' is no number of an element", number);
    }
  }
  const Shape& shape = literal.shape();
  if (static_cast<int64_t>(index.size()) != shape.dimensions_size() ||
      !IndexUtil::IndexInBounds(shape, index)) {
    return InvalidArgument("(%s) is no index into %s", inside, ShapeUtil::HumanString(shape));
  }
  absl::string_view text = parts.second;
  HILO_ASSIGN_OR_RETURN(
      const Literal value,
      ParseLiteralValues(&text, ShapeUtil::MakeScalarShape(shape.element_type())));
  if (!absl::StripAsciiWhitespace(text).empty()) {
    return InvalidArgument("'%s' is not a value", parts.second);
  }
  literal.CopyElementFrom(value, {}, index);
  return absl::OkStatus();
}

absl::StatusOr<Literal> Unwritten(absl::string_view text) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ParseShape(text));
  if (!shape.IsArray()) {
    return InvalidArgument("%s is not the shape of an array", ShapeUtil::HumanString(shape));
  }
  absl::StatusOr<Literal> nan = LiteralUtil::NanValue(shape.element_type());
  if (!nan.ok()) return Literal::Make(shape);
  return nan->Broadcast(shape, {});
}

}  // namespace

absl::StatusOr<Literal> TextLiteralReader::ReadPath(absl::string_view path) {
  std::ifstream file{std::string(path)};
  if (!file) return NotFound("Cannot read %s", path);
  absl::StatusOr<Literal> literal = InvalidArgument("%s: no shape", path);
  bool has_shape = false;
  int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string text(absl::StripAsciiWhitespace(line.substr(0, line.find('#'))));
    if (text.empty()) continue;
    absl::Status status;
    if (has_shape) {
      status = ReadTextElement(text, *literal);
    } else {
      literal = Unwritten(text);
      status = literal.status();
      has_shape = true;
    }
    if (!status.ok()) return InvalidArgument("%s, line %d: %s", path, number, status.message());
  }
  return literal;
}

}  // namespace xla
