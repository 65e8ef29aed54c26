#include "runtime/ffi/attributes.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/float_text.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

constexpr int kMaxDepth = 64;
constexpr int64_t kMaxElements = int64_t{1} << 24;

// An element as it was written; its type may come only afterwards.
struct Element {
  std::string text;  // a number, true, false, or (re, im)
  size_t position;
};

// Reads the text from left to right.
class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<FfiAttributes> ParseAll() {
    SkipSpace();
    if (position_ == text_.size()) return FfiAttributes();
    HILO_ASSIGN_OR_RETURN(FfiAttributes attributes, ParseDictionary(0));
    SkipSpace();
    if (position_ != text_.size()) return Wrong("nothing may follow the dictionary");
    return attributes;
  }

 private:
  absl::Status Wrong(absl::string_view what) const { return WrongAt(position_, what); }
  absl::Status WrongAt(size_t position, absl::string_view what) const {
    return InvalidArgument("Attributes of a custom call: %s, at character %d of %s", what, position,
                           text_.substr(0, 200));
  }

  void SkipSpace() {
    while (position_ < text_.size() && absl::ascii_isspace(text_[position_])) ++position_;
  }
  char Peek() {
    SkipSpace();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool Take(absl::string_view token) {
    SkipSpace();
    if (!absl::StartsWith(text_.substr(position_), token)) return false;
    position_ += token.size();
    return true;
  }
  absl::Status Expect(absl::string_view token) {
    return Take(token) ? absl::OkStatus() : Wrong(absl::StrCat("expected ", token));
  }
  static bool IsWordCharacter(char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$' || c == '-' || c == '+';
  }
  // Letters, digits and what numbers and names have beside them; may be empty.
  absl::string_view TakeWord() {
    SkipSpace();
    const size_t begin = position_;
    while (position_ < text_.size() && IsWordCharacter(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  absl::StatusOr<FfiAttributes> ParseDictionary(int depth) {
    if (depth > kMaxDepth) return Wrong("dictionaries nest too deeply");
    HILO_RETURN_IF_ERROR(Expect("{"));
    FfiAttributes attributes;
    if (Take("}")) return attributes;
    do {
      std::string name;
      if (Peek() == '"') {
        HILO_ASSIGN_OR_RETURN(name, ParseString());
      } else {
        name = std::string(TakeWord());
      }
      if (name.empty()) return Wrong("expected a name");
      if (Peek() == '\0') return Wrong("expected =");
      if (!Take("=")) return Unimplemented("attribute %s of a custom call has no value", name);
      HILO_ASSIGN_OR_RETURN(FfiAttribute attribute, ParseAttribute(depth));
      if (!attributes.emplace(name, std::move(attribute)).second)
        return Wrong(absl::StrCat("there are two attributes ", name));
    } while (Take(","));
    HILO_RETURN_IF_ERROR(Expect("}"));
    return attributes;
  }

  absl::StatusOr<FfiAttribute> ParseAttribute(int depth) {
    switch (Peek()) {
      case '{': {
        HILO_ASSIGN_OR_RETURN(FfiAttributes attributes, ParseDictionary(depth + 1));
        return FfiAttribute{std::make_shared<const FfiAttributes>(std::move(attributes))};
      }
      case '"': {
        HILO_ASSIGN_OR_RETURN(std::string text, ParseString());
        return FfiAttribute{std::move(text)};
      }
      case '[':
        return ParseList();
      case '\0':
      case '}':
      case ',':
        return Wrong("expected a value");
      default:
        break;
    }
    if (Take("array<")) return ParseArray();
    if (Take("dense<")) return ParseDense();
    const Element element = TakeElement();
    const absl::string_view text = element.text;
    if (text.empty() || !(absl::ascii_isdigit(text[0]) || text[0] == '-' || text[0] == '+' ||
                          text == "true" || text == "false")) {
      return Unimplemented("attributes of custom calls cannot be of this kind: %s",
                           text_.substr(element.position, 100));
    }
    FfiScalar scalar;
    HILO_ASSIGN_OR_RETURN(scalar.type, ParseTypeOr(DefaultType(text)));
    HILO_RETURN_IF_ERROR(AppendElement(scalar.type, element, scalar.bytes));
    return FfiAttribute{std::move(scalar)};
  }

  // "...", with \" \\ \n \t and two hexadecimal digits after a backslash.
  absl::StatusOr<std::string> ParseString() {
    HILO_RETURN_IF_ERROR(Expect("\""));
    std::string result;
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == '"') return result;
      if (c != '\\') {
        result += c;
        continue;
      }
      const absl::string_view rest = text_.substr(position_);
      if (rest.size() >= 2 && absl::ascii_isxdigit(rest[0]) && absl::ascii_isxdigit(rest[1])) {
        result += absl::HexStringToBytes(rest.substr(0, 2));
        position_ += 2;
      } else if (!rest.empty()) {
        result += rest[0] == 'n' ? '\n' : rest[0] == 't' ? '\t' : rest[0];
        ++position_;
      }
    }
    return Wrong("a string does not end");
  }

  // A number or a word, or two of them in parentheses.
  Element TakeElement() {
    SkipSpace();
    Element element = {"", position_};
    if (!Take("(")) {
      element.text = std::string(TakeWord());
      return element;
    }
    const size_t begin = position_ - 1;
    while (position_ < text_.size() && text_[position_] != ')') ++position_;
    if (position_ < text_.size()) ++position_;
    element.text = std::string(text_.substr(begin, position_ - begin));
    return element;
  }

  // The type of a scalar without one.
  static PrimitiveType DefaultType(absl::string_view text) {
    if (text == "true" || text == "false") return PRED;
    const bool is_hex = absl::StrContains(text, "0x");
    return !is_hex && text.find_first_of(".eE") != absl::string_view::npos ? F64 : S64;
  }

  // ": type", or the default where there is none.
  absl::StatusOr<PrimitiveType> ParseTypeOr(PrimitiveType type) {
    if (!Take(":")) return type;
    return ParseType();
  }

  absl::StatusOr<PrimitiveType> ParseType() {
    const size_t begin = position_;
    if (Take("complex<")) {
      HILO_ASSIGN_OR_RETURN(const PrimitiveType part, TypeOf(TakeWord(), begin));
      HILO_RETURN_IF_ERROR(Expect(">"));
      if (part == F32) return C64;
      if (part == F64) return C128;
      return WrongAt(begin, "there is no such complex type");
    }
    return TypeOf(TakeWord(), begin);
  }

  // i32, si32, ui32, f32, f8E5M2, bf16, index.
  absl::StatusOr<PrimitiveType> TypeOf(absl::string_view word, size_t position) const {
    if (word == "i1") return PRED;
    if (word == "index") return S64;
    std::string name = absl::AsciiStrToLower(word);
    if (absl::StartsWith(name, "ui") || absl::StartsWith(name, "si")) {
      name.erase(1, 1);
    } else if (absl::StartsWith(name, "i")) {
      name[0] = 's';
    }
    const absl::StatusOr<PrimitiveType> type = primitive_util::StringToPrimitiveType(name);
    if (!type.ok() || !primitive_util::IsArrayType(*type))
      return WrongAt(position, absl::StrCat("there is no type \"", word, "\""));
    return *type;
  }

  // Appends what is written, as a value of the type.
  absl::Status AppendElement(PrimitiveType type, const Element& element, std::string& bytes) const {
    char value[16] = {};
    const int64_t width = primitive_util::ByteWidth(type);
    const size_t hex = element.text.find("0x");
    if (hex != std::string::npos) {
      uint64_t bits = 0;
      if (hex > 1 || !absl::SimpleHexAtoi(element.text.substr(hex), &bits) || width > 8 ||
          (width < 8 && bits >> (8 * width) != 0)) {
        return WrongAt(element.position, "this is no hexadecimal number of its type");
      }
      if (hex == 1 && element.text[0] == '-') bits = -bits;
      std::memcpy(value, &bits, width);  // on processors that store the lowest byte first
    } else {
      const absl::Status status = ParseElement(type, element.text, value);
      if (!status.ok()) return WrongAt(element.position, status.message());
    }
    bytes.append(value, width);
    return absl::OkStatus();
  }

  // Elements separated by commas, at least one, up to the closing token.
  absl::StatusOr<std::vector<Element>> ParseElements(absl::string_view closing) {
    std::vector<Element> elements;
    do {
      elements.push_back(TakeElement());
      if (elements.back().text.empty()) return Wrong("expected a number");
    } while (Take(","));
    HILO_RETURN_IF_ERROR(Expect(closing));
    return elements;
  }

  absl::StatusOr<FfiAttribute> MakeArray(PrimitiveType type, const std::vector<Element>& elements) {
    FfiArray array = {type, static_cast<int64_t>(elements.size()), ""};
    for (const Element& element : elements)
      HILO_RETURN_IF_ERROR(AppendElement(type, element, array.bytes));
    return FfiAttribute{std::move(array)};
  }

  // [1, 2] or [1 : i32, 2 : i32]
  absl::StatusOr<FfiAttribute> ParseList() {
    HILO_RETURN_IF_ERROR(Expect("["));
    std::vector<Element> elements;
    PrimitiveType type = S64;
    if (Take("]")) return MakeArray(type, elements);
    do {
      const char next = Peek();
      if (next == '"' || next == '{' || next == '[')
        return Unimplemented("lists among the attributes of custom calls hold only scalars: %s",
                             text_.substr(position_, 100));
      elements.push_back(TakeElement());
      HILO_ASSIGN_OR_RETURN(const PrimitiveType own,
                            ParseTypeOr(DefaultType(elements.back().text)));
      if (elements.size() > 1 && own != type)
        return Wrong("the elements of a list must have one type");
      type = own;
    } while (Take(","));
    HILO_RETURN_IF_ERROR(Expect("]"));
    return MakeArray(type, elements);
  }

  // After "array<": i64: 1, 2>
  absl::StatusOr<FfiAttribute> ParseArray() {
    HILO_ASSIGN_OR_RETURN(const PrimitiveType type, ParseType());
    if (Take(">")) return MakeArray(type, {});
    HILO_RETURN_IF_ERROR(Expect(":"));
    HILO_ASSIGN_OR_RETURN(const std::vector<Element> elements, ParseElements(">"));
    return MakeArray(type, elements);
  }

  // After "dense<": [[1, 2], [3, 4]]> : tensor<2x2xi64>, or one value for all elements, or the
  // bytes in hexadecimal.
  absl::StatusOr<FfiAttribute> ParseDense() {
    std::vector<Element> elements;
    std::optional<std::string> bytes;
    bool is_splat = false;
    if (Peek() == '"') {
      HILO_ASSIGN_OR_RETURN(bytes, ParseString());
    } else if (Peek() == '[') {
      int depth = 0;
      do {
        while (Take("[")) ++depth;
        if (Peek() != ']') elements.push_back(TakeElement());
        if (!elements.empty() && elements.back().text.empty()) return Wrong("expected a number");
        while (depth > 0 && Take("]")) --depth;
      } while (depth > 0 && Take(","));
      if (depth != 0) return Wrong("expected ]");
    } else if (Peek() != '>') {
      elements.push_back(TakeElement());
      is_splat = true;
    }
    HILO_RETURN_IF_ERROR(Expect(">"));
    HILO_RETURN_IF_ERROR(Expect(":"));
    int64_t count = 1;
    HILO_ASSIGN_OR_RETURN(const PrimitiveType type, ParseTensorType(count));
    if (bytes.has_value()) return FromBytes(type, count, *bytes);
    if (elements.size() == 1 && is_splat) {
      std::string one;
      HILO_RETURN_IF_ERROR(AppendElement(type, elements[0], one));
      return FfiAttribute{Repeated(type, count, one)};
    }
    if (static_cast<int64_t>(elements.size()) != count)
      return Wrong(absl::StrCat("a tensor of ", count, " elements has ", elements.size()));
    return MakeArray(type, elements);
  }

  // tensor<2x3xf32> or vector<...>
  absl::StatusOr<PrimitiveType> ParseTensorType(int64_t& count) {
    if (!Take("tensor<") && !Take("vector<")) return Wrong("expected tensor<");
    SkipSpace();
    while (position_ < text_.size() && absl::ascii_isdigit(text_[position_])) {
      int64_t size = 0;
      while (position_ < text_.size() && absl::ascii_isdigit(text_[position_])) {
        size = size * 10 + (text_[position_++] - '0');
        if (size > kMaxElements) return Wrong("a tensor is too large");
      }
      count *= size;
      if (count > kMaxElements) return Wrong("a tensor is too large");
      HILO_RETURN_IF_ERROR(Expect("x"));
    }
    HILO_ASSIGN_OR_RETURN(const PrimitiveType type, ParseType());
    HILO_RETURN_IF_ERROR(Expect(">"));
    return type;
  }

  absl::StatusOr<FfiAttribute> FromBytes(PrimitiveType type, int64_t count,
                                         absl::string_view hex) const {
    const int64_t width = primitive_util::ByteWidth(type);
    if (!absl::ConsumePrefix(&hex, "0x") || hex.size() % 2 != 0 ||
        hex.find_first_not_of("0123456789abcdefABCDEF") != absl::string_view::npos) {
      return Wrong("the bytes of a tensor are hexadecimal numbers after 0x");
    }
    const std::string one = absl::HexStringToBytes(hex);
    const int64_t size = static_cast<int64_t>(one.size());
    if (size == count * width) return FfiAttribute{FfiArray{type, count, one}};
    if (size == width) return FfiAttribute{Repeated(type, count, one)};
    return Wrong("a tensor has not as many bytes as its type says");
  }

  static FfiArray Repeated(PrimitiveType type, int64_t count, absl::string_view one) {
    FfiArray array = {type, count, ""};
    array.bytes.reserve(count * one.size());
    for (int64_t i = 0; i < count; ++i) array.bytes.append(one.data(), one.size());
    return array;
  }

  const absl::string_view text_;
  size_t position_ = 0;
};

}  // namespace

absl::StatusOr<FfiAttributes> ParseFfiAttributes(absl::string_view text) {
  return Parser(text).ParseAll();
}

FfiAttributeTable::FfiAttributeTable(const FfiAttributes& attributes) {
  for (const auto& [name, attribute] : attributes) {
    const std::string& text = texts_.emplace_back(name);
    names_.push_back(&spans_.emplace_back(XLA_FFI_ByteSpan{text.data(), text.size()}));
    values_.push_back(Add(attribute));
  }
  attrs_ = {XLA_FFI_Attrs_STRUCT_SIZE,
            nullptr,
            static_cast<int64_t>(types_.size()),
            types_.data(),
            names_.data(),
            values_.data()};
}

void* FfiAttributeTable::Add(const FfiAttribute& attribute) {
  if (const auto* scalar = std::get_if<FfiScalar>(&attribute.value)) {
    types_.push_back(XLA_FFI_AttrType_SCALAR);
    std::string& bytes = texts_.emplace_back(scalar->bytes);
    bytes.reserve(32);  // so that they lie on the heap, where every type is aligned
    return &scalars_.emplace_back(
        XLA_FFI_Scalar{static_cast<XLA_FFI_DataType>(scalar->type), bytes.data()});
  }
  if (const auto* array = std::get_if<FfiArray>(&attribute.value)) {
    types_.push_back(XLA_FFI_AttrType_ARRAY);
    std::string& bytes = texts_.emplace_back(array->bytes);
    bytes.reserve(32);
    return &arrays_.emplace_back(XLA_FFI_Array{static_cast<XLA_FFI_DataType>(array->type),
                                               static_cast<size_t>(array->size), bytes.data()});
  }
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    types_.push_back(XLA_FFI_AttrType_STRING);
    const std::string& own = texts_.emplace_back(*text);
    return &spans_.emplace_back(XLA_FFI_ByteSpan{own.data(), own.size()});
  }
  types_.push_back(XLA_FFI_AttrType_DICTIONARY);
  const auto& dictionary = std::get<std::shared_ptr<const FfiAttributes>>(attribute.value);
  return const_cast<XLA_FFI_Attrs*>(&dictionaries_.emplace_back(*dictionary).attrs());
}

}  // namespace xla::runtime
