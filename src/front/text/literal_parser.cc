// Literals. Elements are read straight from the characters: programs hold millions of them.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "data/float_text.h"
#include "front/text/value_parser.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla {
namespace {

// What is wrong, and where. No message means that all is well.
struct Problem {
  const char* position = nullptr;
  std::string message;
  bool ok() const { return message.empty(); }
};

// The end of a number, word or nan(0x1) that begins at `begin`.
const char* FindValueEnd(const char* begin, const char* end) {
  const char* p = begin;
  while (p != end && (IsIdentifierCharacter(*p) || *p == '+')) ++p;
  const absl::string_view word(begin, p - begin);
  if (p != end && *p == '(' && (word == "nan" || word == "-nan")) {
    while (p != end && *p != ')' && *p != '\n') ++p;
    if (p != end && *p == ')') ++p;
  }
  return p;
}

// Whether HLO text takes this for an integer: no point, no exponent.
bool IsInteger(absl::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
}

bool FitsIn64Bits(absl::string_view integer) {
  int64_t value = 0;
  uint64_t large = 0;
  const char* const end = integer.data() + integer.size();
  return std::from_chars(integer.data(), end, value).ec == std::errc() ||
         std::from_chars(integer.data(), end, large).ec == std::errc();
}

template <typename T>
absl::Status ReadFloat(absl::string_view text, T* value) {
  absl::StatusOr<T> parsed = ParseElement<T>(text);
  if (!parsed.ok()) return parsed.status();
  *value = *parsed;
  if (!IsInteger(text)) return absl::OkStatus();
  if (text.size() > 18 && !FitsIn64Bits(text)) {
    return InvalidArgument(
        "integer %s needs more than 64 bits; write it with a point or an exponent", text);
  }
  // Without a point -0 is the integer zero, which has no sign.
  if (text[0] == '-' && static_cast<float>(*value) == 0) *value = static_cast<T>(0.0f);
  return absl::OkStatus();
}

// Reads the elements of one array, whose memory is in row-major order.
template <typename NativeT>
class ElementReader {
 public:
  ElementReader(const char* begin, const char* end, const Shape& shape, NativeT* elements)
      : position_(begin),
        end_(end),
        shape_(shape),
        next_(elements),
        seen_(shape.dimensions_size()) {}

  // Afterwards position() is behind the literal.
  Problem Read() {
    const int rank = shape_.dimensions_size();
    int depth = 0;
    while (true) {
      position_ = SkipSpace();
      if (position_ == nullptr) return {start_of_space_, "this comment does not end"};
      const char c = position_ == end_ ? '\0' : *position_;
      if (c == '{') {
        if (depth == rank) return Wrong("more braces than the shape has dimensions");
        if (depth > 0 && !Count(depth - 1)) return TooMany(depth - 1);
        seen_[depth++] = 0;
        ++position_;
      } else if (c == '}' && depth > 0) {
        --depth;
        if (seen_[depth] != shape_.dimensions(depth)) return TooFew(depth);
        ++position_;
        if (depth == 0) return {};
      } else if (c == ',' && depth > 0) {
        ++position_;
      } else {
        if (depth != rank) return Wrong(rank == 0 ? "expected a value" : "expected '{'");
        if (depth > 0 && !Count(depth - 1)) return TooMany(depth - 1);
        Problem problem = ReadElement();
        if (!problem.ok() || depth == 0) return problem;
      }
    }
  }

  const char* position() const { return position_; }

 private:
  const char* SkipSpace() {
    start_of_space_ = position_;
    if (position_ != end_ && *position_ == ' ') ++position_;
    if (position_ != end_ && static_cast<uint8_t>(*position_) > '/') return position_;
    return Lexer::SkipSpace(position_, end_);
  }

  bool Count(int dimension) { return ++seen_[dimension] <= shape_.dimensions(dimension); }

  Problem Wrong(absl::string_view what) {
    return {position_, absl::StrCat(what, " in a literal of shape ", shape_.ToString())};
  }
  Problem TooMany(int dimension) {
    return Wrong(absl::StrCat("more than ", shape_.dimensions(dimension), " elements in dimension ",
                              dimension));
  }
  Problem TooFew(int dimension) {
    return Wrong(absl::StrCat("expected ", shape_.dimensions(dimension), " elements in dimension ",
                              dimension, ", got ", seen_[dimension]));
  }

  Problem ReadElement() {
    if constexpr (is_complex_v<NativeT>) {
      return ReadComplex();
    } else if constexpr (std::is_integral_v<NativeT> && !std::is_same_v<NativeT, bool>) {
      NativeT value;
      const auto [after, error] = std::from_chars(position_, end_, value);
      if (error == std::errc() && (after == end_ || !IsIdentifierCharacter(*after))) {
        *next_++ = value;
        position_ = after;
        return {};
      }
    }
    if constexpr (!is_complex_v<NativeT>) return ReadValue(next_++);
  }

  template <typename T>
  Problem ReadValue(T* value) {
    const char* const after = FindValueEnd(position_, end_);
    if (after == position_) return Wrong("expected a value");
    const absl::string_view text(position_, after - position_);
    absl::Status status;
    if constexpr (is_specialized_floating_point_v<T>) {
      status = ReadFloat(text, value);
    } else {
      absl::StatusOr<T> parsed = ParseElement<T>(text);
      if (parsed.ok()) *value = *parsed;
      status = parsed.status();
    }
    if (!status.ok()) return {position_, std::string(status.message())};
    position_ = after;
    return {};
  }

  // (re, im), or a real number.
  Problem ReadComplex() {
    using Part = typename NativeT::value_type;
    Part parts[2] = {0, 0};
    const bool in_parens = position_ != end_ && *position_ == '(';
    for (int i = 0; i < (in_parens ? 2 : 1); ++i) {
      if (in_parens && !Skip(i == 0 ? '(' : ',')) return Wrong("expected (real, imaginary)");
      Problem problem = ReadValue(&parts[i]);
      if (!problem.ok()) return problem;
    }
    if (in_parens && !Skip(')')) return Wrong("expected ')' after the imaginary part");
    *next_++ = NativeT(parts[0], parts[1]);
    return {};
  }

  // A character with space around it.
  bool Skip(char c) {
    const char* p = Lexer::SkipSpace(position_, end_);
    if (p == nullptr || p == end_ || *p != c) return false;
    p = Lexer::SkipSpace(p + 1, end_);
    if (p == nullptr) return false;
    position_ = p;
    return true;
  }

  const char* position_;
  const char* const end_;
  const char* start_of_space_ = nullptr;
  const Shape& shape_;
  NativeT* next_;
  absl::InlinedVector<int64_t, 6> seen_;  // elements so far in each dimension
};

// Brings a byte of an element to the values that the type has.
uint8_t LimitToType(uint8_t byte, PrimitiveType type) {
  const int bits = primitive_util::BitWidth(type);
  if (bits >= 8) return byte;
  const uint8_t low = byte & static_cast<uint8_t>((1 << bits) - 1);
  if (!primitive_util::IsSignedIntegralType(type) || (low >> (bits - 1)) == 0) return low;
  return low | static_cast<uint8_t>(0xff << bits);
}

}  // namespace

bool ValueParser::ParseLiteral(const Shape& shape, Literal* literal) {
  Nesting nesting(*this);
  if (nesting.TooDeep()) return FailTooDeep();
  if (shape.IsTuple()) return ParseTupleLiteral(shape, literal);
  if (!shape.IsArrayExcludingBuffer()) {
    return Fail("there are no literals of shape ", shape.ToString());
  }
  Lexer ahead = lexer();
  if (At(TokenKind::kLeftBrace) && shape.dimensions_size() > 0) {
    ahead.Next();
    if (ahead.kind() == TokenKind::kDots) return ParseElidedLiteral(shape, literal);
  }
  if (!At(TokenKind::kLeftBrace) && shape.dimensions_size() > 0) {
    return ParseFirstElement(shape, literal);
  }
  return ParseArrayLiteral(shape, literal);
}

// ( literal, literal )
bool ValueParser::ParseTupleLiteral(const Shape& shape, Literal* literal) {
  std::vector<Literal> elements;
  const char* const begin = token().begin;
  if (!ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
        const int index = static_cast<int>(elements.size());
        if (index >= shape.tuple_shapes_size()) {
          return Fail("more elements than the shape ", shape.ToString(), " has");
        }
        return ParseLiteral(shape.tuple_shapes(index), &elements.emplace_back());
      })) {
    return false;
  }
  if (static_cast<int>(elements.size()) != shape.tuple_shapes_size()) {
    return FailAt(begin, "expected ", shape.tuple_shapes_size(), " elements, got ",
                  elements.size());
  }
  *literal = Literal::MoveIntoTuple(absl::MakeSpan(elements));
  return true;
}

// A value without braces is the first element of an array whose other elements are zero.
bool ValueParser::ParseFirstElement(const Shape& shape, Literal* literal) {
  Literal first;
  const char* const begin = token().begin;
  if (!ParseArrayLiteral(ShapeUtil::MakeScalarShape(shape.element_type()), &first)) return false;
  if (ShapeUtil::IsZeroElementArray(shape)) {
    return FailAt(begin, "a literal of shape ", shape.ToString(), " has no elements");
  }
  if (!MakeLargeLiteral(begin, shape, literal)) return false;
  std::memcpy(literal->untyped_data(), first.untyped_data(), first.size_bytes());
  return true;
}

bool ValueParser::ParseArrayLiteral(const Shape& shape, Literal* literal) {
  const char* const begin = token().begin;
  // Each element takes a character at least.
  if (shape.is_unbounded_dynamic() || ShapeUtil::ElementsIn(shape) > lexer().end() - begin) {
    return Fail("too few elements for a literal of shape ", shape.ToString());
  }
  Shape row_major = shape;
  LayoutUtil::SetToDefaultLayout(&row_major);
  absl::StatusOr<Literal> made = Literal::Make(row_major);
  if (!made.ok()) return FailWith(begin, made.status());
  const char* after = nullptr;
  Problem problem = primitive_util::ArrayTypeSwitch(
      [&](auto type) {
        using NativeT = primitive_util::NativeTypeOf<type>;
        ElementReader<NativeT> reader(begin, lexer().end(), row_major,
                                      made->data<NativeT>().data());
        Problem problem = reader.Read();
        after = reader.position();
        return problem;
      },
      shape.element_type());
  if (!problem.ok()) return FailAt(problem.position, problem.message);
  lexer().ContinueAt(after);
  *literal = shape.has_layout() && shape.layout() != row_major.layout() ? made->Relayout(shape)
                                                                        : *std::move(made);
  return true;
}

// Zeros that take no memory until someone writes to them. Those who print them or write them as a message need several
// times as much, though, so there is a limit for one text.
bool ValueParser::MakeLargeLiteral(const char* position, const Shape& shape, Literal* literal) {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  const int64_t bytes = ShapeUtil::ByteSizeOfElements(shape);
  if (shape.is_unbounded_dynamic() || bytes > kMostBytes - elided_bytes_) {
    return FailAt(position, "a constant of shape ", shape.ToString(),
                  " is too large to stand without its elements");
  }
  elided_bytes_ += bytes;
  absl::StatusOr<Literal> made = Literal::Make(shape);
  if (!made.ok()) return FailWith(position, made.status());
  *literal = *std::move(made);
  return true;
}

// {...}: the elements were left out when the text was printed. Words counted up stand for them; as numbers of F32 and
// F64 those would be subnormal, which is slow and rarely what was there, so these are zeros, of both signs lest they count
// as one number.
bool ValueParser::ParseElidedLiteral(const Shape& shape, Literal* literal) {
  constexpr int64_t kMostFilledBytes = int64_t{1} << 28;  // the rest stays zero, and is no memory
  const char* const begin = token().begin;
  Next();
  Next();
  if (!Expect(TokenKind::kRightBrace) || !MakeLargeLiteral(begin, shape, literal)) return false;
  const int64_t size = literal->size_bytes();
  const bool fill =
      options_.fill_shortform_constants_with_random_values() && elided_bytes_ <= kMostFilledBytes;
  if (!fill) return true;
  const PrimitiveType type = shape.element_type();
  uint8_t* const data = static_cast<uint8_t*>(literal->untyped_data());
  if (type == F32 || type == F64 || type == C64 || type == C128) {
    const int64_t pair = 2 * ShapeUtil::ByteSizeOfPrimitiveType(type);
    for (int64_t i = pair - 1; i < size; i += pair) data[i] = 0x80;
    elided_counter_ += static_cast<uint32_t>(size / 4);
    return true;
  }
  for (int64_t i = 0; i < size; i += 4) {
    const uint32_t word = elided_counter_++;
    for (int64_t k = i; k < std::min(size, i + 4); ++k) {
      data[k] = LimitToType(static_cast<uint8_t>(word >> (8 * (k - i))), type);
    }
  }
  return true;
}

// f32[<=4](2) {1, 2}: the sizes of a dynamic array, then as many elements.
bool ValueParser::ParseDynamicLiteral(const Shape& shape, Literal* literal) {
  const char* const begin = token().begin;
  Shape actual = shape;
  int dimension = 0;
  if (!ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
        int64_t size;
        if (!Parse(&size)) return false;
        const bool fits = dimension < shape.dimensions_size() && 0 <= size &&
                          (shape.is_dynamic_dimension(dimension)
                               ? size <= shape.dimensions(dimension)
                               : size == shape.dimensions(dimension));
        if (!fits) {
          return FailAt(begin, "size ", size, " of dimension ", dimension,
                        " is not one of a literal of shape ", shape.ToString());
        }
        actual.set_dimensions(dimension++, size, /*is_dynamic=*/false);
        return true;
      })) {
    return false;
  }
  if (dimension != shape.dimensions_size()) {
    return FailAt(begin, "expected ", shape.dimensions_size(), " sizes, got ", dimension);
  }
  Literal elements, bounds;
  if (!ParseLiteral(actual, &elements) || !MakeLargeLiteral(begin, shape, &bounds)) return false;
  *literal = elements.ToBoundedDynamic(shape);
  return true;
}

// s32[2] {1, 2}, or a tuple of such: ( s32[2] {1, 2}, f32[] 1 )
bool ValueParser::ParseLiteralWithShape(Literal* literal) {
  Nesting nesting(*this);
  if (nesting.TooDeep()) return FailTooDeep();
  if (!At(TokenKind::kLeftParen)) {
    Shape shape;
    if (!ParseShape(&shape, /*fill_layout=*/true)) return false;
    const bool has_sizes = shape.IsArrayExcludingBuffer() && shape.dimensions_size() > 0 &&
                           !shape.is_static() && At(TokenKind::kLeftParen);
    return has_sizes ? ParseDynamicLiteral(shape, literal) : ParseLiteral(shape, literal);
  }
  std::vector<Literal> elements;
  if (!ParseList(TokenKind::kLeftParen, TokenKind::kRightParen,
                 [&] { return ParseLiteralWithShape(&elements.emplace_back()); })) {
    return false;
  }
  *literal = Literal::MoveIntoTuple(absl::MakeSpan(elements));
  return true;
}

bool ValueParser::Parse(SharedLiteral* literal) {
  auto read = std::make_shared<Literal>();
  if (!ParseLiteralWithShape(read.get())) return false;
  *literal = std::move(read);
  return true;
}

}  // namespace xla
