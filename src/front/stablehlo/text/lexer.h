// Tokens of MLIR text. A token points into the text; nothing is copied.
#ifndef HILO_FRONT_STABLEHLO_TEXT_LEXER_H_
#define HILO_FRONT_STABLEHLO_TEXT_LEXER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla::stablehlo {

enum class TokenKind : uint8_t {
  kEndOfText,
  kError,        // Token::text says why
  kWord,         // stablehlo.add, module, f32, true
  kValue,        // %x
  kSymbol,       // @main
  kQuotedName,   // @"a b": a symbol whose text is as that of kString
  kHash,         // #loc1, #stablehlo.gather
  kExclamation,  // !stablehlo.token
  kCaret,        // ^bb0
  kInteger,      // 12, 0x1F
  kDecimal,      // 1.5, 1.e-3
  kString,       // "..."
  kArrow,        // ->
  kDoubleColon,  // ::
  kPunctuation,  // any other character, Token::character
};

struct Token {
  TokenKind kind = TokenKind::kEndOfText;
  char character = 0;      // of kPunctuation
  absl::string_view text;  // without quotes and without the mark that it begins with
  const char* begin = nullptr;
  const char* end = nullptr;
};

// A value that may be copied to look ahead and come back.
class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(absl::string_view text) : cursor_(text.data()), end_(text.data() + text.size()) {
    Next();
  }

  const Token& token() const { return token_; }
  void Next();
  // The token after the current one.
  Token Peek() const {
    Lexer ahead = *this;
    ahead.Next();
    return ahead.token_;
  }

  // Behind the current token.
  const char* cursor() const { return cursor_; }
  // The end of the text.
  const char* end() const { return end_; }
  // Continues at `position`, a place in the text.
  void ContinueAt(const char* position) {
    cursor_ = position;
    Next();
  }

 private:
  void SkipSpace();
  void LexNumber();
  void LexString(TokenKind kind);
  // A name behind the mark that the token begins with.
  void LexName(TokenKind kind);
  void Finish(TokenKind kind, const char* text_begin, const char* after);
  void Fail(absl::string_view message);

  const char* cursor_;
  const char* end_;
  Token token_;
};

// The characters that the text of a string token stands for.
absl::StatusOr<std::string> UnescapeMlirString(absl::string_view text);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_TEXT_LEXER_H_
