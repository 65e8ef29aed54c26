// What all readers of HLO text share: the current token, the first error and the limit on nesting.
#ifndef HILO_FRONT_TEXT_TEXT_PARSER_H_
#define HILO_FRONT_TEXT_TEXT_PARSER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/float_environment.h"
#include "base/text_error.h"
#include "front/text/lexer.h"

namespace xla {

// The member functions that read something return false after an error, of which the first is kept;
// the caller then returns false too, up to whoever asks for status().
class TextParser {
 public:
  TextParser(absl::string_view text, int max_depth)
      : text_(text), lexer_(text), max_depth_(max_depth) {}

  // OK, or InvalidArgument with place, message, source line and caret.
  absl::Status status(absl::string_view what) const;

  // Nothing may follow.
  bool ExpectEnd();

 protected:
  const Token& token() const { return lexer_.token(); }
  TokenKind kind() const { return lexer_.kind(); }
  bool At(TokenKind kind) const { return lexer_.kind() == kind; }
  bool AtKeyword(absl::string_view word) const {
    return At(TokenKind::kKeyword) && token().text == word;
  }
  // A word of any kind, keyword or not.
  bool AtWord() const { return At(TokenKind::kIdentifier) || At(TokenKind::kKeyword); }
  bool AtWord(absl::string_view word) const { return AtWord() && token().text == word; }
  void Next() { lexer_.Next(); }
  bool Accept(TokenKind kind) {
    if (!At(kind)) return false;
    Next();
    return true;
  }
  bool AcceptWord(absl::string_view word) {
    if (!AtWord(word)) return false;
    Next();
    return true;
  }
  bool Expect(TokenKind kind) { return Accept(kind) || FailExpected(TokenKindName(kind)); }
  bool ExpectWord(absl::string_view word);
  // `name=` with this name.
  bool ExpectAttributeName(absl::string_view name);

  // Keeps the error. `position` is a place in the text, the current token's by default.
  template <typename... Parts>
  bool Fail(const Parts&... parts) {
    return FailAt(token().begin, parts...);
  }
  template <typename... Parts>
  bool FailAt(const char* position, const Parts&... parts) {
    if (error_.empty()) KeepError(position, absl::StrCat(parts...));
    return false;
  }
  // "expected WHAT, got the current token"
  bool FailExpected(absl::string_view what);
  bool FailWith(const char* position, const absl::Status& status) {
    return FailAt(position, status.message());
  }
  bool failed() const { return !error_.empty(); }

  // open item, item, ... close; `item` reads one of them.
  template <typename Item>
  bool ParseList(TokenKind open, TokenKind close, Item item) {
    if (!Expect(open)) return false;
    if (Accept(close)) return true;
    do {
      if (!item()) return false;
    } while (Accept(TokenKind::kComma));
    return Accept(close) || FailExpected(absl::StrCat("',' or ", TokenKindName(close)));
  }
  template <typename Item>
  bool ParseBraces(Item item) {
    return ParseList(TokenKind::kLeftBrace, TokenKind::kRightBrace, item);
  }

  // Held while a nested piece of text is read.
  class Nesting {
   public:
    explicit Nesting(TextParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    bool TooDeep() const { return parser_.depth_ > parser_.max_depth_; }

   private:
    TextParser& parser_;
  };
  bool FailTooDeep() { return Fail("nested more than ", max_depth_, " levels deep"); }

  absl::string_view text() const { return text_; }
  Lexer& lexer() { return lexer_; }
  const Lexer& lexer() const { return lexer_; }
  int max_depth() const { return max_depth_; }

 private:
  void KeepError(const char* position, std::string message);

  const DefaultFloatEnvironment float_environment_;  // parsers live while something is read
  absl::string_view text_;
  Lexer lexer_;
  int max_depth_;
  int depth_ = 0;
  std::string error_;
};

}  // namespace xla

#endif  // HILO_FRONT_TEXT_TEXT_PARSER_H_
