#include "front/stablehlo/text/attribute_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "data/literal_convert.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

// The parts of structured attributes, in the order in which text has them, `name:kind`.
struct Structure {
  absl::string_view name;
  absl::string_view fields;
};
constexpr Structure kStructures[] = {
    {"stablehlo.gather",
     "offset_dims:list collapsed_slice_dims:list operand_batching_dims:list "
     "start_indices_batching_dims:list start_index_map:list index_vector_dim:integer"},
    {"stablehlo.scatter",
     "update_window_dims:list inserted_window_dims:list input_batching_dims:list "
     "scatter_indices_batching_dims:list scatter_dims_to_operand_dims:list "
     "index_vector_dim:integer"},
    {"stablehlo.dot",
     "lhs_batching_dimensions:list rhs_batching_dimensions:list lhs_contracting_dimensions:list "
     "rhs_contracting_dimensions:list"},
    {"chlo.ragged_dot",
     "lhs_batching_dimensions:list rhs_batching_dimensions:list lhs_contracting_dimensions:list "
     "rhs_contracting_dimensions:list lhs_ragged_dimensions:list rhs_group_dimensions:list"},
    {"stablehlo.dot_algorithm",
     "lhs_precision_type:type rhs_precision_type:type accumulation_type:type "
     "lhs_component_count:integer rhs_component_count:integer num_primitive_operations:integer "
     "allow_imprecise_accumulation:bool"},
};

const Structure* FindStructure(absl::string_view name) {
  for (const Structure& structure : kStructures) {
    if (structure.name == name) return &structure;
  }
  return nullptr;
}

}  // namespace

// ---- Making attributes

const Attribute* AttributeReader::StringValue(absl::string_view value) {
  return Add(StringAttribute{value});
}

const Attribute* AttributeReader::Keyword(absl::string_view value) {
  return Add(KeywordAttribute{value});
}

const Attribute* AttributeReader::Integer(PrimitiveType type, int64_t value) {
  return Add(IntegerAttribute{type, value});
}

const Attribute* AttributeReader::IntegerList(absl::Span<const int64_t> values) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t));
  return Tensor(S64, {static_cast<int64_t>(values.size())}, std::move(bytes));
}

const Attribute* AttributeReader::Tensor(PrimitiveType type, absl::Span<const int64_t> dimensions,
                                         std::string bytes) {
  const Shape* shape = program_->Add(Shape(type, dimensions));
  const size_t width = primitive_util::ByteWidth(type);
  bool is_splat = ShapeUtil::ElementsIn(*shape) > 1;
  // One element may stand for all already.
  if (bytes.size() > width) {
    is_splat = std::equal(bytes.begin() + width, bytes.end(), bytes.begin());
    if (is_splat) bytes.resize(width);
  }
  return Add(TensorAttribute{shape, Keep(std::move(bytes)), is_splat});
}

bool AttributeReader::SortByName(NamedAttributes* entries, const char* position) {
  const auto by_name = [](const NamedAttribute& a, const NamedAttribute& b) {
    return a.name < b.name;
  };
  std::stable_sort(entries->begin(), entries->end(), by_name);
  for (size_t i = 1; i < entries->size(); ++i) {
    if ((*entries)[i].name == (*entries)[i - 1].name) {
      return FailAt(position, "the attribute ", (*entries)[i].name, " is given twice");
    }
  }
  return true;
}

// ---- Reading attributes

const Attribute* AttributeReader::ReadAttribute() {
  Nesting nesting(this);
  if (nesting.TooDeep() || !Spend(1)) return nullptr;
  const char* begin = place();
  switch (token().kind) {
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
      return ReadNumber();
    case TokenKind::kString: {
      absl::string_view value;
      if (!ReadString(&value)) return nullptr;
      if (Accept(':') && ReadType() == nullptr) return nullptr;
      return StringValue(value);
    }
    case TokenKind::kSymbol:
    case TokenKind::kQuotedName:
      return ReadNestedSymbol();
    case TokenKind::kHash:
      return ReadHashAttribute();
    case TokenKind::kPunctuation:
      if (At('-')) return ReadNumber();
      if (At('[')) return ReadArray();
      if (At('{')) {
        DictionaryAttribute dictionary;
        return ReadDictionary(&dictionary.entries) ? Add(std::move(dictionary)) : nullptr;
      }
      break;
    case TokenKind::kWord:
      if (AcceptWord("unit")) return Add(UnitAttribute{});
      if (AtWord("true") || AtWord("false")) {
        const bool value = AtWord("true");
        Next();
        return Add(value);
      }
      if (AcceptWord("dense")) return ReadDense();
      if (AcceptWord("array")) return ReadTypedArray();
      if (AcceptWord("dense_resource")) return ReadResource();
      if (AtWord("loc")) {
        if (ReadOptionalLocation() == nullptr) return nullptr;
        return Add(OpaqueAttribute{absl::string_view(begin, lexer().token().begin - begin)});
      }
      if (AtWord("distinct") || AtWord("affine_map") || AtWord("affine_set")) {
        return ReadOpaque(begin);
      }
      if (AtWord("sparse") || AtWord("opaque")) {
        FailUnimplemented(begin, token().text, " attributes are not supported");
        return nullptr;
      }
      break;
    default:
      break;
  }
  if (At('(') || At(TokenKind::kExclamation) || At(TokenKind::kWord)) {
    const Type* type = ReadType();
    return type == nullptr ? nullptr : Add(TypeAttribute{type});
  }
  FailExpected("an attribute");
  return nullptr;
}

bool AttributeReader::ReadDictionary(NamedAttributes* entries) {
  const char* position = place();
  const auto read_entry = [&] {
    NamedAttribute entry;
    if (At(TokenKind::kString)) {
      if (!ReadString(&entry.name)) return false;
    } else if (At(TokenKind::kWord)) {
      entry.name = token().text;
      Next();
    } else {
      return FailExpected("the name of an attribute");
    }
    entry.value = Accept('=') ? ReadAttribute() : Add(UnitAttribute{});
    entries->push_back(entry);
    return entry.value != nullptr;
  };
  return ReadList('{', '}', read_entry) && SortByName(entries, position);
}

// 5, -5 : i32, 1.5, 0x7FC00000 : f32
const Attribute* AttributeReader::ReadNumber() {
  const Lexer number = lexer();
  Accept('-');
  PrimitiveType type = At(TokenKind::kDecimal) ? F64 : S64;
  if (!At(TokenKind::kDecimal) && !At(TokenKind::kInteger)) {
    FailExpected("a number");
    return nullptr;
  }
  Next();
  const char* position = place();
  if (Accept(':') && !ReadElementType(&type)) return nullptr;
  if (primitive_util::IsComplexType(type)) {
    FailAt(position, "an attribute is no complex number");
    return nullptr;
  }
  const Lexer behind = lexer();
  lexer() = number;
  std::string bytes;
  if (!ReadRealElement(type, &bytes)) return nullptr;
  lexer() = behind;
  if (type == PRED) return Add(bytes[0] != 0);
  if (primitive_util::IsFloatingPointType(type)) {
    double value = 0;
    ConvertElements(type, bytes.data(), F64, &value, 1);
    return Add(FloatAttribute{type, value});
  }
  int64_t value = 0;
  const PrimitiveType wide = primitive_util::IsUnsignedIntegralType(type) ? U64 : S64;
  ConvertElements(type, bytes.data(), wide, &value, 1);
  return Integer(type, value);
}

const Attribute* AttributeReader::ReadNestedSymbol() {
  absl::string_view name;
  if (!ReadSymbol(&name)) return nullptr;
  if (At(TokenKind::kDoubleColon)) {
    FailUnimplemented(place(), "references to symbols within symbols are not supported");
    return nullptr;
  }
  return Add(SymbolAttribute{name});
}

const Attribute* AttributeReader::ReadArray() {
  ArrayAttribute array;
  const auto read_element = [&] {
    array.elements.push_back(ReadAttribute());
    return array.elements.back() != nullptr;
  };
  return ReadList('[', ']', read_element) ? Add(std::move(array)) : nullptr;
}

// <i64: 1, 2>, behind `array`
const Attribute* AttributeReader::ReadTypedArray() {
  PrimitiveType type;
  if (!Expect('<') || !ReadElementType(&type)) return nullptr;
  std::string bytes;
  int64_t count = 0;
  const auto read_element = [&] {
    ++count;
    return ReadElement(type, &bytes);
  };
  if (!Accept('>') && (!Expect(':') || !ReadListUntil('>', read_element))) return nullptr;
  return Tensor(type, {count}, std::move(bytes));
}

const Attribute* AttributeReader::ReadOpaque(const char* begin) {
  std::vector<char> open;
  const char* end = place();
  do {
    if (At(TokenKind::kError) || At(TokenKind::kEndOfText)) {
      FailExpected("the end of the attribute");
      return nullptr;
    }
    const char c = token().character;
    if (c == '<' || c == '[' || c == '(' || c == '{') {
      open.push_back(c == '(' ? ')' : c == '<' ? '>' : c == '[' ? ']' : '}');
    } else if (c == '>' || c == ']' || c == ')' || c == '}') {
      if (open.empty() || open.back() != c) {
        FailExpected("the end of the attribute");
        return nullptr;
      }
      open.pop_back();
    }
    end = token().end;
    Next();
    // distinct[0]<...> goes on.
  } while (!open.empty() || At('<') || At('['));
  return Add(OpaqueAttribute{absl::string_view(begin, end - begin)});
}

const Attribute* AttributeReader::ReadHashAttribute() {
  const absl::string_view name = token().text;
  const char* begin = place();
  const auto alias = attribute_aliases_.find(name);
  if (alias != attribute_aliases_.end()) {
    Next();
    return UseAlias(alias->second.extent) ? alias->second.value : nullptr;
  }
  const bool is_known =
      name == "stablehlo" || name == "chlo" || name == "sdy" || absl::StrContains(name, '.');
  if (!is_known) {
    Fail("there is no attribute alias #", name);
    return nullptr;
  }
  Next();
  const Attribute* result = ReadDialectAttribute(name);
  if (result != nullptr || failed()) return result;
  return At('<') ? ReadOpaque(begin)
                 : Add(OpaqueAttribute{absl::string_view(begin, name.size() + 1)});
}

// Null without an error for attributes that are not looked into.
const Attribute* AttributeReader::ReadDialectAttribute(absl::string_view name) {
  if (name == "stablehlo" || name == "chlo" || absl::EndsWith(name, ".result_accuracy_mode")) {
    // <precision HIGHEST>, or only <HIGHEST>
    if (!Expect('<')) return nullptr;
    absl::string_view word = token().text;
    if (!Accept(TokenKind::kWord)) {
      FailExpected("the name of an enumeration");
      return nullptr;
    }
    if (At(TokenKind::kWord)) {
      word = token().text;
      Next();
    }
    return Expect('>') ? Keyword(word) : nullptr;
  }
  if (name == "sdy") {
    const Token next = Peek();
    if (!At('<') || next.kind != TokenKind::kWord || next.text != "manual_axes") return nullptr;
    Next();
    Next();
    const Attribute* axes = ReadManualAxes();
    return axes != nullptr && Expect('>') ? axes : nullptr;
  }
  if (FindStructure(name) != nullptr) return ReadStructure(name);
  if (name == "stablehlo.conv") {
    DictionaryAttribute dictionary;
    if (!Expect('<') || !ReadConvolutionDimensions(&dictionary.entries) || !Expect('>')) {
      return nullptr;
    }
    return Add(std::move(dictionary));
  }
  if (name == "stablehlo.channel_handle") {
    DictionaryAttribute dictionary;
    int64_t handle;
    int64_t type;
    if (!Expect('<') || !ExpectName("handle") || !ReadSignedInteger(&handle) || !Expect(',') ||
        !ExpectName("type") || !ReadSignedInteger(&type) || !Expect('>')) {
      return nullptr;
    }
    dictionary.entries = {{"channel_id", Integer(S64, handle)},
                          {"channel_type", Integer(S64, type)}};
    return Add(std::move(dictionary));
  }
  if (name == "stablehlo.output_operand_alias") return ReadOutputOperandAlias();
  if (name == "stablehlo.result_accuracy" || name == "chlo.result_accuracy") {
    return ReadResultAccuracy();
  }
  if (name == "sdy.mesh") return ReadMesh();
  if (name == "sdy.sharding") return ReadSharding();
  if (name == "sdy.sharding_per_value") return ReadShardingPerValue();
  return nullptr;
}

// <output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>
const Attribute* AttributeReader::ReadOutputOperandAlias() {
  OutputOperandAlias alias;
  if (!Expect('<') || !ExpectName("output_tuple_indices") || !ReadIntegers(&alias.output_indices) ||
      !Expect(',') || !ExpectName("operand_index") || !ReadSignedInteger(&alias.operand) ||
      !Expect(',') || !ExpectName("operand_tuple_indices") ||
      !ReadIntegers(&alias.operand_indices) || !Expect('>')) {
    return nullptr;
  }
  return Add(std::move(alias));
}

// <atol = 1.0e-5, rtol = 0.0, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>, where
// all but the mode may be left out.
const Attribute* AttributeReader::ReadResultAccuracy() {
  ResultAccuracyAttribute accuracy{0, 0, 0, "DEFAULT"};
  const auto read_double = [&](double* value) {
    std::string bytes;
    if (!ReadRealElement(F64, &bytes)) return false;
    ConvertElements(F64, bytes.data(), F64, value, 1);
    return true;
  };
  const auto read_field = [&] {
    if (AcceptWord("atol")) return Expect('=') && read_double(&accuracy.absolute_tolerance);
    if (AcceptWord("rtol")) return Expect('=') && read_double(&accuracy.relative_tolerance);
    if (AcceptWord("ulps")) return Expect('=') && ReadSignedInteger(&accuracy.units);
    if (!ExpectName("mode")) return false;
    const char* position = place();
    const Attribute* mode = ReadAttribute();
    if (mode == nullptr) return false;
    const auto* keyword = std::get_if<KeywordAttribute>(&mode->value);
    if (keyword == nullptr) return FailAt(position, "the mode of an accuracy is an enumeration");
    accuracy.mode = keyword->name;
    return true;
  };
  return ReadList('<', '>', read_field) ? Add(accuracy) : nullptr;
}

// The value of a field of a structure. Null after an error.
const Attribute* AttributeReader::ReadField(absl::string_view kind) {
  if (kind == "list") {
    std::vector<int64_t> values;
    return ReadIntegers(&values) ? IntegerList(values) : nullptr;
  }
  if (kind == "integer") {
    int64_t value;
    return ReadSignedInteger(&value) ? Integer(S64, value) : nullptr;
  }
  const char* position = place();
  const Attribute* value = ReadAttribute();
  if (value == nullptr) return nullptr;
  const bool fits = kind == "bool" ? std::holds_alternative<bool>(value->value)
                                   : std::holds_alternative<TypeAttribute>(value->value);
  if (!fits) FailAt(position, "expected a ", kind);
  return fits ? value : nullptr;
}

const Attribute* AttributeReader::ReadStructure(absl::string_view name) {
  const Structure& structure = *FindStructure(name);
  DictionaryAttribute dictionary;
  const char* position = place();
  const auto read_field = [&] {
    if (!At(TokenKind::kWord)) return FailExpected("the name of a part of the attribute");
    for (absl::string_view field : absl::StrSplit(structure.fields, ' ')) {
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(field, ':');
      if (token().text != parts.first) continue;
      Next();
      if (!Expect('=')) return false;
      const Attribute* value = ReadField(parts.second);
      dictionary.entries.push_back({parts.first, value});
      return value != nullptr;
    }
    return Fail("#", name, " has no part ", token().text, ", but ", structure.fields);
  };
  if (!ReadList('<', '>', read_field)) return nullptr;
  for (absl::string_view field : absl::StrSplit(structure.fields, ' ')) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(field, ':');
    const bool is_given =
        std::any_of(dictionary.entries.begin(), dictionary.entries.end(),
                    [&](const NamedAttribute& entry) { return entry.name == parts.first; });
    if (is_given) continue;
    if (parts.second != "list" && parts.second != "integer") {
      FailAt(position, "#", name, " must have ", parts.first);
      return nullptr;
    }
    dictionary.entries.push_back(
        {parts.first, parts.second == "list" ? IntegerList({}) : Integer(S64, 0)});
  }
  if (!SortByName(&dictionary.entries, position)) return nullptr;
  return Add(std::move(dictionary));
}

// [b, 0, 1, f], where b and f are `first` and `second`.
bool AttributeReader::ReadConvolutionSide(char first, char second, std::vector<int64_t>* spatial,
                                          int64_t* a, int64_t* b) {
  const char* position = place();
  *a = *b = -1;
  int64_t index = 0;
  std::vector<std::pair<int64_t, int64_t>> places;  // spatial dimension, index
  const auto read_one = [&] {
    if (At(TokenKind::kInteger)) {
      int64_t dimension;
      if (!ReadSignedInteger(&dimension)) return false;
      places.push_back({dimension, index++});
      return true;
    }
    if (Accept('?')) {
      ++index;
      return true;
    }
    const absl::string_view word = At(TokenKind::kWord) ? token().text : "";
    int64_t* target = word.size() != 1    ? nullptr
                      : word[0] == first  ? a
                      : word[0] == second ? b
                                          : nullptr;
    if (target == nullptr || *target >= 0) {
      return FailExpected(absl::StrCat("'", absl::string_view(&first, 1), "' and '",
                                       absl::string_view(&second, 1),
                                       "' once each and the numbers of spatial dimensions"));
    }
    *target = index++;
    Next();
    return true;
  };
  if (!ReadList('[', ']', read_one)) return false;
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].first != static_cast<int64_t>(i)) {
      return FailAt(position, "spatial dimensions must be numbered 0, 1, 2, ...");
    }
    spatial->push_back(places[i].second);
  }
  return (*a >= 0 && *b >= 0) || FailAt(position, "one of the dimensions ", std::string(1, first),
                                        " and ", std::string(1, second), " is missing");
}

bool AttributeReader::ReadConvolutionDimensions(NamedAttributes* entries) {
  struct Side {
    char first;
    char second;
    absl::string_view first_name;
    absl::string_view second_name;
    absl::string_view spatial_name;
  };
  constexpr Side kSides[] = {
      {'b', 'f', "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
      {'i', 'o', "kernel_input_feature_dimension", "kernel_output_feature_dimension",
       "kernel_spatial_dimensions"},
      {'b', 'f', "output_batch_dimension", "output_feature_dimension",
       "output_spatial_dimensions"}};
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && !ExpectWord("x")) return false;
    if (i == 2 && !ExpectArrow()) return false;
    const Side& side = kSides[i];
    std::vector<int64_t> spatial;
    int64_t first;
    int64_t second;
    if (!ReadConvolutionSide(side.first, side.second, &spatial, &first, &second)) return false;
    entries->push_back({side.first_name, Integer(S64, first)});
    entries->push_back({side.second_name, Integer(S64, second)});
    entries->push_back({side.spatial_name, IntegerList(spatial)});
  }
  return true;
}

}  // namespace xla::stablehlo
