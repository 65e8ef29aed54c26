#include "front/stablehlo/print.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "front/stablehlo/print_attributes.h"
#include "front/stablehlo/print_values.h"
#include "front/stablehlo/text/op_syntax.h"
#include "ir/op_info.h"

namespace xla::stablehlo {
namespace {

// Whether an operation of StableHLO is element-wise in HLO. Where its operands and results are all
// of one type, that is written once.
bool IsElementwise(absl::string_view name) {
  const absl::StatusOr<HloOpcode> opcode =
      StringToHloOpcode(absl::StrReplaceAll(name, {{"_", "-"}}));
  return opcode.ok() && HasTrait(*opcode, kElementwise);
}

// Whether it is written as its operands and types, such as
//   %2 = stablehlo.add %0, %1 : tensor<4xf32>
bool IsPlain(const Operation& operation, absl::string_view name) {
  const OpSyntax* syntax = FindOpSyntax(operation.name);
  return syntax != nullptr && syntax->form == "O A T" &&
         (IsElementwise(name) || name == "bitcast_convert" || name == "dynamic_update_slice" ||
          name == "reshape");
}

constexpr int kFunctionBodyDepth = 2;

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program& program)
      : program_(program), names_(program.value_count()) {}

  std::string Print() {
    PrintModule(*program_.module);
    return std::move(out_);
  }

 private:
  // Of a value: %3, %3#1 or %arg3.
  struct Name {
    absl::string_view prefix = "%";
    int64_t number = 0;
    int32_t part = -1;
  };
  using Form = bool (ProgramPrinter::*)(const Operation&);

  template <typename... Args>
  void Add(const Args&... args) {
    absl::StrAppend(&out_, args...);
  }
  void NewLine() { Add("\n", std::string(2 * depth_, ' ')); }

  // Modules, functions and regions.
  void PrintModule(const Operation& module);
  void PrintFunction(const Operation& function);
  void PrintFunctionResults(const Operation& function, const FunctionType& type);
  void PrintArguments(absl::Span<const ValueId> arguments, const Attribute* dictionaries);
  void PrintBody(const Region& region);
  void PrintRegions(const Operation& operation);
  void NameArguments(absl::Span<const ValueId> arguments, absl::string_view prefix);
  void NameResults(const Operation& operation);

  // Operations.
  void PrintOperation(const Operation& operation);
  bool PrintPretty(const Operation& operation);
  void PrintGeneric(const Operation& operation);
  bool PrintPlain(const Operation& operation, absl::string_view name);
  bool PrintBroadcastInDim(const Operation& operation);
  bool PrintCall(const Operation& operation);
  bool PrintCompare(const Operation& operation);
  bool PrintConcatenate(const Operation& operation);
  bool PrintConstant(const Operation& operation);
  bool PrintCustomCall(const Operation& operation);
  bool PrintDotGeneral(const Operation& operation);
  bool PrintDynamicSlice(const Operation& operation);
  bool PrintIota(const Operation& operation);
  bool PrintMesh(const Operation& operation);
  bool PrintPad(const Operation& operation);
  bool PrintReturn(const Operation& operation);
  bool PrintSelect(const Operation& operation);
  bool PrintShardingConstraint(const Operation& operation);
  bool PrintSlice(const Operation& operation);
  bool PrintTranspose(const Operation& operation);
  bool PrintWhile(const Operation& operation);
  static const absl::flat_hash_map<absl::string_view, Form>& Forms();

  // Parts of them.
  void PrintValue(ValueId value);
  void PrintValues(absl::Span<const ValueId> values);
  void PrintShape(ValueId value) { AppendShape(program_.shape(value), &out_); }
  void PrintShapes(absl::Span<const ValueId> values);
  void PrintFunctionalType(const Operation& operation);
  // {a = 1 : i32, b} with the attributes that are no property, and of the properties those that
  // `written` does not name; nothing if there are none.
  void PrintOtherAttributes(const Operation& operation,
                            std::initializer_list<absl::string_view> written,
                            absl::string_view before = " ");
  bool PrintOperandsAndDimensions(const Operation& operation, absl::string_view attribute);
  bool HasOperands(const Operation& operation, size_t operands) const {
    return operation.operands.size() == operands && operation.results.size() == 1 &&
           operation.regions.empty();
  }
  std::string List(const Operation& operation, absl::string_view attribute) const {
    return absl::StrCat("[", absl::StrJoin(IntegersOf(operation.attribute(attribute)), ", "), "]");
  }

  const Program& program_;
  std::string out_;
  std::vector<Name> names_;
  int64_t next_argument_ = 0;
  int64_t next_value_ = 0;
  int depth_ = 0;
};

template <typename T>
const T* AttributeAs(const Operation& operation, absl::string_view name) {
  const Attribute* attribute = operation.attribute(name);
  return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
}

void ProgramPrinter::PrintModule(const Operation& module) {
  Add("module");
  if (const auto* name = AttributeAs<StringAttribute>(module, "sym_name")) {
    Add(" ");
    AppendSymbol(name->value, &out_);
  }
  PrintOtherAttributes(module, {"sym_name"}, " attributes ");
  Add(" {");
  ++depth_;
  for (const Region& region : module.regions) PrintBody(region);
  --depth_;
  NewLine();
  Add("}\n");
}

void ProgramPrinter::PrintFunction(const Operation& function) {
  const auto* name = AttributeAs<StringAttribute>(function, "sym_name");
  const auto* type_attribute = AttributeAs<TypeAttribute>(function, "function_type");
  const auto* type =
      type_attribute == nullptr ? nullptr : std::get_if<FunctionType>(&type_attribute->type->value);
  if (name == nullptr || type == nullptr || function.regions.size() != 1) {
    PrintGeneric(function);
    return;
  }
  Add("func.func ");
  if (const auto* visibility = AttributeAs<StringAttribute>(function, "sym_visibility")) {
    Add(visibility->value, " ");
  }
  AppendSymbol(name->value, &out_);
  Add("(");
  const Region& body = function.regions[0];
  NameArguments(body.arguments, "%arg");
  PrintArguments(body.arguments, function.attribute("arg_attrs"));
  Add(")");
  PrintFunctionResults(function, *type);
  PrintOtherAttributes(function,
                       {"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"},
                       " attributes ");
  Add(" {");
  ++depth_;
  PrintBody(body);
  --depth_;
  NewLine();
  Add("}");
}

const NamedAttributes* DictionaryAt(const Attribute* dictionaries, size_t index) {
  const auto* array =
      dictionaries == nullptr ? nullptr : std::get_if<ArrayAttribute>(&dictionaries->value);
  if (array == nullptr || index >= array->elements.size()) return nullptr;
  const auto* dictionary = std::get_if<DictionaryAttribute>(&array->elements[index]->value);
  return dictionary == nullptr || dictionary->entries.empty() ? nullptr : &dictionary->entries;
}

void ProgramPrinter::PrintFunctionResults(const Operation& function, const FunctionType& type) {
  if (type.results.empty()) return;
  const Attribute* dictionaries = function.attribute("res_attrs");
  const bool is_bare = type.results.size() == 1 && DictionaryAt(dictionaries, 0) == nullptr;
  Add(" -> ", is_bare ? "" : "(");
  for (size_t i = 0; i < type.results.size(); ++i) {
    Add(i > 0 ? ", " : "");
    AppendType(*type.results[i], &out_);
    if (const NamedAttributes* dictionary = DictionaryAt(dictionaries, i)) {
      Add(" ");
      AppendDictionary(*dictionary, &out_);
    }
  }
  Add(is_bare ? "" : ")");
}

void ProgramPrinter::PrintArguments(absl::Span<const ValueId> arguments,
                                    const Attribute* dictionaries) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    Add(i > 0 ? ", " : "");
    PrintValue(arguments[i]);
    Add(": ");
    PrintShape(arguments[i]);
    if (const NamedAttributes* dictionary = DictionaryAt(dictionaries, i)) {
      Add(" ");
      AppendDictionary(*dictionary, &out_);
    }
  }
}

void ProgramPrinter::PrintBody(const Region& region) {
  for (const Operation* operation : region.operations) {
    NewLine();
    PrintOperation(*operation);
  }
}

void ProgramPrinter::PrintRegions(const Operation& operation) {
  Add(" (");
  for (size_t i = 0; i < operation.regions.size(); ++i) {
    const Region& region = operation.regions[i];
    Add(i > 0 ? ", {" : "{");
    if (!region.arguments.empty()) {
      NameArguments(region.arguments, "%arg");
      NewLine();
      Add("^bb0(");
      PrintArguments(region.arguments, nullptr);
      Add("):");
    }
    ++depth_;
    PrintBody(region);
    --depth_;
    NewLine();
    Add("}");
  }
  Add(")");
}

void ProgramPrinter::NameArguments(absl::Span<const ValueId> arguments, absl::string_view prefix) {
  for (ValueId argument : arguments) names_[argument] = {prefix, next_argument_++};
}

void ProgramPrinter::NameResults(const Operation& operation) {
  if (operation.results.empty()) return;
  const int64_t number = next_value_++;
  const bool is_one = operation.results.size() == 1;
  for (size_t i = 0; i < operation.results.size(); ++i) {
    names_[operation.results[i]] = {"%", number, is_one ? -1 : static_cast<int32_t>(i)};
  }
  Add("%", number);
  if (!is_one) Add(":", operation.results.size());
  Add(" = ");
}

void ProgramPrinter::PrintOperation(const Operation& operation) {
  if (operation.name == "func.func") {
    // A function sees no names of others, but those around it go on behind it.
    const int64_t argument = std::exchange(next_argument_, 0);
    const int64_t value = std::exchange(next_value_, 0);
    PrintFunction(operation);
    next_argument_ = argument;
    next_value_ = value;
    return;
  }
  NameResults(operation);
  if (!PrintPretty(operation)) PrintGeneric(operation);
}

void ProgramPrinter::PrintGeneric(const Operation& operation) {
  Add("\"", operation.name, "\"(");
  PrintValues(operation.operands);
  Add(")");
  const std::vector<AttributeText> texts = AttributeTexts(operation);
  if (!texts.empty()) {
    Add(" <{");
    absl::string_view separator = "";
    for (const AttributeText& text : texts) {
      Add(separator, text.name, text.value.empty() ? "" : " = ", text.value);
      separator = ", ";
    }
    Add("}>");
  }
  if (!operation.regions.empty()) PrintRegions(operation);
  if (!operation.discardable.empty()) {
    Add(" ");
    AppendDictionary(operation.discardable, &out_);
  }
  PrintFunctionalType(operation);
}

bool ProgramPrinter::PrintPretty(const Operation& operation) {
  const auto form = Forms().find(operation.name);
  if (form != Forms().end()) return (this->*form->second)(operation);
  absl::string_view name = operation.name;
  return absl::ConsumePrefix(&name, "stablehlo.") && IsPlain(operation, name) &&
         PrintPlain(operation, name);
}

const absl::flat_hash_map<absl::string_view, ProgramPrinter::Form>& ProgramPrinter::Forms() {
  static const auto* const forms = new absl::flat_hash_map<absl::string_view, Form>{
      {"func.call", &ProgramPrinter::PrintCall},
      {"func.return", &ProgramPrinter::PrintReturn},
      {"sdy.mesh", &ProgramPrinter::PrintMesh},
      {"sdy.return", &ProgramPrinter::PrintReturn},
      {"sdy.sharding_constraint", &ProgramPrinter::PrintShardingConstraint},
      {"stablehlo.broadcast_in_dim", &ProgramPrinter::PrintBroadcastInDim},
      {"stablehlo.compare", &ProgramPrinter::PrintCompare},
      {"stablehlo.concatenate", &ProgramPrinter::PrintConcatenate},
      {"stablehlo.constant", &ProgramPrinter::PrintConstant},
      {"stablehlo.custom_call", &ProgramPrinter::PrintCustomCall},
      {"stablehlo.dot_general", &ProgramPrinter::PrintDotGeneral},
      {"stablehlo.dynamic_slice", &ProgramPrinter::PrintDynamicSlice},
      {"stablehlo.iota", &ProgramPrinter::PrintIota},
      {"stablehlo.pad", &ProgramPrinter::PrintPad},
      {"stablehlo.return", &ProgramPrinter::PrintReturn},
      {"stablehlo.select", &ProgramPrinter::PrintSelect},
      {"stablehlo.slice", &ProgramPrinter::PrintSlice},
      {"stablehlo.transpose", &ProgramPrinter::PrintTranspose},
      {"stablehlo.while", &ProgramPrinter::PrintWhile},
  };
  return *forms;
}

bool ProgramPrinter::PrintPlain(const Operation& operation, absl::string_view name) {
  if (operation.results.size() != 1 || operation.operands.empty() || !operation.regions.empty()) {
    return false;
  }
  Add(operation.name, " ");
  PrintValues(operation.operands);
  PrintOtherAttributes(operation, {});
  const Shape& shape = program_.shape(operation.results[0]);
  const bool has_one_type =
      std::all_of(operation.operands.begin(), operation.operands.end(),
                  [&](ValueId operand) { return program_.shape(operand) == shape; });
  if (has_one_type && IsElementwise(name)) {
    Add(" : ");
    AppendShape(shape, &out_);
  } else {
    PrintFunctionalType(operation);
  }
  return true;
}

bool ProgramPrinter::PrintOperandsAndDimensions(const Operation& operation,
                                                absl::string_view attribute) {
  if (!HasOperands(operation, 1)) return false;
  Add(operation.name, " ");
  PrintValues(operation.operands);
  Add(", dims = ", List(operation, attribute));
  PrintOtherAttributes(operation, {attribute});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintBroadcastInDim(const Operation& operation) {
  return PrintOperandsAndDimensions(operation, "broadcast_dimensions");
}

bool ProgramPrinter::PrintTranspose(const Operation& operation) {
  return PrintOperandsAndDimensions(operation, "permutation");
}

bool ProgramPrinter::PrintCall(const Operation& operation) {
  const auto* callee = AttributeAs<SymbolAttribute>(operation, "callee");
  if (callee == nullptr || !operation.regions.empty()) return false;
  // Only the body of a function knows which dialect is meant.
  Add(depth_ == kFunctionBodyDepth ? "call " : "func.call ");
  AppendSymbol(callee->name, &out_);
  Add("(");
  PrintValues(operation.operands);
  Add(")");
  PrintOtherAttributes(operation, {"callee"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintCompare(const Operation& operation) {
  const auto* direction = AttributeAs<KeywordAttribute>(operation, "comparison_direction");
  if (direction == nullptr || !HasOperands(operation, 2)) return false;
  Add(operation.name, " ", direction->name, ", ");
  PrintValues(operation.operands);
  if (const auto* type = AttributeAs<KeywordAttribute>(operation, "compare_type")) {
    Add(", ", type->name);
  }
  PrintOtherAttributes(operation, {"comparison_direction", "compare_type"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintConcatenate(const Operation& operation) {
  const auto* dimension = AttributeAs<IntegerAttribute>(operation, "dimension");
  if (dimension == nullptr || operation.operands.empty()) return false;
  Add(operation.name, " ");
  PrintValues(operation.operands);
  Add(", dim = ", dimension->value);
  PrintOtherAttributes(operation, {"dimension"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintConstant(const Operation& operation) {
  const auto* value = AttributeAs<TensorAttribute>(operation, "value");
  if (value == nullptr || !HasOperands(operation, 0)) return false;
  if (*value->shape != program_.shape(operation.results[0])) return false;
  Add(operation.name);
  PrintOtherAttributes(operation, {"value"});
  Add(" ");
  AppendDense(*value, /*is_index=*/false, &out_);
  return true;
}

bool ProgramPrinter::PrintCustomCall(const Operation& operation) {
  const auto* target = AttributeAs<StringAttribute>(operation, "call_target_name");
  if (target == nullptr || !operation.regions.empty()) return false;
  Add(operation.name, " ");
  AppendSymbol(target->value, &out_);
  Add("(");
  PrintValues(operation.operands);
  Add(")");
  PrintOtherAttributes(operation, {"call_target_name"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintDotGeneral(const Operation& operation) {
  if (!HasOperands(operation, 2)) return false;
  Add(operation.name, " ");
  PrintValues(operation.operands);
  const std::string lhs_batch = List(operation, "lhs_batching_dimensions");
  const std::string rhs_batch = List(operation, "rhs_batching_dimensions");
  if (lhs_batch != "[]" || rhs_batch != "[]") {
    Add(", batching_dims = ", lhs_batch, " x ", rhs_batch);
  }
  Add(", contracting_dims = ", List(operation, "lhs_contracting_dimensions"), " x ",
      List(operation, "rhs_contracting_dimensions"));
  if (const auto* precision = AttributeAs<ArrayAttribute>(operation, "precision_config")) {
    Add(", precision = [");
    for (size_t i = 0; i < precision->elements.size(); ++i) {
      const auto* keyword = std::get_if<KeywordAttribute>(&precision->elements[i]->value);
      Add(i > 0 ? ", " : "", keyword == nullptr ? "DEFAULT" : keyword->name);
    }
    Add("]");
  }
  PrintOtherAttributes(operation, {"dot_dimension_numbers", "precision_config"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintDynamicSlice(const Operation& operation) {
  if (operation.operands.empty()) return false;
  Add(operation.name, " ");
  PrintValues(operation.operands);
  Add(", sizes = ", List(operation, "slice_sizes"));
  PrintOtherAttributes(operation, {"slice_sizes"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintIota(const Operation& operation) {
  const auto* dimension = AttributeAs<IntegerAttribute>(operation, "iota_dimension");
  if (dimension == nullptr || !HasOperands(operation, 0)) return false;
  Add(operation.name, " dim = ", dimension->value);
  PrintOtherAttributes(operation, {"iota_dimension"});
  Add(" : ");
  PrintShape(operation.results[0]);
  return true;
}

bool ProgramPrinter::PrintMesh(const Operation& operation) {
  const auto* name = AttributeAs<StringAttribute>(operation, "sym_name");
  const auto* mesh = AttributeAs<MeshAttribute>(operation, "mesh");
  if (name == nullptr || mesh == nullptr) return false;
  Add("sdy.mesh ");
  AppendSymbol(name->value, &out_);
  Add(" = ");
  AppendMeshBody(*mesh, &out_);
  PrintOtherAttributes(operation, {"sym_name", "mesh"});
  return true;
}

bool ProgramPrinter::PrintPad(const Operation& operation) {
  if (!HasOperands(operation, 2)) return false;
  Add(operation.name, " ");
  PrintValues(operation.operands);
  Add(", low = ", List(operation, "edge_padding_low"),
      ", high = ", List(operation, "edge_padding_high"),
      ", interior = ", List(operation, "interior_padding"));
  PrintOtherAttributes(operation, {"edge_padding_low", "edge_padding_high", "interior_padding"});
  PrintFunctionalType(operation);
  return true;
}

bool ProgramPrinter::PrintReturn(const Operation& operation) {
  if (!operation.results.empty() || !operation.regions.empty()) return false;
  Add(operation.name == "func.return" ? "return" : operation.name);
  PrintOtherAttributes(operation, {});
  if (operation.operands.empty()) return true;
  Add(" ");
  PrintValues(operation.operands);
  Add(" : ");
  PrintShapes(operation.operands);
  return true;
}

bool ProgramPrinter::PrintSelect(const Operation& operation) {
  if (!HasOperands(operation, 3)) return false;
  const Shape& shape = program_.shape(operation.results[0]);
  Add(operation.name, " ");
  PrintValues(operation.operands);
  PrintOtherAttributes(operation, {});
  if (program_.shape(operation.operands[1]) == shape &&
      program_.shape(operation.operands[2]) == shape) {
    Add(" : ");
    PrintShape(operation.operands[0]);
    Add(", ");
    AppendShape(shape, &out_);
  } else {
    PrintFunctionalType(operation);
  }
  return true;
}

bool ProgramPrinter::PrintShardingConstraint(const Operation& operation) {
  const auto* sharding = AttributeAs<TensorShardingAttribute>(operation, "sharding");
  if (sharding == nullptr || !HasOperands(operation, 1)) return false;
  Add(operation.name, " ");
  PrintValues(operation.operands);
  Add(" ");
  AppendShardingBody(*sharding, &out_);
  PrintOtherAttributes(operation, {"sharding"});
  Add(" : ");
  PrintShape(operation.results[0]);
  return true;
}

bool ProgramPrinter::PrintSlice(const Operation& operation) {
  const std::vector<int64_t> starts = IntegersOf(operation.attribute("start_indices"));
  const std::vector<int64_t> limits = IntegersOf(operation.attribute("limit_indices"));
  const std::vector<int64_t> strides = IntegersOf(operation.attribute("strides"));
  if (!HasOperands(operation, 1) || starts.size() != limits.size() ||
      starts.size() != strides.size()) {
    return false;
  }
  Add(operation.name, " ");
  PrintValues(operation.operands);
  Add(" [");
  for (size_t i = 0; i < starts.size(); ++i) {
    Add(i > 0 ? ", " : "", starts[i], ":", limits[i]);
    if (strides[i] != 1) Add(":", strides[i]);
  }
  Add("]");
  PrintOtherAttributes(operation, {"start_indices", "limit_indices", "strides"});
  PrintFunctionalType(operation);
  return true;
}

// The arguments of both regions have one name.
bool ProgramPrinter::PrintWhile(const Operation& operation) {
  const size_t count = operation.operands.size();
  if (operation.regions.size() != 2 || operation.regions[0].arguments.size() != count ||
      operation.regions[1].arguments.size() != count) {
    return false;
  }
  const std::vector<ValueId>& arguments = operation.regions[0].arguments;
  NameArguments(arguments, "%iterArg_");
  Add(operation.name, "(");
  for (size_t i = 0; i < count; ++i) {
    names_[operation.regions[1].arguments[i]] = names_[arguments[i]];
    Add(i > 0 ? ", " : "");
    PrintValue(arguments[i]);
    Add(" = ");
    PrintValue(operation.operands[i]);
  }
  Add(")");
  if (count > 0) Add(" : ");
  PrintShapes(operation.operands);
  PrintOtherAttributes(operation, {}, " attributes ");
  for (size_t i = 0; i < operation.regions.size(); ++i) {
    if (i == 0) NewLine();
    Add(i == 0 ? "cond {" : " do {");
    ++depth_;
    PrintBody(operation.regions[i]);
    --depth_;
    NewLine();
    Add("}");
  }
  return true;
}

void ProgramPrinter::PrintValue(ValueId value) {
  const Name& name = names_[value];
  Add(name.prefix, name.number);
  if (name.part >= 0) Add("#", name.part);
}

void ProgramPrinter::PrintValues(absl::Span<const ValueId> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    Add(i > 0 ? ", " : "");
    PrintValue(values[i]);
  }
}

void ProgramPrinter::PrintShapes(absl::Span<const ValueId> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    Add(i > 0 ? ", " : "");
    PrintShape(values[i]);
  }
}

// A program has futures as tuples; operations tell them apart.
void ProgramPrinter::PrintFunctionalType(const Operation& operation) {
  const bool is_bare = operation.results.size() == 1;
  const auto print = [&](absl::Span<const ValueId> values, bool are_futures) {
    if (are_futures && values.size() == 1 && program_.shape(values[0]).IsTuple()) {
      AppendFuture(program_.shape(values[0]), &out_);
    } else {
      PrintShapes(values);
    }
  };
  Add(" : (");
  print(operation.operands, operation.name == "stablehlo.async_done");
  Add(") -> ", is_bare ? "" : "(");
  print(operation.results, operation.name == "stablehlo.async_start");
  Add(is_bare ? "" : ")");
}

void ProgramPrinter::PrintOtherAttributes(const Operation& operation,
                                          std::initializer_list<absl::string_view> written,
                                          absl::string_view before) {
  std::string text;
  const auto add = [&](absl::string_view name) {
    absl::StrAppend(&text, text.empty() ? "" : ", ");
    AppendKey(name, &text);
  };
  for (const AttributeText& attribute : AttributeTexts(operation)) {
    if (std::find(written.begin(), written.end(), attribute.name) != written.end()) continue;
    add(attribute.name);
    if (!attribute.value.empty()) absl::StrAppend(&text, " = ", attribute.value);
  }
  for (const NamedAttribute& attribute : operation.discardable) {
    add(attribute.name);
    if (std::holds_alternative<UnitAttribute>(attribute.value->value)) continue;
    absl::StrAppend(&text, " = ");
    AppendAttribute(*attribute.value, &text);
  }
  if (!text.empty()) Add(before, "{", text, "}");
}

}  // namespace

std::string ToText(const Program& program) { return ProgramPrinter(program).Print(); }

}  // namespace xla::stablehlo
