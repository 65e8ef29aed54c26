#include "front/text/lexer.h"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/charconv.h"
#include "absl/strings/escaping.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

enum CharacterClass : uint8_t {
  kDigit = 1 << 0,
  kIdentifierStart = 1 << 1,
  kIdentifierPart = 1 << 2,
  kSpace = 1 << 3,
  kDimLabel = 1 << 4,     // 0-9 b f ?
  kKernelLabel = 1 << 5,  // 0-9 i o ?
};

constexpr std::array<uint8_t, 256> MakeCharacterClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kIdentifierPart | kDimLabel | kKernelLabel;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kIdentifierStart | kIdentifierPart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kIdentifierStart | kIdentifierPart;
  classes['_'] = kIdentifierStart | kIdentifierPart;
  classes['.'] = classes['-'] = kIdentifierPart;
  classes[' '] = classes['\t'] = classes['\r'] = classes['\n'] = kSpace;
  classes['b'] |= kDimLabel;
  classes['f'] |= kDimLabel;
  classes['i'] |= kKernelLabel;
  classes['o'] |= kKernelLabel;
  classes['?'] = kDimLabel | kKernelLabel;
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = MakeCharacterClasses();

bool Is(uint8_t character_class, char c) {
  return (kClasses[static_cast<uint8_t>(c)] & character_class) != 0;
}

// The end of the run of characters of a class.
const char* Run(uint8_t character_class, const char* begin, const char* end) {
  while (begin != end && Is(character_class, *begin)) ++begin;
  return begin;
}

PrimitiveType PrimitiveTypeOf(absl::string_view word) {
  static const auto& types = *[] {
    auto* map = new absl::flat_hash_map<std::string, PrimitiveType>();
    for (int i = PRIMITIVE_TYPE_INVALID + 1; i < PrimitiveType_ARRAYSIZE; ++i) {
      if (!PrimitiveType_IsValid(i) || i == TUPLE || i == BUFFER) continue;
      const PrimitiveType type = static_cast<PrimitiveType>(i);
      map->emplace(primitive_util::LowercasePrimitiveTypeName(type), type);
    }
    return map;
  }();
  constexpr size_t kLongestName = 13;  // f8e4m3b11fnuz
  constexpr absl::string_view kFirstLetters = "bcfopstu";
  if (word.size() > kLongestName || kFirstLetters.find(word[0]) == absl::string_view::npos) {
    return PRIMITIVE_TYPE_INVALID;
  }
  const auto found = types.find(word);
  return found == types.end() ? PRIMITIVE_TYPE_INVALID : found->second;
}

bool IsKeyword(absl::string_view word) {
  static const auto& keywords = *new absl::flat_hash_set<absl::string_view>{
      "true",       "false",         "HloModule",   "ENTRY",    "ROOT",
      "FileNames",  "FunctionNames", "StackFrames", "maximal",  "FileLocations",
      "replicated", "manual",        "unknown",     "shard_as", "last_tile_dim_replicate",
      "shard_like", "unreduced"};
  constexpr absl::string_view kFirstLetters = "EFHRSflmrstu";
  return kFirstLetters.find(word[0]) != absl::string_view::npos && keywords.contains(word);
}

// The end of a decimal number with a point or an exponent at `begin`, or null.
const char* FindDecimalEnd(const char* begin, const char* end) {
  const char* p = begin;
  if (p != end && *p == '-') ++p;
  const char* const integer = p;
  p = Run(kDigit, p, end);
  const bool has_integer = p != integer;
  bool has_point = false;
  if (p != end && *p == '.') {
    const char* const fraction = Run(kDigit, p + 1, end);
    if (!has_integer && fraction == p + 1) return nullptr;
    has_point = true;
    p = fraction;
  } else if (!has_integer) {
    return nullptr;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* digits = p + 1;
    if (digits != end && (*digits == '+' || *digits == '-')) ++digits;
    const char* const after = Run(kDigit, digits, end);
    if (after != digits) return after;
  }
  return has_point ? p : nullptr;
}

// The end of numbers joined by x (3x3), at least two of them, or null.
const char* FindSizesEnd(const char* begin, const char* end) {
  const char* p = Run(kDigit, begin, end);
  if (p == begin) return nullptr;
  bool several = false;
  while (p != end && *p == 'x') {
    const char* const after = Run(kDigit, p + 1, end);
    if (after == p + 1) break;
    p = after;
    several = true;
  }
  return several ? p : nullptr;
}

const char* FindSignedIntegerEnd(const char* begin, const char* end) {
  const char* const digits = begin != end && *begin == '-' ? begin + 1 : begin;
  const char* const after = Run(kDigit, digits, end);
  return after == digits ? nullptr : after;
}

// The end of low_high or low_high_interior, or null.
const char* FindOnePaddingEnd(const char* begin, const char* end) {
  const char* p = FindSignedIntegerEnd(begin, end);
  if (p == nullptr || p == end || *p != '_') return nullptr;
  p = FindSignedIntegerEnd(p + 1, end);
  if (p == nullptr || p == end || *p != '_') return p;
  const char* const after = FindSignedIntegerEnd(p + 1, end);
  return after == nullptr ? p : after;
}

const char* FindPaddingEnd(const char* begin, const char* end) {
  const char* p = FindOnePaddingEnd(begin, end);
  while (p != nullptr && p != end && *p == 'x') {
    const char* const after = FindOnePaddingEnd(p + 1, end);
    if (after == nullptr) break;
    p = after;
  }
  return p;
}

constexpr absl::string_view kTokenNames[] = {"end of text",  "error",
                                             "name",         "attribute name",
                                             "element type", "keyword",
                                             "identifier",   "integer",
                                             "number",       "dimension labels",
                                             "sizes",        "padding",
                                             "string",       "'->'",
                                             "'<='",         "'='",
                                             "','",          "':'",
                                             "'*'",          "'#'",
                                             "'+'",          "'~'",
                                             "'?'",          "'['",
                                             "']'",          "'{'",
                                             "'}'",          "'('",
                                             "')'",          "'...'"};

}  // namespace

absl::string_view TokenKindName(TokenKind kind) { return kTokenNames[static_cast<int>(kind)]; }

bool IsIdentifierCharacter(char c) { return Is(kIdentifierPart, c); }

const char* Lexer::SkipSpace(const char* position, const char* end) {
  while (true) {
    position = Run(kSpace, position, end);
    if (end - position < 2 || *position != '/') return position;
    if (position[1] == '/') {
      while (position != end && *position != '\n' && *position != '\r') ++position;
    } else if (position[1] == '*') {
      const absl::string_view rest(position + 2, end - position - 2);
      const size_t close = rest.find("*/");
      if (close == absl::string_view::npos) return nullptr;
      position = rest.data() + close + 2;
    } else {
      return position;
    }
  }
}

const char* Lexer::FindDictionaryEnd(const char* position, const char* end) {
  int64_t depth = 0;
  for (; position != end; ++position) {
    switch (*position) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return position + 1;
        break;
      case '"':
        do {
          position += *position == '\\' ? 2 : 1;
        } while (position < end && *position != '"');
        if (position >= end) return nullptr;
        break;
      default:
        break;
    }
  }
  return nullptr;
}

void Lexer::Finish(TokenKind kind, const char* after) {
  token_.kind = kind;
  token_.text = absl::string_view(token_.begin, after - token_.begin);
  token_.end = after;
  cursor_ = after;
}

void Lexer::Fail(const char* message, const char* after) {
  Finish(TokenKind::kError, after);
  token_.error = message;
}

void Lexer::Next() {
  previous_end_ = token_.end;
  const char* const start = SkipSpace(cursor_, end_);
  if (start == nullptr) {
    token_.begin = cursor_;
    return Fail("this comment does not end", end_);
  }
  token_.begin = start;
  if (start == end_) return Finish(TokenKind::kEndOfText, start);
  const char c = *start;
  if (Is(kIdentifierStart, c)) return LexWord();
  if (Is(kDigit, c)) return LexNumber();
  switch (c) {
    case '%': {
      if (start + 1 == end_ || !Is(kIdentifierStart, start[1])) {
        return Fail("a name must follow '%'", start + 1);
      }
      Finish(TokenKind::kName, Run(kIdentifierPart, start + 1, end_));
      token_.text.remove_prefix(1);
      return;
    }
    case '-':
      if (start + 1 != end_ && start[1] == '>') return Finish(TokenKind::kArrow, start + 2);
      return LexNumber();
    case '?':
      if (LexDimLabels(start)) return;
      return Finish(TokenKind::kQuestionMark, start + 1);
    case '<':
      if (start + 1 != end_ && start[1] == '=') return Finish(TokenKind::kLessOrEqual, start + 2);
      return Fail("'<' must be followed by '='", start + 1);
    case '.':
      if (end_ - start >= 3 && start[1] == '.' && start[2] == '.') {
        return Finish(TokenKind::kDots, start + 3);
      }
      return Fail("unexpected character '.'", start + 1);
    case '=':
      return Finish(TokenKind::kEqual, start + 1);
    case ',':
      return Finish(TokenKind::kComma, start + 1);
    case ':':
      return Finish(TokenKind::kColon, start + 1);
    case '*':
      return Finish(TokenKind::kAsterisk, start + 1);
    case '#':
      return Finish(TokenKind::kHash, start + 1);
    case '+':
      return Finish(TokenKind::kPlus, start + 1);
    case '~':
      return Finish(TokenKind::kTilde, start + 1);
    case '[':
      return Finish(TokenKind::kLeftSquare, start + 1);
    case ']':
      return Finish(TokenKind::kRightSquare, start + 1);
    case '{':
      return Finish(TokenKind::kLeftBrace, start + 1);
    case '}':
      return Finish(TokenKind::kRightBrace, start + 1);
    case '(':
      return Finish(TokenKind::kLeftParen, start + 1);
    case ')':
      return Finish(TokenKind::kRightParen, start + 1);
    case '"':
    case '\'':
      return LexString();
    case '\0':
      return Fail("unexpected NUL character", start + 1);
    default:
      return Fail("unexpected character", start + 1);
  }
}

void Lexer::LexWord() {
  const char* const start = token_.begin;
  const char* const after = Run(kIdentifierPart, start, end_);
  const char following = after == end_ ? '\0' : *after;
  if (following == ':' || following == '=') {
    Finish(following == ':' ? TokenKind::kName : TokenKind::kAttributeName, after + 1);
    token_.text.remove_suffix(1);
    return;
  }
  const absl::string_view word(start, after - start);
  token_.type = PrimitiveTypeOf(word);
  if (token_.type != PRIMITIVE_TYPE_INVALID) return Finish(TokenKind::kPrimitiveType, after);
  if (word == "inf" || word == "nan") {
    LexInfinityOrNan(start, start);
    return;
  }
  if (IsKeyword(word)) return Finish(TokenKind::kKeyword, after);
  if ((following == '>' || following == '?') && LexDimLabels(start)) return;
  Finish(TokenKind::kIdentifier, after);
}

// inf or nan at `word`, where the token begins at `start`: there or one character before.
bool Lexer::LexInfinityOrNan(const char* start, const char* word) {
  const absl::string_view rest(word, end_ - word);
  const bool negative = start != word;
  if (rest.substr(0, 3) == "inf") {
    Finish(TokenKind::kDecimal, word + 3);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    token_.decimal = negative ? -kInfinity : kInfinity;
    return true;
  }
  if (rest.substr(0, 3) != "nan") return false;
  const char* after = word + 3;
  if (rest.substr(3, 3) == "(0x") {
    const size_t close = rest.find(')');
    uint64_t payload = 0;
    const char* const digits = word + 6;
    const auto result = close == absl::string_view::npos
                            ? std::from_chars_result{digits, std::errc::invalid_argument}
                            : std::from_chars(digits, word + close, payload, 16);
    constexpr uint64_t kLargestPayload = (uint64_t{1} << 52) - 1;
    if (result.ec != std::errc() || result.ptr != word + close || payload == 0 ||
        payload > kLargestPayload) {
      Fail("the payload of a NaN must be a hexadecimal number from 1 to 0xfffffffffffff", after);
      return true;
    }
    after = word + close + 1;
  }
  Finish(TokenKind::kDecimal, after);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  token_.decimal = negative ? -nan : nan;
  return true;
}

void Lexer::LexNumber() {
  const char* const start = token_.begin;
  if (const char* after = FindDecimalEnd(start, end_)) return LexDecimal(after);
  if (LexDimLabels(start)) return;
  if (const char* after = FindSizesEnd(start, end_)) return Finish(TokenKind::kSizes, after);
  if (const char* after = FindPaddingEnd(start, end_)) return Finish(TokenKind::kPadding, after);
  if (const char* after = FindSignedIntegerEnd(start, end_)) return LexInteger(after);
  if (LexInfinityOrNan(start, start + 1)) return;
  Fail("unexpected character '-'", start + 1);
}

void Lexer::LexInteger(const char* after) {
  Finish(TokenKind::kInteger, after);
  int64_t value = 0;
  if (std::from_chars(token_.begin, after, value).ec != std::errc()) {
    uint64_t large = 0;
    if (std::from_chars(token_.begin, after, large).ec != std::errc()) {
      return Fail("this integer needs more than 64 bits", after);
    }
    value = static_cast<int64_t>(large);
  }
  token_.integer = value;
}

void Lexer::LexDecimal(const char* after) {
  Finish(TokenKind::kDecimal, after);
  double value = 0;
  const absl::from_chars_result result = absl::from_chars(token_.begin, after, value);
  if (result.ec == std::errc::result_out_of_range && (value > 1 || value < -1)) {
    return Fail("this number is out of range for f64 (+/-1.79769e+308)", after);
  }
  token_.decimal = value;
}

bool Lexer::LexDimLabels(const char* start) {
  const char* const first = Run(kDimLabel, start, end_);
  if (first - start < 2 || first == end_ || *first != '_') return false;
  const char* const second = Run(kKernelLabel, first + 1, end_);
  if (second - first < 3 || end_ - second < 4 || second[0] != '-' || second[1] != '>') return false;
  const char* const third = Run(kDimLabel, second + 2, end_);
  if (third - second < 4) return false;
  Finish(TokenKind::kDimLabels, third);
  return true;
}

void Lexer::LexString() {
  const char quote = *token_.begin;
  const char* p = token_.begin + 1;
  while (p < end_ && *p != quote) p += *p == '\\' ? 2 : 1;
  if (p >= end_) return Fail("this string does not end", token_.begin + 1);
  Finish(TokenKind::kString, p + 1);
  token_.text.remove_prefix(1);
  token_.text.remove_suffix(1);
}

absl::StatusOr<std::string> UnescapeString(absl::string_view text) {
  if (text.find('\\') == absl::string_view::npos) return std::string(text);
  std::string result;
  std::string error;
  if (!absl::CUnescape(text, &result, &error)) {
    return InvalidArgument("invalid escape in string: %s", error);
  }
  return result;
}

}  // namespace xla
