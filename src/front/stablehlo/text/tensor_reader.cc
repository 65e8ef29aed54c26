// The elements of dense attributes.
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "data/float_text.h"
#include "data/literal_convert.h"
#include "front/stablehlo/text/attribute_reader.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

bool IsHexadecimal(absl::string_view digits) {
  for (char c : digits) {
    if (!absl::ascii_isxdigit(c)) return false;
  }
  return digits.size() % 2 == 0;
}

// Bits beyond the width of the type: a predicate is 0 or 1, numbers of few bits have zeros there.
void CleanElements(PrimitiveType type, std::string* bytes) {
  const int width = primitive_util::BitWidth(type);
  if (type == PRED) {
    for (char& c : *bytes) c = c != 0;
    return;
  }
  if (width >= 8) return;
  const uint8_t mask = (1 << width) - 1;
  for (char& c : *bytes) {
    c = static_cast<char>(static_cast<uint8_t>(c) & mask);
  }
}

void AppendLittleEndian(uint64_t bits, int width, std::string* bytes) {
  for (int i = 0; i < width; ++i) bytes->push_back(static_cast<char>(bits >> (8 * i)));
}

}  // namespace

// <[1, 2]> : tensor<2xi32>. The type is read first.
const Attribute* AttributeReader::ReadDense() {
  if (!Expect('<')) return nullptr;
  const Lexer elements = lexer();
  while (!At('>')) {
    if (At(TokenKind::kError) || At(TokenKind::kEndOfText)) {
      FailExpected("'>'");
      return nullptr;
    }
    Next();
  }
  Next();
  if (!Expect(':')) return nullptr;
  const char* position = place();
  const Shape* shape = ReadShape();
  if (shape == nullptr) return nullptr;
  if (!shape->IsArrayExcludingBuffer() || shape->is_dynamic()) {
    FailAt(position, "a dense attribute is a tensor of known sizes, not ", TypeName(*shape));
    return nullptr;
  }
  const Lexer behind = lexer();
  lexer() = elements;
  std::string bytes;
  if (!ReadElements(*shape, &bytes)) return nullptr;
  if (!At('>')) {
    FailExpected("'>'");
    return nullptr;
  }
  lexer() = behind;
  return Tensor(shape->element_type(), shape->dimensions(), std::move(bytes));
}

bool AttributeReader::ReadElements(const Shape& shape, std::string* bytes) {
  if (At('>')) {
    return ShapeUtil::ElementsIn(shape) == 0 || Fail("there are no elements for ", TypeName(shape));
  }
  if (At(TokenKind::kString)) {
    const Token string = token();
    Next();
    absl::string_view digits = string.text;
    if (!absl::ConsumePrefix(&digits, "0x")) {
      return FailAt(string.begin, "elements in a string are hexadecimal digits behind 0x");
    }
    return ReadHexadecimalElements(shape, string.begin, digits, bytes);
  }
  if (At('[')) return ReadElementList(shape, 0, bytes);
  return ReadElement(shape.element_type(), bytes);
}

// The list has as many elements as the dimension; each is a list of the next one.
bool AttributeReader::ReadElementList(const Shape& shape, int dimension, std::string* bytes) {
  Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  const char* position = place();
  const int rank = static_cast<int>(shape.dimensions().size());
  if (dimension == rank)
    return Fail("expected a number, since ", TypeName(shape), " has ", rank,
                rank == 1 ? " dimension" : " dimensions");
  int64_t count = 0;
  const auto read_one = [&] {
    ++count;
    if (dimension + 1 == rank && !At('[')) return ReadElement(shape.element_type(), bytes);
    if (!At('[')) return FailExpected("'['");
    return ReadElementList(shape, dimension + 1, bytes);
  };
  if (!ReadList('[', ']', read_one)) return false;
  return count == shape.dimensions(dimension) ||
         FailAt(position, "the list has ", count, " elements, but dimension ", dimension, " of ",
                TypeName(shape), " has ", shape.dimensions(dimension));
}

bool AttributeReader::ReadElement(PrimitiveType type, std::string* bytes) {
  if (!primitive_util::IsComplexType(type)) return ReadRealElement(type, bytes);
  const PrimitiveType part = primitive_util::ComplexComponentType(type);
  return Expect('(') && ReadRealElement(part, bytes) && Expect(',') &&
         ReadRealElement(part, bytes) && Expect(')');
}

bool AttributeReader::ReadRealElement(PrimitiveType type, std::string* bytes) {
  return primitive_util::IsFloatingPointType(type) ? ReadFloatElement(type, bytes)
                                                   : ReadIntegerElement(type, bytes);
}

bool AttributeReader::ReadIntegerElement(PrimitiveType type, std::string* bytes) {
  const char* position = place();
  if (AtWord("true") || AtWord("false")) {
    if (type != PRED) return Fail("only elements of type i1 are true or false");
    bytes->push_back(AtWord("true") ? 1 : 0);
    Next();
    return true;
  }
  const bool negative = At('-');
  int64_t value;
  if (!ReadInteger(&value)) return false;
  const int width = primitive_util::BitWidth(type);
  const bool is_unsigned = primitive_util::IsUnsignedIntegralType(type);
  if (width < 64 || negative) {
    const int64_t lowest = is_unsigned ? 0 : std::numeric_limits<int64_t>::min() >> (64 - width);
    const bool fits =
        negative ? value >= lowest && value <= 0 : static_cast<uint64_t>(value) >> width == 0;
    if (!fits) return FailAt(position, "the number does not fit into ", width, " bits");
  }
  std::string element;
  AppendLittleEndian(static_cast<uint64_t>(value), primitive_util::ByteWidth(type), &element);
  CleanElements(type, &element);
  bytes->append(element);
  return true;
}

bool AttributeReader::ReadFloatElement(PrimitiveType type, std::string* bytes) {
  const char* position = place();
  const int width = primitive_util::BitWidth(type);
  const bool negative = Accept('-');
  const Token number = token();
  if (At(TokenKind::kInteger) && !negative && absl::StartsWith(number.text, "0x")) {
    int64_t bits;
    if (!ReadInteger(&bits)) return false;
    if (width < 64 && static_cast<uint64_t>(bits) >> width != 0) {
      return FailAt(position, "the bits of the number do not fit into ", width, " bits");
    }
    AppendLittleEndian(static_cast<uint64_t>(bits), primitive_util::ByteWidth(type), bytes);
    return true;
  }
  if (At(TokenKind::kInteger)) return FailAt(position, "a floating-point number has a point: 1.0");
  if (!Accept(TokenKind::kDecimal)) return FailExpected("a number");
  double element[2];  // of any type
  const std::string text = absl::StrCat(negative ? "-" : "", number.text);
  if (!ParseElement(type, text, element).ok()) {
    // Beyond the largest number.
    double value;
    if (!absl::SimpleAtod(text, &value)) return FailAt(position, "expected a number");
    ConvertElements(F64, &value, type, element, 1);
  }
  bytes->append(reinterpret_cast<const char*>(element), primitive_util::ByteWidth(type));
  return true;
}

bool AttributeReader::ReadHexadecimalElements(const Shape& shape, const char* position,
                                              absl::string_view digits, std::string* bytes) {
  if (!IsHexadecimal(digits)) return FailAt(position, "expected pairs of hexadecimal digits");
  const PrimitiveType type = shape.element_type();
  const int64_t size = digits.size() / 2;
  const int64_t width = primitive_util::ByteWidth(type);
  const int64_t count = ShapeUtil::ElementsIn(shape);
  // Older text has eight predicates in a byte.
  if (type == PRED && size > 1 && size != count && size == (count + 7) / 8) {
    bytes->resize(count);
    UnpackBits(absl::HexStringToBytes(digits), count, 1, bytes->data());
    CleanElements(type, bytes);
    return true;
  }
  if (size % width != 0 || (size / width != count && size != width)) {
    return FailAt(position, "the string has ", size, " bytes, but ", TypeName(shape), " has ",
                  count, " elements of ", width);
  }
  *bytes = absl::HexStringToBytes(digits);
  CleanElements(type, bytes);
  return true;
}

// ---- Values that stand at the end of the text

// <name> : tensor<2xf32>
const Attribute* AttributeReader::ReadResource() {
  if (!Expect('<')) return nullptr;
  const Token name = token();
  absl::string_view key = name.text;
  if (At(TokenKind::kString) ? !ReadString(&key) : !Accept(TokenKind::kWord)) {
    FailExpected("the name of a resource");
    return nullptr;
  }
  if (!Expect('>') || !Expect(':')) return nullptr;
  const Shape* shape = ReadShape();
  if (shape == nullptr) return nullptr;
  const auto found = resources_.find(key);
  if (found == resources_.end()) {
    FailAt(name.begin, "the text does not have the resource ", key);
    return nullptr;
  }
  if (!shape->IsArrayExcludingBuffer() || shape->is_dynamic()) {
    FailAt(name.begin, "a resource is a tensor of known sizes, not ", TypeName(*shape));
    return nullptr;
  }
  // The alignment comes first, in four bytes.
  constexpr size_t kAlignmentDigits = 10;
  absl::string_view digits = found->second;
  std::string bytes;
  if (digits.size() < kAlignmentDigits || !absl::ConsumePrefix(&digits, "0x")) {
    FailAt(name.begin, "the resource is not 0x and hexadecimal digits");
    return nullptr;
  }
  digits.remove_prefix(kAlignmentDigits - 2);
  if (!ReadHexadecimalElements(*shape, name.begin, digits, &bytes)) return nullptr;
  return Tensor(shape->element_type(), shape->dimensions(), std::move(bytes));
}

// {-# dialect_resources: { builtin: { name: "0x...", ... } } #-}
bool AttributeReader::ReadResources(absl::string_view section) {
  Lexer lexer(section);
  const auto accept = [&](char c) {
    const bool found =
        lexer.token().kind == TokenKind::kPunctuation && lexer.token().character == c;
    if (found) lexer.Next();
    return found;
  };
  const auto accept_name = [&](absl::string_view* name) {
    *name = lexer.token().text;
    const TokenKind kind = lexer.token().kind;
    lexer.Next();
    return (kind == TokenKind::kWord || kind == TokenKind::kString) && accept(':');
  };
  // Three levels of braces: kinds of resources, dialects, names.
  absl::flat_hash_map<absl::string_view, absl::string_view> found;
  if (!accept('{') || !accept('-') || !accept('#')) return false;
  int depth = 0;
  while (depth > 0 || !accept('#')) {
    if (accept('}')) {
      if (--depth < 0) return false;
    } else if (!accept(',')) {
      absl::string_view name;
      if (!accept_name(&name)) return false;
      if (lexer.token().kind == TokenKind::kString) {
        if (depth == 2) found[name] = lexer.token().text;
        lexer.Next();
      } else if (accept('{')) {
        if (++depth > 2) return false;
      } else if (lexer.token().kind == TokenKind::kWord) {
        lexer.Next();
      } else {
        return false;
      }
    }
  }
  if (!accept('-') || !accept('}') || lexer.token().kind != TokenKind::kEndOfText) return false;
  resources_ = std::move(found);
  return true;
}

}  // namespace xla::stablehlo
