#include "front/stablehlo/text/text_source.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "base/text_error.h"

namespace xla::stablehlo {

absl::Status TextSource::status() const {
  if (error_.empty()) return absl::OkStatus();
  const std::string message = absl::StrCat("StableHLO text, ", error_);
  return is_unimplemented_ ? absl::UnimplementedError(message)
                           : absl::InvalidArgumentError(message);
}

void TextSource::KeepError(const char* position, std::string message) {
  error_ = ErrorAt(text_, position - text_.data(), message);
}

bool TextSource::FailExpected(absl::string_view what) {
  if (At(TokenKind::kError)) return Fail(token().text);
  if (At(TokenKind::kEndOfText)) return Fail("expected ", what, ", got the end of the text");
  constexpr size_t kLongest = 60;
  const absl::string_view got(token().begin, token().end - token().begin);
  return Fail("expected ", what, ", got '", Printable(got.substr(0, kLongest)),
              got.size() > kLongest ? "...'" : "'");
}

bool TextSource::ReadInteger(int64_t* value) {
  const char* begin = place();
  const bool negative = Accept('-');
  if (!At(TokenKind::kInteger)) return FailExpected("an integer");
  absl::string_view digits = token().text;
  uint64_t magnitude = 0;
  const bool is_hexadecimal = digits.size() > 2 && digits[1] == 'x';
  const bool fits = is_hexadecimal ? absl::SimpleHexAtoi(digits, &magnitude)
                                   : absl::SimpleAtoi(digits, &magnitude);
  constexpr uint64_t kSmallest = uint64_t{1} << 63;
  if (!fits || (negative && magnitude > kSmallest)) {
    return FailAt(begin, "the integer does not fit into 64 bits");
  }
  *value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  Next();
  return true;
}

bool TextSource::ReadSignedInteger(int64_t* value) {
  const char* begin = place();
  const bool negative = At('-');
  if (!ReadInteger(value)) return false;
  return negative || *value >= 0 || FailAt(begin, "the integer does not fit into 64 bits");
}

bool TextSource::Unescape(const Token& string, absl::string_view* value) {
  *value = string.text;
  if (string.text.find('\\') == absl::string_view::npos) return true;
  absl::StatusOr<std::string> unescaped = UnescapeMlirString(string.text);
  if (!unescaped.ok()) return FailAt(string.begin, unescaped.status().message());
  *value = Keep(*std::move(unescaped));
  return true;
}

bool TextSource::ReadString(absl::string_view* value) {
  if (!At(TokenKind::kString)) return FailExpected("a string");
  if (!Unescape(token(), value)) return false;
  Next();
  return true;
}

bool TextSource::ReadSymbol(absl::string_view* name) {
  if (At(TokenKind::kQuotedName)) {
    if (!Unescape(token(), name)) return false;
  } else if (At(TokenKind::kSymbol)) {
    *name = token().text;
  } else {
    return FailExpected("a symbol, @name");
  }
  Next();
  return true;
}

bool TextSource::ReadIntegers(std::vector<int64_t>* values) {
  return ReadList('[', ']', [&] {
    values->emplace_back();
    return ReadSignedInteger(&values->back());
  });
}

}  // namespace xla::stablehlo
