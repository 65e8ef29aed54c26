#include "front/stablehlo/lower/attribute_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/float_text.h"
#include "front/stablehlo/lower/attributes.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

constexpr int kMostNestedLists = 60;
constexpr int64_t kMostWrittenOut = 100;  // longer tensors are written as their bytes

std::string TypeText(PrimitiveType type) {
  if (type == PRED) return "i1";
  if (type == C64) return "complex<f32>";
  if (type == C128) return "complex<f64>";
  std::string name = primitive_util::LowercasePrimitiveTypeName(type);
  if (primitive_util::IsUnsignedIntegralType(type)) return absl::StrCat("ui", name.substr(1));
  if (primitive_util::IsSignedIntegralType(type)) return absl::StrCat("i", name.substr(1));
  // f8e4m3fn is f8E4M3FN.
  if (absl::StartsWith(name, "f8") || absl::StartsWith(name, "f4") ||
      absl::StartsWith(name, "f6")) {
    return absl::StrCat("f", absl::AsciiStrToUpper(name.substr(1)));
  }
  return name;
}

std::string Quoted(absl::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '"' || !absl::ascii_isprint(static_cast<unsigned char>(c))) {
      absl::StrAppend(&result, "\\",
                      absl::AsciiStrToUpper(absl::BytesToHexString(absl::string_view(&c, 1))));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string Key(absl::string_view name) {
  const bool is_bare = !name.empty() && (absl::ascii_isalpha(name[0]) || name[0] == '_') &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
                       });
  return is_bare ? std::string(name) : Quoted(name);
}

// What is no finite number is written as its bits.
template <typename Native>
std::string FloatText(Native value) {
  if (!std::isfinite(static_cast<double>(value))) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    return absl::StrCat("0x", absl::AsciiStrToUpper(absl::StrCat(
                                  absl::Hex(bits, static_cast<absl::PadSpec>(sizeof(value) * 2)))));
  }
  std::string text = FormatElement(value);
  const size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) {
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  return text;
}

template <typename Native>
std::string ElementText(Native value) {
  if constexpr (std::is_same_v<Native, bool>) {
    return value ? "true" : "false";
  } else if constexpr (is_complex_v<Native>) {
    return absl::StrCat("(", FloatText(value.real()), ",", FloatText(value.imag()), ")");
  } else if constexpr (std::numeric_limits<Native>::is_integer) {
    return FormatElement(value);
  } else {
    return FloatText(value);
  }
}

absl::StatusOr<std::string> FloatAttributeText(const FloatAttribute& number) {
  if (!primitive_util::IsFloatingPointType(number.type)) {
    return InvalidArgument("there are no floating-point numbers of type %s",
                           PrimitiveType_Name(number.type));
  }
  return primitive_util::FloatingPointTypeSwitch(
      [&](auto type) {
        using Native = primitive_util::NativeTypeOf<type>;
        return absl::StrCat(FloatText(static_cast<Native>(number.value)), " : ",
                            TypeText(number.type));
      },
      number.type);
}

// The elements from `next` on, in brackets for each dimension.
std::string Nested(const std::vector<std::string>& elements, absl::Span<const int64_t> sizes,
                   size_t& next) {
  if (sizes.empty()) return elements[next++];
  std::vector<std::string> parts;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    parts.push_back(Nested(elements, sizes.subspan(1), next));
  }
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

absl::StatusOr<std::string> TensorText(const TensorAttribute& tensor) {
  HILO_ASSIGN_OR_RETURN(const Literal literal, ToLiteral(tensor));
  const Shape& shape = *tensor.shape;
  const PrimitiveType type = shape.element_type();
  const std::string type_text =
      absl::StrCat("tensor<", absl::StrJoin(shape.dimensions(), "x"),
                   shape.dimensions().empty() ? "" : "x", TypeText(type), ">");
  std::string inner;
  if (literal.element_count() > kMostWrittenOut && primitive_util::BitWidth(type) >= 8) {
    inner = absl::StrCat("\"0x", absl::AsciiStrToUpper(absl::BytesToHexString(tensor.bytes)), "\"");
  } else {
    std::vector<std::string> elements;
    primitive_util::ArrayTypeSwitch(
        [&](auto native) {
          using Native = primitive_util::NativeTypeOf<native>;
          for (const Native value : literal.data<Native>()) elements.push_back(ElementText(value));
        },
        type);
    size_t next = 0;
    if (!elements.empty()) inner = Nested(elements, literal.shape().dimensions(), next);
  }
  return absl::StrCat("dense<", inner, "> : ", type_text);
}

absl::StatusOr<std::string> Text(const Attribute& attribute, int depth);

absl::StatusOr<std::string> Text(const DictionaryAttribute& dictionary, int depth) {
  NamedAttributes entries = dictionary.entries;
  std::sort(entries.begin(), entries.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  std::vector<std::string> parts;
  for (const NamedAttribute& entry : entries) {
    if (As<UnitAttribute>(entry.value) != nullptr) {
      parts.push_back(Key(entry.name));
      continue;
    }
    HILO_ASSIGN_OR_RETURN(const std::string value, Text(*entry.value, depth + 1));
    parts.push_back(absl::StrCat(Key(entry.name), " = ", value));
  }
  return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
}

absl::StatusOr<std::string> Text(const Attribute& attribute, int depth) {
  if (depth > kMostNestedLists) return InvalidArgument("attributes nest too deeply");
  if (As<UnitAttribute>(&attribute) != nullptr) return std::string("unit");
  if (const auto* value = As<bool>(&attribute)) return std::string(*value ? "true" : "false");
  if (const auto* integer = As<IntegerAttribute>(&attribute)) {
    return absl::StrCat(primitive_util::IsUnsignedIntegralType(integer->type)
                            ? absl::StrCat(static_cast<uint64_t>(integer->value))
                            : absl::StrCat(integer->value),
                        " : ", TypeText(integer->type));
  }
  if (const auto* number = As<FloatAttribute>(&attribute)) return FloatAttributeText(*number);
  if (const auto* text = As<StringAttribute>(&attribute)) return Quoted(text->value);
  if (const auto* symbol = As<SymbolAttribute>(&attribute)) return absl::StrCat("@", symbol->name);
  if (const auto* keyword = As<KeywordAttribute>(&attribute)) return std::string(keyword->name);
  if (const auto* tensor = As<TensorAttribute>(&attribute)) return TensorText(*tensor);
  if (const auto* opaque = As<OpaqueAttribute>(&attribute)) return std::string(opaque->text);
  if (const auto* dictionary = As<DictionaryAttribute>(&attribute)) return Text(*dictionary, depth);
  if (const auto* type = As<TypeAttribute>(&attribute)) {
    if (const auto* element = std::get_if<PrimitiveType>(&type->type->value)) {
      return TypeText(*element);
    }
  }
  if (const auto* array = As<ArrayAttribute>(&attribute)) {
    std::vector<std::string> parts;
    for (const Attribute* element : array->elements) {
      HILO_ASSIGN_OR_RETURN(std::string part, Text(*element, depth + 1));
      parts.push_back(std::move(part));
    }
    return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
  }
  return Unimplemented("an attribute of this kind cannot be given to a custom call");
}

}  // namespace

absl::StatusOr<std::string> ToText(const DictionaryAttribute& dictionary) {
  return Text(dictionary, 0);
}
absl::StatusOr<std::string> ToText(const Attribute& attribute) { return Text(attribute, 0); }

}  // namespace xla::stablehlo::lowering
