// What all readers of MLIR text share: the current token, the first error and the limit on nesting.
#ifndef HILO_FRONT_STABLEHLO_TEXT_TEXT_SOURCE_H_
#define HILO_FRONT_STABLEHLO_TEXT_TEXT_SOURCE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/text/lexer.h"

namespace xla::stablehlo {

// The member functions that read something return false or null after an error, of which the first
// is kept; the caller then does too, up to whoever asks for status().
class TextSource {
 public:
  explicit TextSource(absl::string_view text) : text_(text), lexer_(text) {}

  // OK, or InvalidArgument with place, message, source line and caret.
  absl::Status status() const;

 protected:
  static constexpr int kMaxDepth = 200;

  const Token& token() const { return lexer_.token(); }
  const char* place() const { return token().begin; }
  bool At(TokenKind kind) const { return token().kind == kind; }
  bool At(char c) const { return At(TokenKind::kPunctuation) && token().character == c; }
  bool AtWord(absl::string_view word) const { return At(TokenKind::kWord) && token().text == word; }
  void Next() { lexer_.Next(); }
  template <typename Kind>
  bool Accept(Kind kind) {
    if (!At(kind)) return false;
    Next();
    return true;
  }
  bool AcceptWord(absl::string_view word) {
    if (!AtWord(word)) return false;
    Next();
    return true;
  }
  bool Expect(char c) { return Accept(c) || FailExpected(absl::StrCat("'", Character(c), "'")); }
  bool ExpectArrow() { return Accept(TokenKind::kArrow) || FailExpected("'->'"); }
  bool ExpectWord(absl::string_view word) {
    return AcceptWord(word) || FailExpected(absl::StrCat("'", word, "'"));
  }
  // `word =`
  bool ExpectName(absl::string_view word) { return ExpectWord(word) && Expect('='); }

  // -12, 0x1F. A number without sign may be up to 2^64 - 1 and keeps its bits.
  bool ReadInteger(int64_t* value);
  // -12: no more than 63 bits and a sign.
  bool ReadSignedInteger(int64_t* value);
  // A string. `value` is the text's own where it has no backslashes, else one of `Keep`.
  bool ReadString(absl::string_view* value);
  // What the text of a string token stands for, as ReadString has it.
  bool Unescape(const Token& string, absl::string_view* value);
  // @name or @"name".
  bool ReadSymbol(absl::string_view* name);
  // [1, 2, 3]
  bool ReadIntegers(std::vector<int64_t>* values);

  // Keeps the error. `position` is a place in the text, the current token's by default.
  template <typename... Parts>
  bool Fail(const Parts&... parts) {
    return FailAt(place(), parts...);
  }
  template <typename... Parts>
  bool FailAt(const char* position, const Parts&... parts) {
    if (error_.empty()) KeepError(position, absl::StrCat(parts...));
    return false;
  }
  // The same for what Hilo does not have, though MLIR does.
  template <typename... Parts>
  bool FailUnimplemented(const char* position, const Parts&... parts) {
    if (error_.empty()) is_unimplemented_ = true;
    return FailAt(position, parts...);
  }
  // "expected WHAT, got the current token"
  bool FailExpected(absl::string_view what);
  bool failed() const { return !error_.empty(); }

  // item, item, ... close; `item` reads one of them. The opening character is behind us.
  template <typename Item>
  bool ReadListUntil(char close, Item item) {
    if (Accept(close)) return true;
    do {
      if (!item()) return false;
    } while (Accept(','));
    return Accept(close) || FailExpected(absl::StrCat("',' or '", Character(close), "'"));
  }
  template <typename Item>
  bool ReadList(char open, char close, Item item) {
    return Expect(open) && ReadListUntil(close, item);
  }

  // Held while a nested piece of text is read.
  class Nesting {
   public:
    explicit Nesting(TextSource* source) : source_(source) { ++source_->depth_; }
    ~Nesting() { --source_->depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    bool TooDeep() const { return !source_->Deepen(0); }

   private:
    TextSource* source_;
  };

  // Notes what is nested so many levels deeper than the current place.
  bool Deepen(int levels) {
    deepest_ = std::max(deepest_, depth_ + levels);
    return depth_ + levels <= kMaxDepth || Fail("nested more than ", kMaxDepth, " levels deep");
  }
  // How deep what `read` reads is nested.
  template <typename Read>
  int DepthOf(Read read) {
    const int outer = std::exchange(deepest_, depth_);
    read();
    const int depth = deepest_ - depth_;
    deepest_ = std::max(deepest_, outer);
    return depth;
  }

  // Keeps a string as long as what is read.
  virtual absl::string_view Keep(std::string text) = 0;
  ~TextSource() = default;

  Token Peek() const { return lexer_.Peek(); }
  Lexer& lexer() { return lexer_; }

 private:
  static std::string Character(char c) { return std::string(1, c); }
  void KeepError(const char* position, std::string message);

  absl::string_view text_;
  Lexer lexer_;
  int depth_ = 0;
  int deepest_ = 0;
  std::string error_;
  bool is_unimplemented_ = false;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_TEXT_TEXT_SOURCE_H_
