#include "front/text/text_parser.h"

#include "xla/util.h"

namespace xla {
namespace {

// What the error message shows of a token.
std::string TokenText(const Token& token) {
  if (token.kind == TokenKind::kEndOfText) return "the end of the text";
  constexpr size_t kLongest = 60;
  const absl::string_view text(token.begin, token.end - token.begin);
  if (text.size() > kLongest) return absl::StrCat("'", Printable(text.substr(0, kLongest)), "...'");
  return absl::StrCat("'", Printable(text), "'");
}

}  // namespace

absl::Status TextParser::status(absl::string_view what) const {
  if (error_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Syntax error when trying to parse the text as a ", what, ":\n", error_));
}

void TextParser::KeepError(const char* position, std::string message) {
  error_ = absl::StrCat("was parsing ", ErrorAt(text_, position - text_.data(), message));
}

bool TextParser::FailExpected(absl::string_view what) {
  if (At(TokenKind::kError)) return Fail(token().error);
  return Fail("expected ", what, ", got ", TokenText(token()));
}

bool TextParser::ExpectEnd() {
  return At(TokenKind::kEndOfText) || FailExpected("the end of the text");
}

bool TextParser::ExpectWord(absl::string_view word) {
  return AcceptWord(word) || FailExpected(absl::StrCat("'", word, "'"));
}

bool TextParser::ExpectAttributeName(absl::string_view name) {
  if (!At(TokenKind::kAttributeName) || token().text != name) {
    return FailExpected(absl::StrCat("'", name, "='"));
  }
  Next();
  return true;
}

}  // namespace xla
