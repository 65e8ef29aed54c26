#include "front/stablehlo/text/operation_reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace xla::stablehlo {

// ---- Names of values

OperationReader::Scope::Scope(OperationReader* reader, bool is_isolated)
    : reader_(reader), is_isolated_(is_isolated) {
  if (is_isolated_) std::swap(outer_, reader_->names_);
  std::swap(outer_defined_, reader_->defined_);
}

OperationReader::Scope::~Scope() {
  if (is_isolated_) {
    std::swap(outer_, reader_->names_);
  } else {
    for (absl::string_view name : reader_->defined_) reader_->names_.erase(name);
  }
  std::swap(outer_defined_, reader_->defined_);
}

bool OperationReader::Define(absl::string_view name, Values values, const char* place) {
  if (!names_.emplace(name, values).second) return FailAt(place, "%", name, " is defined twice");
  defined_.push_back(name);
  return true;
}

bool OperationReader::ReadOperand(Draft& draft) {
  if (!At(TokenKind::kValue)) return FailExpected("a value, %name");
  const auto found = names_.find(token().text);
  if (found == names_.end()) return Fail("%", token().text, " is not defined before it is used");
  const Values values = found->second;
  const Token name = token();
  Next();
  int64_t index = 0;
  // A `#` of something else would stand apart.
  if (At(TokenKind::kHash) && place() == name.end) {
    if (!absl::SimpleAtoi(token().text, &index)) return FailExpected("the number of a result");
    if (index < 0 || index >= values.count) {
      return Fail("%", name.text, " stands for ", values.count, " results");
    }
    Next();
  }
  draft.operation->operands.push_back(values.first + static_cast<ValueId>(index));
  return true;
}

bool OperationReader::ReadOperands(Draft& draft) {
  if (!At(TokenKind::kValue)) return true;
  do {
    if (!ReadOperand(draft)) return false;
  } while (At(',') && Peek().kind == TokenKind::kValue && Accept(','));
  return true;
}

bool OperationReader::CheckOperandTypes(const Draft& draft, const std::vector<const Shape*>& types,
                                        const char* place) {
  const Operation& operation = *draft.operation;
  if (types.size() != operation.operands.size()) {
    return FailAt(place, operation.name, " has ", operation.operands.size(),
                  " operands, but there are ", types.size(), " types");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Shape& actual = program().shape(operation.operands[i]);
    if (actual == *types[i]) continue;
    return FailAt(place, "operand ", i, " of ", operation.name, " is a ", TypeName(actual),
                  ", not a ", TypeName(*types[i]));
  }
  return true;
}

// ---- Operations

bool OperationReader::ReadText() {
  Operation* module = nullptr;
  Region region;
  while (!At(TokenKind::kEndOfText) && place() != end_) {
    if (At(TokenKind::kHash) || At(TokenKind::kExclamation)) {
      if (!ReadAlias()) return false;
      continue;
    }
    const char* const start = place();
    if (!ReadOperation(&region)) return false;
    const absl::string_view name = region.operations.back()->name;
    if (absl::EndsWith(name, ".return")) return FailAt(start, name, " ends no region here");
  }
  if (!CheckAliases()) return false;
  if (region.operations.size() == 1 && region.operations[0]->name == "builtin.module") {
    program().module = region.operations[0];
    return true;
  }
  module = program().AddOperation();
  module->name = "builtin.module";
  module->location = ReadOptionalLocation();
  module->regions.push_back(std::move(region));
  program().module = module;
  return true;
}

bool OperationReader::ReadOperation(Region* region) {
  Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  std::vector<ResultNames> names;
  if (At(TokenKind::kValue) && !ReadResultNames(&names)) return false;
  const char* start = place();
  absl::string_view name;
  const bool is_generic = At(TokenKind::kString);
  if (is_generic) {
    if (!ReadString(&name)) return false;
  } else if (At(TokenKind::kWord)) {
    name = token().text;
    Next();
    // What functions and modules may leave away.
    if (name == "module") name = "builtin.module";
    if (name == "call") name = "func.call";
    if (name == "return") name = "func.return";
  } else {
    return FailExpected("an operation");
  }
  Draft draft;
  if (!StartOperation(name, start, &draft)) return false;
  if (is_generic ? !ReadGeneric(draft) : !ReadPretty(draft)) return false;
  draft.operation->location = ReadOptionalLocation();
  if (draft.operation->location == nullptr) return false;
  if (!FinishAttributes(draft) || !DefineResults(names, draft)) return false;
  region->operations.push_back(draft.operation);
  return true;
}

// %a, %b:2 =
bool OperationReader::ReadResultNames(std::vector<ResultNames>* names) {
  constexpr int64_t kMaxResults = 1 << 20;
  do {
    if (!At(TokenKind::kValue)) return FailExpected("a value, %name");
    ResultNames result{token().text, 1, place()};
    Next();
    if (Accept(':')) {
      const char* position = place();
      if (!ReadSignedInteger(&result.count)) return false;
      if (result.count < 1 || result.count > kMaxResults) {
        return FailAt(position, "an operation cannot have ", result.count, " results");
      }
    }
    names->push_back(result);
  } while (Accept(','));
  return Expect('=');
}

bool OperationReader::DefineResults(const std::vector<ResultNames>& names, Draft& draft) {
  int64_t count = 0;
  for (const ResultNames& result : names) count += result.count;
  const int64_t actual = draft.results.size();
  // Results without names are not used.
  if (count != actual && !names.empty()) {
    return FailAt(names.front().place, draft.operation->name, " has ", actual,
                  actual == 1 ? " result, but there are " : " results, but there are names for ",
                  count);
  }
  for (const Shape* shape : draft.results) {
    draft.operation->results.push_back(program().AddValue(shape));
  }
  ValueId next = draft.operation->results.empty() ? 0 : draft.operation->results[0];
  for (const ResultNames& result : names) {
    if (!Define(result.name, {next, result.count}, result.place)) return false;
    next += static_cast<ValueId>(result.count);
  }
  return true;
}

bool OperationReader::StartOperation(absl::string_view name, const char* place, Draft* draft) {
  draft->syntax = FindOpSyntax(name);
  if (draft->syntax == nullptr) {
    return FailUnimplemented(place, "there is no operation ", name, SuggestOp(name));
  }
  draft->operation = program().AddOperation();
  draft->operation->name = draft->syntax->name;
  draft->place = place;
  SetSourcePlace(place, draft->operation);
  return true;
}

void OperationReader::SetSourcePlace(const char* place, Operation* operation) {
  while (const void* newline = std::memchr(line_begin_, '\n', place - line_begin_)) {
    line_begin_ = static_cast<const char*>(newline) + 1;
    ++line_;
  }
  operation->source_line = line_;
  operation->source_column = place - line_begin_ + 1;
}

// "name"(%a, %b) <{properties}> ({ region }, { region }) {attributes} : (types) -> types
bool OperationReader::ReadGeneric(Draft& draft) {
  if (!ReadList('(', ')', [&] { return ReadOperand(draft); })) return false;
  if (At('[')) return FailUnimplemented(place(), "operations with successors are not supported");
  if (Accept('<') && (!ReadDictionary(&draft.attributes) || !Expect('>'))) return false;
  if (At('(') && !ReadList('(', ')', [&] { return ReadRegion(draft); })) return false;
  if (!ReadOptionalDictionary(draft)) return false;
  if (!Expect(':')) return false;
  const char* position = place();
  std::vector<const Shape*> operands;
  return ReadShapes(&operands) && CheckOperandTypes(draft, operands, position) && ExpectArrow() &&
         ReadShapes(&draft.results);
}

bool OperationReader::ReadPretty(Draft& draft) {
  const absl::string_view form = draft.syntax->form;
  if (form == "!") return ReadOwnForm(draft);
  if (form.empty()) {
    return FailAt(draft.place, draft.syntax->name, " is written in quotes: \"", draft.syntax->name,
                  "\"(%operand) : (type) -> type");
  }
  return ReadForm(draft, form);
}

// True if the current token is the first word and, if that is a comma, the next one the second.
bool OperationReader::IsPresent(absl::string_view word, absl::string_view next_word) const {
  if (word == "O") return At(TokenKind::kValue);
  const absl::string_view current(token().begin, token().end - token().begin);
  if (current != word) return false;
  if (word != "," || absl::StrContains(next_word, ':')) return true;
  const Token next = Peek();
  return absl::string_view(next.begin, next.end - next.begin) == next_word;
}

bool OperationReader::ReadWord(absl::string_view word) {
  const absl::string_view current(token().begin, token().end - token().begin);
  if (current != word) return FailExpected(absl::StrCat("'", word, "'"));
  Next();
  return true;
}

bool OperationReader::ReadForm(Draft& draft, absl::string_view form) {
  const std::vector<absl::string_view> words = absl::StrSplit(form, ' ');
  for (size_t i = 0; i < words.size(); ++i) {
    const absl::string_view word = words[i];
    const size_t colon = word.size() > 1 ? word.find(':') : absl::string_view::npos;
    bool ok = true;
    if (word == "?(") {
      if (!IsPresent(words[i + 1], words[i + 2])) {
        while (words[i] != "?)") ++i;
      }
    } else if (word == "?)") {
      continue;
    } else if (word == "O") {
      ok = ReadOperands(draft);
    } else if (word == "A") {
      ok = ReadOptionalDictionary(draft);
    } else if (word == "T") {
      ok = ReadTypeSuffix(draft);
    } else if (colon != absl::string_view::npos) {
      ok = ReadValue(word.substr(0, colon), word.substr(colon + 1), draft);
    } else {
      ok = ReadWord(word);
    }
    if (!ok) return false;
  }
  return true;
}

bool OperationReader::ReadOptionalDictionary(Draft& draft) {
  if (!At('{')) return true;
  NamedAttributes entries;
  if (!ReadDictionary(&entries)) return false;
  draft.attributes.insert(draft.attributes.end(), entries.begin(), entries.end());
  return true;
}

// Operands' types and those of the results behind an arrow, or fewer types without one.
bool OperationReader::ReadTypeSuffix(Draft& draft) {
  const Operation& operation = *draft.operation;
  const OpResults results = draft.syntax->results;
  if (results == OpResults::kNone && operation.operands.empty() && !At(':')) return true;
  if (!Expect(':')) return false;
  const char* position = place();
  std::vector<const Shape*> types;
  if (!ReadShapes(&types)) return false;
  while (Accept(',')) {
    types.push_back(ReadShape());
    if (types.back() == nullptr) return false;
  }
  if (Accept(TokenKind::kArrow)) {
    return CheckOperandTypes(draft, types, position) && ReadShapes(&draft.results);
  }
  if (types.empty()) return FailExpected("'->'");
  switch (results) {
    case OpResults::kOperands:
      draft.results = types;
      [[fallthrough]];
    case OpResults::kNone:
      return CheckOperandTypes(draft, types, position);
    case OpResults::kSame:
    case OpResults::kNoneSame:
      if (types.size() != 1) return FailExpected("'->'");
      if (results == OpResults::kSame) draft.results = types;
      types.resize(operation.operands.size(), types[0]);
      return CheckOperandTypes(draft, types, position);
    case OpResults::kLast:
      draft.results = {types.back()};
      return true;
  }
  return true;
}

// The value of an attribute in a pretty form.
bool OperationReader::ReadValue(absl::string_view name, absl::string_view kind, Draft& draft) {
  const Attribute* value = nullptr;
  if (kind == "ranges") return ReadRanges(draft);
  if (kind == "float_format") return ReadFloatFormat(draft);
  if (kind == "window") return ReadWindow(draft);
  if (kind == "words") return ReadKeywords(name, draft);
  if (kind == "convolution") return ReadConvolutionDimensions(&draft.attributes);
  if (kind == "i64" || kind == "i32") {
    int64_t integer;
    if (ReadSignedInteger(&integer)) value = Integer(kind == "i64" ? S64 : S32, integer);
  } else if (kind == "list") {
    std::vector<int64_t> list;
    if (ReadIntegers(&list)) value = IntegerList(list);
  } else if (kind == "word") {
    value = At(TokenKind::kWord) ? Keyword(token().text) : nullptr;
    if (!Accept(TokenKind::kWord)) return FailExpected("the name of an enumeration");
  } else if (kind == "string") {
    absl::string_view string;
    if (ReadString(&string)) value = StringValue(string);
  } else if (kind == "symbol") {
    absl::string_view symbol;
    if (ReadSymbol(&symbol)) value = StringValue(symbol);
  } else if (kind == "dot_algorithm") {
    value = ReadStructure("stablehlo.dot_algorithm");
  } else if (kind == "mesh") {
    value = ReadMesh();
  } else if (kind == "sharding") {
    value = ReadSharding();
  } else if (absl::EndsWith(kind, "_list") || absl::EndsWith(kind, "_lists")) {
    value = ReadSdyList(kind);
  } else if (kind == "shardings") {
    value = ReadShardingPerValue();
  } else if (kind == "axes") {
    value = ReadManualAxes();
  } else {  // attribute, reference
    const char* position = place();
    value = ReadAttribute();
    if (kind == "reference" && value != nullptr &&
        !std::holds_alternative<SymbolAttribute>(value->value)) {
      return FailAt(position, "expected the name of a function, @name");
    }
    const auto* tensor = value == nullptr ? nullptr : std::get_if<TensorAttribute>(&value->value);
    if (name == "value" && value != nullptr) {
      if (tensor == nullptr) return FailAt(position, "a constant is a dense attribute");
      if (draft.syntax->results == OpResults::kLast) draft.results = {tensor->shape};
    }
  }
  draft.attributes.push_back({name, value});
  return value != nullptr;
}

// [0:2, 0:3:2]
bool OperationReader::ReadRanges(Draft& draft) {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  const auto read_one = [&] {
    if (!ReadSignedInteger(&starts.emplace_back()) || !Expect(':') ||
        !ReadSignedInteger(&limits.emplace_back())) {
      return false;
    }
    strides.push_back(1);
    return !Accept(':') || ReadSignedInteger(&strides.back());
  };
  if (!ReadList('[', ']', read_one)) return false;
  draft.attributes.push_back({"start_indices", IntegerList(starts)});
  draft.attributes.push_back({"limit_indices", IntegerList(limits)});
  draft.attributes.push_back({"strides", IntegerList(strides)});
  return true;
}

// e5m10
bool OperationReader::ReadFloatFormat(Draft& draft) {
  absl::string_view format = At(TokenKind::kWord) ? token().text : "";
  const size_t m = format.find('m');
  int64_t exponent;
  int64_t mantissa;
  if (!absl::ConsumePrefix(&format, "e") || m == absl::string_view::npos ||
      !absl::SimpleAtoi(format.substr(0, m - 1), &exponent) ||
      !absl::SimpleAtoi(format.substr(m), &mantissa)) {
    return FailExpected("the bits of exponent and mantissa, such as e5m10");
  }
  Next();
  draft.attributes.push_back({"exponent_bits", Integer(S32, exponent)});
  draft.attributes.push_back({"mantissa_bits", Integer(S32, mantissa)});
  return true;
}

// stride = [1, 2], pad = [[1, 1], [0, -2]], lhs_dilate = [2, 1], rhs_dilate = [1, 2],
// reverse = [true, false], of which each may be left out. The brace behind them stays.
bool OperationReader::ReadWindow(Draft& draft) {
  if (At('}')) return true;
  do {
    const absl::string_view word = At(TokenKind::kWord) ? token().text : "";
    const absl::string_view name = word == "stride"       ? "window_strides"
                                   : word == "pad"        ? "padding"
                                   : word == "lhs_dilate" ? "lhs_dilation"
                                   : word == "rhs_dilate" ? "rhs_dilation"
                                   : word == "reverse"    ? "window_reversal"
                                                          : "";
    if (name.empty()) return FailExpected("stride, pad, lhs_dilate, rhs_dilate or reverse");
    Next();
    if (!Expect('=')) return false;
    std::vector<int64_t> values;
    const Attribute* value = nullptr;
    if (word == "pad") {
      const auto read_pair = [&] {
        return Expect('[') && ReadSignedInteger(&values.emplace_back()) && Expect(',') &&
               ReadSignedInteger(&values.emplace_back()) && Expect(']');
      };
      if (!ReadList('[', ']', read_pair)) return false;
      std::string bytes(reinterpret_cast<const char*>(values.data()),
                        values.size() * sizeof(int64_t));
      value = Tensor(S64, {static_cast<int64_t>(values.size()) / 2, 2}, std::move(bytes));
    } else if (word == "reverse") {
      std::string bytes;
      const auto read_flag = [&] {
        if (!AtWord("true") && !AtWord("false")) return FailExpected("true or false");
        bytes.push_back(AtWord("true") ? 1 : 0);
        Next();
        return true;
      };
      if (!ReadList('[', ']', read_flag)) return false;
      const int64_t count = bytes.size();
      value = Tensor(PRED, {count}, std::move(bytes));
    } else {
      if (!ReadIntegers(&values)) return false;
      value = IntegerList(values);
    }
    draft.attributes.push_back({name, value});
  } while (Accept(','));
  return true;
}

// [HIGHEST, DEFAULT]
bool OperationReader::ReadKeywords(absl::string_view name, Draft& draft) {
  ArrayAttribute array;
  const auto read_one = [&] {
    if (!At(TokenKind::kWord)) return FailExpected("the name of an enumeration");
    array.elements.push_back(Keyword(token().text));
    Next();
    return true;
  };
  if (!ReadList('[', ']', read_one)) return false;
  draft.attributes.push_back({name, program().Add(Attribute{std::move(array)})});
  return true;
}

// ---- Regions

bool OperationReader::ReadRegion(Draft& draft) { return ReadRegionWith({}, draft); }

bool OperationReader::ReadRegionWith(const std::vector<Parameter>& parameters, Draft& draft) {
  const absl::string_view name = draft.operation->name;
  Scope scope(this, /*is_isolated=*/name == "func.func" || name == "builtin.module");
  Region region;
  if (!AddParameters(parameters, &region) || !Expect('{')) return false;
  if (At(TokenKind::kCaret)) {
    if (!parameters.empty()) return Fail("the parameters of the region are named already");
    Next();
    std::vector<Parameter> named;
    if (At('(') && !ReadParameters(&named)) return false;
    if (!Expect(':') || !AddParameters(named, &region)) return false;
  }
  if (!ReadBlock(&region)) return false;
  draft.operation->regions.push_back(std::move(region));
  return true;
}

// (%a: type, %b: type)
bool OperationReader::ReadParameters(std::vector<Parameter>* parameters) {
  return ReadList('(', ')', [&] {
    Parameter parameter{token().text, nullptr, place()};
    if (!Accept(TokenKind::kValue)) return FailExpected("a value, %name");
    if (!Expect(':')) return false;
    parameter.shape = ReadShape();
    parameters->push_back(parameter);
    return parameter.shape != nullptr && ReadOptionalLocation() != nullptr;
  });
}

bool OperationReader::AddParameters(const std::vector<Parameter>& parameters, Region* region) {
  for (const Parameter& parameter : parameters) {
    const ValueId value = program().AddValue(parameter.shape);
    region->arguments.push_back(value);
    if (!parameter.name.empty() && !Define(parameter.name, {value, 1}, parameter.place)) {
      return false;
    }
  }
  return true;
}

// Operations up to the brace.
bool OperationReader::ReadBlock(Region* region) {
  while (!Accept('}')) {
    if (At(TokenKind::kCaret)) {
      return FailUnimplemented(place(), "regions of several blocks are not supported");
    }
    if (At(TokenKind::kEndOfText)) return FailExpected("'}'");
    if (!ReadOperation(region)) return false;
    const absl::string_view name = region->operations.back()->name;
    if (absl::EndsWith(name, ".return") && !At('}') && !At(TokenKind::kCaret)) {
      return FailExpected(absl::StrCat("'}' behind ", name));
    }
  }
  return true;
}

}  // namespace xla::stablehlo
