// Tokens of HLO text. A token points into the text; nothing is copied.
#ifndef HILO_FRONT_TEXT_LEXER_H_
#define HILO_FRONT_TEXT_LEXER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/xla_data.pb.h"

namespace xla {

enum class TokenKind : uint8_t {
  kEndOfText,
  kError,          // Token::error says why
  kName,           // name: or %name
  kAttributeName,  // name=
  kPrimitiveType,  // f32
  kKeyword,        // ROOT, true, replicated, ...
  kIdentifier,     // any other word
  kInteger,        // -12; at most 64 bits
  kDecimal,        // 1.5, 1e9, inf, -nan(0x1)
  kDimLabels,      // b01f_01io->b01f
  kSizes,          // 3x3
  kPadding,        // 1_2x0_0_3
  kString,         // "..." or '...'
  kArrow,          // ->
  kLessOrEqual,    // <=
  kEqual,
  kComma,
  kColon,
  kAsterisk,
  kHash,
  kPlus,
  kTilde,
  kQuestionMark,
  kLeftSquare,
  kRightSquare,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDots,
};

// The token as an error message calls it.
absl::string_view TokenKindName(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::kEndOfText;
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;  // of kPrimitiveType
  const char* begin = nullptr;
  const char* end = nullptr;
  absl::string_view text;  // without the %, colon, equals sign or quotes that belong to the token
  const char* error = nullptr;
  union {
    int64_t integer = 0;  // of kInteger; values from 2^63 to 2^64-1 keep their bits
    double decimal;       // of kDecimal
  };
};

// A value that may be copied to look ahead and come back.
class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(absl::string_view text) : cursor_(text.data()), end_(text.data() + text.size()) {
    Next();
  }

  const Token& token() const { return token_; }
  TokenKind kind() const { return token_.kind; }
  void Next();
  // The token after the current one.
  Token Peek() const {
    Lexer ahead = *this;
    ahead.Next();
    return ahead.token_;
  }

  // Continues at `position`, a place in the text.
  void ContinueAt(const char* position) {
    cursor_ = position;
    Next();
  }
  // The end of the text.
  const char* end() const { return end_; }
  // The end of the token before the current one.
  const char* previous_end() const { return previous_end_; }

  // Skips space and comments from `position` on. Returns null in a comment that does not end.
  static const char* SkipSpace(const char* position, const char* end);

  // The end of the dictionary that begins at `position` with a brace: behind the brace that closes
  // it, quoted strings not counting. Null when it is not closed.
  static const char* FindDictionaryEnd(const char* position, const char* end);

 private:
  void LexWord();
  void LexNumber();
  void LexString();
  bool LexDimLabels(const char* start);
  bool LexInfinityOrNan(const char* start, const char* word);
  void LexInteger(const char* after);
  void LexDecimal(const char* after);
  void Finish(TokenKind kind, const char* after);
  void Fail(const char* message, const char* after);

  const char* cursor_;
  const char* end_;
  const char* previous_end_ = nullptr;
  Token token_;
};

// The characters that a kString token stands for. InvalidArgument for an escape that C does not
// have.
absl::StatusOr<std::string> UnescapeString(absl::string_view text);

// True for [A-Za-z0-9_.-].
bool IsIdentifierCharacter(char c);

}  // namespace xla

#endif  // HILO_FRONT_TEXT_LEXER_H_
