// Operations with a form of their own.
#include <utility>

#include "absl/strings/match.h"
#include "front/stablehlo/text/operation_reader.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {

bool OperationReader::ReadOwnForm(Draft& draft) {
  const absl::string_view name = draft.syntax->name;
  if (name == "stablehlo.reduce") return ReadReduce(draft);
  if (name == "stablehlo.while") return ReadWhile(draft);
  if (name == "stablehlo.optimization_barrier") return ReadBarrier(draft);
  if (name == "chlo.scan") return ReadScan(draft);
  if (name == "builtin.module") return ReadModule(draft);
  if (name == "func.func") return ReadFunction(draft);
  if (name == "builtin.unrealized_conversion_cast") return ReadCast(draft);
  if (name == "sdy.manual_computation") return ReadManualComputation(draft);
  return ReadNamedComputation(draft);
}

// (%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : types -> type, or
// across dimensions = [0] : types -> types reducer(%x: t, %y: t) (%z: t, %w: t) { ... }
bool OperationReader::ReadReduce(Draft& draft) {
  absl::InlinedVector<ValueId, 3>& operands = draft.operation->operands;
  std::vector<ValueId> initial;
  do {
    if (!Expect('(') || !ReadOperand(draft) || !ExpectWord("init") || !Expect(':') ||
        !ReadOperand(draft) || !Expect(')')) {
      return false;
    }
    initial.push_back(operands.back());
    operands.pop_back();
  } while (Accept(','));
  operands.insert(operands.end(), initial.begin(), initial.end());
  const Token reducer = AcceptWord("applies") ? token() : Token();
  if (reducer.begin != nullptr && !Accept(TokenKind::kWord)) {
    return FailExpected("the name of an operation");
  }
  if (!ReadForm(draft, "across dimensions = dimensions:list A T")) return false;
  if (reducer.begin != nullptr) return AddReducer(draft, reducer);
  if (!ExpectWord("reducer")) return false;
  // Pairs of an accumulator and an element; all accumulators come first.
  std::vector<Parameter> parameters;
  std::vector<Parameter> elements;
  while (At('(')) {
    std::vector<Parameter> pair;
    const char* position = place();
    if (!ReadParameters(&pair)) return false;
    if (pair.size() != 2) return FailAt(position, "expected an accumulator and an element");
    parameters.push_back(pair[0]);
    elements.push_back(pair[1]);
  }
  parameters.insert(parameters.end(), elements.begin(), elements.end());
  return ReadRegionWith(parameters, draft);
}

// The region that applies one operation to the accumulator and the element.
bool OperationReader::AddReducer(Draft& draft, const Token& reducer) {
  if (draft.operation->operands.size() != 2) {
    return FailAt(reducer.begin, "'applies' reduces one array only");
  }
  Draft apply;
  if (!StartOperation(reducer.text, reducer.begin, &apply)) return false;
  if (apply.syntax->results != OpResults::kSame || apply.syntax->form != "O A T") {
    return FailAt(reducer.begin, reducer.text, " is no operation on two scalars of one type");
  }
  const Shape* scalar =
      program().Add(Shape(program().shape(draft.operation->operands[1]).element_type(), {}));
  Draft end;
  if (!StartOperation("stablehlo.return", reducer.begin, &end)) return false;
  Region region;
  for (int i = 0; i < 2; ++i) region.arguments.push_back(program().AddValue(scalar));
  apply.operation->operands.assign(region.arguments.begin(), region.arguments.end());
  apply.operation->results.push_back(program().AddValue(scalar));
  apply.operation->location = UnknownPlace();
  end.operation->operands.push_back(apply.operation->results[0]);
  end.operation->location = UnknownPlace();
  region.operations = {apply.operation, end.operation};
  draft.operation->regions.push_back(std::move(region));
  return true;
}

// (%x = %a, %y = %b) : types attributes {...} cond { ... } do { ... }
bool OperationReader::ReadWhile(Draft& draft) {
  std::vector<Parameter> parameters;
  const auto read_one = [&] {
    Parameter parameter{token().text, nullptr, place()};
    if (!Accept(TokenKind::kValue)) return FailExpected("a value, %name");
    if (!Expect('=') || !ReadOperand(draft)) return false;
    parameter.shape = &program().shape(draft.operation->operands.back());
    parameters.push_back(parameter);
    return true;
  };
  if (!ReadList('(', ')', read_one)) return false;
  if (Accept(':')) {
    const char* position = place();
    do {
      draft.results.push_back(ReadShape());
      if (draft.results.back() == nullptr) return false;
    } while (Accept(','));
    if (!CheckOperandTypes(draft, draft.results, position)) return false;
  } else if (!parameters.empty()) {
    return FailExpected("':'");
  }
  if (AcceptWord("attributes") && !ReadOptionalDictionary(draft)) return false;
  return ExpectWord("cond") && ReadRegionWith(parameters, draft) && ExpectWord("do") &&
         ReadRegionWith(parameters, draft);
}

// (%a, %b) inits (%c) dimension=0 attributes {...} { ^bb0(...): ... } : types -> types
bool OperationReader::ReadScan(Draft& draft) {
  if (!ReadForm(draft, "( O )")) return false;
  const int64_t inputs = draft.operation->operands.size();
  if (!ReadForm(draft, "inits ( O ) dimension = dimension:i64")) return false;
  const int64_t carries = draft.operation->operands.size() - inputs;
  if (AcceptWord("attributes") && !ReadOptionalDictionary(draft)) return false;
  if (!ReadRegion(draft) || !ReadTypeSuffix(draft)) return false;
  const int64_t outputs = static_cast<int64_t>(draft.results.size()) - carries;
  if (outputs < 0) return FailAt(draft.place, "the results of a scan include its carries");
  const auto add_sizes = [&](absl::string_view name, int32_t first, int32_t second) {
    const int32_t sizes[] = {first, second};
    std::string bytes(reinterpret_cast<const char*>(sizes), sizeof(sizes));
    draft.attributes.push_back({name, Tensor(S32, {2}, std::move(bytes))});
  };
  add_sizes("operandSegmentSizes", inputs, carries);
  add_sizes("resultSegmentSizes", outputs, carries);
  return true;
}

bool OperationReader::ReadBarrier(Draft& draft) {
  if (Accept('(')) return Expect(')') && ReadOptionalDictionary(draft);
  return ReadForm(draft, "O A T");
}

// @name attributes {...} { ... }
bool OperationReader::ReadModule(Draft& draft) {
  if (!At('{') && !AtWord("attributes") && !ReadForm(draft, "sym_name:symbol")) return false;
  if (AcceptWord("attributes") && !ReadOptionalDictionary(draft)) return false;
  return ReadRegion(draft);
}

// public @name(%a: type {...}, ...) -> (type {...}, ...) attributes {...} { ... }
bool OperationReader::ReadFunction(Draft& draft) {
  if (AtWord("public") || AtWord("private") || AtWord("nested")) {
    draft.attributes.push_back({"sym_visibility", StringValue(token().text)});
    Next();
  }
  std::vector<Parameter> parameters;
  if (!ReadForm(draft, "sym_name:symbol") || !ReadSignature(draft, &parameters)) return false;
  if (AcceptWord("attributes") && !ReadOptionalDictionary(draft)) return false;
  if (At('{')) return ReadRegionWith(parameters, draft);
  draft.operation->regions.emplace_back();
  return true;
}

bool OperationReader::ReadSignature(Draft& draft, std::vector<Parameter>* parameters) {
  FunctionType type;
  std::vector<const Attribute*> argument_attributes;
  std::vector<const Attribute*> result_attributes;
  const auto read_parameter = [&] {
    Parameter parameter{"", nullptr, place()};
    if (At(TokenKind::kValue)) {
      parameter.name = token().text;
      Next();
      if (!Expect(':')) return false;
    }
    if (!ReadTypeWithAttributes(&type.inputs, &argument_attributes)) return false;
    parameter.shape = &std::get<Shape>(type.inputs.back()->value);
    parameters->push_back(parameter);
    return true;
  };
  if (!ReadList('(', ')', read_parameter)) return false;
  if (Accept(TokenKind::kArrow)) {
    const auto read_result = [&] {
      return ReadTypeWithAttributes(&type.results, &result_attributes);
    };
    if (At('(')) {
      if (!ReadList('(', ')', read_result)) return false;
    } else {
      // A brace behind a type without parentheses is the body.
      const char* position = place();
      type.results.push_back(ReadType());
      if (ShapeOf(type.results.back(), position) == nullptr) return false;
    }
  }
  const auto add_attributes = [&](absl::string_view name,
                                  std::vector<const Attribute*>& attributes) {
    bool has_any = false;
    for (const Attribute* attribute : attributes) {
      has_any |= !std::get<DictionaryAttribute>(attribute->value).entries.empty();
    }
    if (!has_any) return;
    const Attribute* value = program().Add(Attribute{ArrayAttribute{std::move(attributes)}});
    draft.attributes.push_back({name, value});
  };
  add_attributes("arg_attrs", argument_attributes);
  add_attributes("res_attrs", result_attributes);
  const Type* function_type = program().Add(Type{std::move(type)});
  draft.attributes.push_back(
      {"function_type", program().Add(Attribute{TypeAttribute{function_type}})});
  return true;
}

// type {...} loc(...)
bool OperationReader::ReadTypeWithAttributes(std::vector<const Type*>* types,
                                             std::vector<const Attribute*>* attributes) {
  const char* position = place();
  types->push_back(ReadType());
  if (ShapeOf(types->back(), position) == nullptr) return false;
  DictionaryAttribute dictionary;
  if (At('{') && !ReadDictionary(&dictionary.entries)) return false;
  attributes->push_back(program().Add(Attribute{std::move(dictionary)}));
  return ReadOptionalLocation() != nullptr;
}

// %a, %b : types to types {...}
bool OperationReader::ReadCast(Draft& draft) {
  if (!ReadOperands(draft)) return false;
  const auto read_types = [&](std::vector<const Shape*>* types) {
    do {
      types->push_back(ReadShape());
      if (types->back() == nullptr) return false;
    } while (Accept(','));
    return true;
  };
  if (Accept(':')) {
    const char* position = place();
    std::vector<const Shape*> operands;
    if (!read_types(&operands) || !CheckOperandTypes(draft, operands, position)) return false;
  }
  return ExpectWord("to") && read_types(&draft.results) && ReadOptionalDictionary(draft);
}

// (%a) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%x: type) { ... } : types -> types
bool OperationReader::ReadManualComputation(Draft& draft) {
  std::vector<Parameter> parameters;
  return ReadForm(draft,
                  "( O ) in_shardings = in_shardings:shardings out_shardings = "
                  "out_shardings:shardings manual_axes = manual_axes:axes") &&
         ReadParameters(&parameters) && ReadRegionWith(parameters, draft) && ReadForm(draft, "A T");
}

// <"name">(%a) in_shardings=[...] out_shardings=[...] (%x: type) { ... } : types -> types
bool OperationReader::ReadNamedComputation(Draft& draft) {
  std::vector<Parameter> parameters;
  return ReadForm(draft,
                  "< name:string > ( O ) ?( in_shardings = in_shardings:shardings ?) "
                  "?( out_shardings = out_shardings:shardings ?)") &&
         ReadParameters(&parameters) && ReadRegionWith(parameters, draft) && ReadForm(draft, "A T");
}

}  // namespace xla::stablehlo
