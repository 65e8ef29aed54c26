#include "front/stablehlo/text/lexer.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"

namespace xla::stablehlo {
namespace {

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.'; }
bool IsNameCharacter(char c) { return IsWordCharacter(c) || c == '-'; }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

void Lexer::Finish(TokenKind kind, const char* text_begin, const char* after) {
  token_.kind = kind;
  token_.text = absl::string_view(text_begin, after - text_begin);
  token_.end = cursor_ = after;
}

void Lexer::Fail(absl::string_view message) {
  token_.kind = TokenKind::kError;
  token_.text = message;
  token_.end = cursor_ = end_;
}

void Lexer::SkipSpace() {
  while (cursor_ != end_) {
    if (absl::ascii_isspace(*cursor_)) {
      ++cursor_;
    } else if (*cursor_ == '/' && end_ - cursor_ > 1 && cursor_[1] == '/') {
      while (cursor_ != end_ && *cursor_ != '\n') ++cursor_;
    } else {
      return;
    }
  }
}

void Lexer::Next() {
  SkipSpace();
  token_.begin = cursor_;
  token_.character = 0;
  if (cursor_ == end_) return Finish(TokenKind::kEndOfText, end_, end_);
  const char c = *cursor_;
  if (absl::ascii_isalpha(c) || c == '_') {
    const char* after = cursor_ + 1;
    while (after != end_ && IsWordCharacter(*after)) ++after;
    return Finish(TokenKind::kWord, cursor_, after);
  }
  if (absl::ascii_isdigit(c)) return LexNumber();
  const char next = end_ - cursor_ > 1 ? cursor_[1] : 0;
  switch (c) {
    case '"':
      ++cursor_;
      return LexString(TokenKind::kString);
    case '%':
      return LexName(TokenKind::kValue);
    case '#':
      return LexName(TokenKind::kHash);
    case '!':
      return LexName(TokenKind::kExclamation);
    case '^':
      return LexName(TokenKind::kCaret);
    case '@':
      if (next != '"') return LexName(TokenKind::kSymbol);
      cursor_ += 2;
      return LexString(TokenKind::kQuotedName);
    case '-':
      if (next == '>') return Finish(TokenKind::kArrow, cursor_, cursor_ + 2);
      break;
    case ':':
      if (next == ':') return Finish(TokenKind::kDoubleColon, cursor_, cursor_ + 2);
      break;
    default:
      break;
  }
  token_.character = c;
  Finish(TokenKind::kPunctuation, cursor_, cursor_ + 1);
}

void Lexer::LexNumber() {
  const char* after = cursor_;
  const auto skip_digits = [&] {
    while (after != end_ && absl::ascii_isdigit(*after)) ++after;
  };
  if (*after == '0' && end_ - after > 2 && after[1] == 'x' && HexValue(after[2]) >= 0) {
    after += 2;
    while (after != end_ && HexValue(*after) >= 0) ++after;
    return Finish(TokenKind::kInteger, cursor_, after);
  }
  skip_digits();
  if (after == end_ || *after != '.') return Finish(TokenKind::kInteger, cursor_, after);
  ++after;
  skip_digits();
  if (after != end_ && (*after == 'e' || *after == 'E')) {
    const char* exponent = after + 1;
    if (exponent != end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (exponent != end_ && absl::ascii_isdigit(*exponent)) {
      after = exponent;
      skip_digits();
    }
  }
  Finish(TokenKind::kDecimal, cursor_, after);
}

void Lexer::LexString(TokenKind kind) {
  for (const char* p = cursor_; p != end_; ++p) {
    if (*p == '"') {
      Finish(kind, cursor_, p);
      token_.end = ++cursor_;
      return;
    }
    if (*p == '\n') break;
    if (*p == '\\' && ++p == end_) break;
  }
  Fail("the string does not end in its line");
}

void Lexer::LexName(TokenKind kind) {
  const char* begin = cursor_ + 1;
  const char* after = begin;
  while (after != end_ && IsNameCharacter(*after)) {
    // `#-}` and `x->` are no names.
    if (*after == '-' && (after == begin || end_ - after < 2 || !IsNameCharacter(after[1]))) break;
    ++after;
  }
  if (after == begin) {
    token_.character = *cursor_;
    return Finish(TokenKind::kPunctuation, cursor_, begin);
  }
  Finish(kind, begin, after);
}

absl::StatusOr<std::string> UnescapeMlirString(absl::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result.push_back(text[i]);
      continue;
    }
    const char c = ++i < text.size() ? text[i] : 0;
    if (c == '"' || c == '\\') {
      result.push_back(c);
    } else if (c == 'n' || c == 't') {
      result.push_back(c == 'n' ? '\n' : '\t');
    } else if (i + 1 < text.size() && HexValue(c) >= 0 && HexValue(text[i + 1]) >= 0) {
      result.push_back(static_cast<char>(HexValue(c) * 16 + HexValue(text[++i])));
    } else {
      return absl::InvalidArgumentError(
          "a backslash in a string must stand before a quote, a backslash, n, t or two "
          "hexadecimal digits");
    }
  }
  return result;
}

}  // namespace xla::stablehlo
