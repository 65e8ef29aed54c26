#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/stablehlo/defaults.h"
#include "front/stablehlo/from_hlo/attribute_maker.h"
#include "front/stablehlo/from_hlo/from_hlo.h"
#include "front/stablehlo/from_hlo/operation_attributes.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo {
namespace {

// Computations whose instructions become regions may hold others, up to this depth. What many
// regions share is written once for each, up to this many operations.
constexpr int kMaxDepth = 250;
constexpr int64_t kMaxOperations = int64_t{1} << 21;

using Values = std::vector<ValueId>;

// Turns one module into a program.
class ProgramMaker {
 public:
  ProgramMaker(const HloModule& module, Program& program)
      : module_(module), program_(program), maker_(program) {}

  absl::Status Make();

 private:
  // The values of a computation's instructions: of a tuple those of its leaves.
  using Environment = absl::flat_hash_map<const HloInstruction*, Values>;

  absl::Status AddFunction(const HloComputation& computation, Region& to);
  absl::Status AddParameters(const HloComputation& computation, Region& region,
                             std::vector<Values>& parameters);
  // Appends the computation's operations and returns the values of its root.
  absl::StatusOr<Values> AddBody(const HloComputation& computation,
                                 const std::vector<Values>& parameters, Region& to);
  absl::StatusOr<Values> AddInstruction(const HloInstruction& instruction,
                                        const Environment& environment, Region& to);
  absl::StatusOr<Values> AddConstant(const LiteralSlice& literal, const HloInstruction& instruction,
                                     Region& to);
  absl::StatusOr<Values> AddCall(const HloInstruction& call, Values operands, Region& to);
  absl::StatusOr<Values> AddConditional(const HloInstruction& conditional,
                                        const Environment& environment, Region& to);
  absl::StatusOr<Values> AddWhile(const HloInstruction& loop, Values operands, Region& to);
  absl::StatusOr<Values> AddBitcast(const HloInstruction& bitcast, Values operands, Region& to);
  absl::StatusOr<Values> AddTranspose(const HloInstruction& instruction, const Values& operand,
                                      absl::Span<const int64_t> permutation, Region& to);
  absl::StatusOr<Values> AddCustomCall(const HloInstruction& call, Values operands, Region& to);
  absl::StatusOr<Values> AddRng(const HloInstruction& rng, Values operands, Region& to);
  absl::StatusOr<Values> AddOperation(const HloInstruction& instruction, Values operands,
                                      Region& to);

  // An operation with these operands that stands for the instruction, or for a part of it that has
  // this shape.
  absl::StatusOr<Operation*> Append(std::string name, const HloInstruction& instruction,
                                    const Values& operands, const Shape& shape, Region& to);
  void AddReturn(absl::string_view name, Values values, Region& to);
  // A region with the computation's parameters as arguments.
  absl::Status AddRegion(const HloComputation& computation, Operation& operation);
  void AddDiscardable(const HloInstruction& instruction, Operation& operation);
  const Attribute* ArgumentAttributes(const HloComputation& computation);
  const Attribute* AliasOf(const HloInstruction& call, const ShapeIndex& output, int64_t operand,
                           const ShapeIndex& part);
  const Attribute* LayoutsOf(absl::Span<const Shape> shapes);
  const Location* LocationOf(const HloInstruction& instruction);

  Values NewValues(const Shape& shape);
  const Attribute* FunctionTypeOf(const Region& region, const Values& results);
  std::string FunctionName(const HloComputation& computation);

  const HloModule& module_;
  Program& program_;
  AttributeMaker maker_;
  std::vector<const HloComputation*> functions_;  // in the order of the program
  absl::flat_hash_map<const HloComputation*, std::string> names_;
  absl::flat_hash_set<std::string> taken_names_;
  int64_t operations_ = 0;
  int depth_ = 0;
};

absl::Status ProgramMaker::Make() {
  Operation& module = *program_.AddOperation();
  program_.module = &module;
  module.name = "builtin.module";
  module.location = program_.Add(Location{UnknownLocation()});
  module.attributes = {{"sym_name", maker_.String(module_.name())}};
  module.discardable = {
      {"mhlo.num_partitions",
       maker_.Integer(std::max<int64_t>(1, module_.config().num_partitions()), S32)},
      {"mhlo.num_replicas",
       maker_.Integer(std::max<int64_t>(1, module_.config().replica_count()), S32)}};
  Region& region = module.regions.emplace_back();
  names_[module_.entry_computation()] = "main";
  taken_names_.insert("main");
  functions_.push_back(module_.entry_computation());
  for (size_t i = 0; i < functions_.size(); ++i) {
    HILO_RETURN_IF_ERROR(AddFunction(*functions_[i], region));
  }
  return absl::OkStatus();
}

std::string ProgramMaker::FunctionName(const HloComputation& computation) {
  std::string& name = names_[&computation];
  if (name.empty()) {
    name = std::string(computation.name());
    while (!taken_names_.insert(name).second) name += "_";
    functions_.push_back(&computation);
  }
  return name;
}

absl::Status ProgramMaker::AddFunction(const HloComputation& computation, Region& to) {
  const bool is_main = &computation == module_.entry_computation();
  Operation& function = *program_.AddOperation();
  to.operations.push_back(&function);
  function.name = "func.func";
  function.location = program_.Add(Location{UnknownLocation()});
  const std::string name = FunctionName(computation);
  Region& body = function.regions.emplace_back();
  std::vector<Values> parameters;
  HILO_RETURN_IF_ERROR(AddParameters(computation, body, parameters));
  HILO_ASSIGN_OR_RETURN(const Values results, AddBody(computation, parameters, body));
  AddReturn("func.return", results, body);
  function.attributes = {{"sym_name", maker_.String(name)},
                         {"function_type", FunctionTypeOf(body, results)},
                         {"sym_visibility", maker_.String(is_main ? "public" : "private")}};
  if (const Attribute* attributes = is_main ? ArgumentAttributes(computation) : nullptr) {
    function.attributes.push_back({"arg_attrs", attributes});
  }
  return absl::OkStatus();
}

// Of the entry computation: donated arguments and shardings. Null if there are none.
const Attribute* ProgramMaker::ArgumentAttributes(const HloComputation& computation) {
  std::vector<const Attribute*> dictionaries;
  bool is_empty = true;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    const bool is_array = !parameter->shape().IsTuple();
    const int64_t leaves = ShapeUtil::GetLeafCount(parameter->shape());
    for (int64_t leaf = 0; leaf < leaves; ++leaf) {
      NamedAttributes entries;
      if (is_array && parameter->has_sharding()) {
        entries.push_back({"mhlo.sharding", maker_.String(parameter->sharding().ToString())});
      }
      is_empty = is_empty && entries.empty();
      dictionaries.push_back(maker_.Dictionary(std::move(entries)));
    }
  }
  // Where results are no tuple, or one of arrays, an index into it is the number of the result.
  module_.input_output_alias_config().ForEachAlias([&](const ShapeIndex& output,
                                                       const HloInputOutputAliasConfig::Alias&
                                                           alias) {
    if (output.size() > 1 || !alias.parameter_index.empty()) return;
    if (static_cast<size_t>(alias.parameter_number) >= dictionaries.size()) return;
    const auto& before = std::get<DictionaryAttribute>(dictionaries[alias.parameter_number]->value);
    NamedAttributes entries = before.entries;
    entries.push_back({"tf.aliasing_output", maker_.Integer(output.empty() ? 0 : output[0], S32)});
    dictionaries[alias.parameter_number] = maker_.Dictionary(std::move(entries));
    is_empty = false;
  });
  return is_empty ? nullptr : maker_.Array(std::move(dictionaries));
}

const Attribute* ProgramMaker::FunctionTypeOf(const Region& region, const Values& results) {
  FunctionType type;
  for (ValueId argument : region.arguments) {
    type.inputs.push_back(program_.Add(Type{program_.shape(argument)}));
  }
  for (ValueId result : results) {
    type.results.push_back(program_.Add(Type{program_.shape(result)}));
  }
  const Type* function = program_.Add(Type{std::move(type)});
  return program_.Add(Attribute{TypeAttribute{function}});
}

Values ProgramMaker::NewValues(const Shape& shape) {
  Values values;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsTuple()) return;
    Shape plain = part;
    LayoutUtil::ClearLayout(&plain);
    values.push_back(program_.AddValue(program_.Add(std::move(plain))));
  });
  return values;
}

absl::Status ProgramMaker::AddParameters(const HloComputation& computation, Region& region,
                                         std::vector<Values>& parameters) {
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    Values& values = parameters.emplace_back(NewValues(parameter->shape()));
    region.arguments.insert(region.arguments.end(), values.begin(), values.end());
  }
  return absl::OkStatus();
}

absl::StatusOr<Values> ProgramMaker::AddBody(const HloComputation& computation,
                                             const std::vector<Values>& parameters, Region& to) {
  if (depth_ == kMaxDepth) {
    return Unimplemented("Computation %s: computations are nested more than %d deep",
                         computation.name(), kMaxDepth);
  }
  ++depth_;
  Environment environment;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      environment[instruction] = parameters[instruction->parameter_number()];
      continue;
    }
    HILO_ASSIGN_OR_RETURN(Values values, AddInstruction(*instruction, environment, to));
    environment[instruction] = std::move(values);
  }
  --depth_;
  return environment[computation.root_instruction()];
}

absl::StatusOr<Values> ProgramMaker::AddInstruction(const HloInstruction& instruction,
                                                    const Environment& environment, Region& to) {
  Values operands;
  for (const HloInstruction* operand : instruction.operands()) {
    const Values& values = environment.at(operand);
    operands.insert(operands.end(), values.begin(), values.end());
  }
  switch (instruction.opcode()) {
    case HloOpcode::kConstant:
      return AddConstant(instruction.literal(), instruction, to);
    case HloOpcode::kCopy:
    case HloOpcode::kTuple:
      return operands;
    case HloOpcode::kGetTupleElement: {
      const Shape& tuple = instruction.operand(0)->shape();
      auto first = operands.begin();
      for (int64_t i = 0; i < instruction.tuple_index(); ++i) {
        first += ShapeUtil::GetLeafCount(tuple.tuple_shapes(i));
      }
      return Values(first, first + ShapeUtil::GetLeafCount(instruction.shape()));
    }
    case HloOpcode::kBitcast:
      return AddBitcast(instruction, std::move(operands), to);
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return AddCall(instruction, std::move(operands), to);
    case HloOpcode::kConditional:
      return AddConditional(instruction, environment, to);
    case HloOpcode::kCustomCall:
      return AddCustomCall(instruction, std::move(operands), to);
    case HloOpcode::kRng:
      return AddRng(instruction, std::move(operands), to);
    case HloOpcode::kWhile:
      return AddWhile(instruction, std::move(operands), to);
    default:
      return AddOperation(instruction, std::move(operands), to);
  }
}

absl::StatusOr<Operation*> ProgramMaker::Append(std::string name, const HloInstruction& instruction,
                                                const Values& operands, const Shape& shape,
                                                Region& to) {
  if (++operations_ > kMaxOperations) {
    return ResourceExhausted("The program has more than %d operations", kMaxOperations);
  }
  Operation* operation = program_.AddOperation();
  operation->name = program_.Keep(std::move(name));
  operation->operands.assign(operands.begin(), operands.end());
  const Values results = NewValues(shape);
  operation->results.assign(results.begin(), results.end());
  operation->location = LocationOf(instruction);
  AddDiscardable(instruction, *operation);
  to.operations.push_back(operation);
  return operation;
}

const Location* ProgramMaker::LocationOf(const HloInstruction& instruction) {
  const Location* unknown = program_.module->location;
  const std::string& name = instruction.metadata().op_name();
  if (name.empty()) return unknown;
  return program_.Add(Location{NameLocation{program_.Keep(name), unknown}});
}

void ProgramMaker::AddDiscardable(const HloInstruction& instruction, Operation& operation) {
  if (!instruction.frontend_attributes().map().empty()) {
    NamedAttributes entries;
    for (const auto& [name, value] : instruction.frontend_attributes().map()) {
      entries.push_back({program_.Keep(name), maker_.String(value)});
    }
    std::sort(entries.begin(), entries.end(),
              [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
    operation.discardable.push_back(
        {"mhlo.frontend_attributes", maker_.Dictionary(std::move(entries))});
  }
  if (instruction.has_sharding()) {
    const HloSharding& sharding = instruction.sharding();
    const bool is_of_one = sharding.IsTuple() && sharding.tuple_elements().size() == 1;
    const HloSharding& of_values = is_of_one ? sharding.tuple_elements()[0] : sharding;
    operation.discardable.push_back({"mhlo.sharding", maker_.String(of_values.ToString())});
  }
}

void ProgramMaker::AddReturn(absl::string_view name, Values values, Region& to) {
  Operation* operation = program_.AddOperation();
  operation->name = name;
  operation->operands.assign(values.begin(), values.end());
  operation->location = program_.module->location;
  to.operations.push_back(operation);
}

absl::Status ProgramMaker::AddRegion(const HloComputation& computation, Operation& operation) {
  Region region;
  std::vector<Values> parameters;
  HILO_RETURN_IF_ERROR(AddParameters(computation, region, parameters));
  HILO_ASSIGN_OR_RETURN(Values results, AddBody(computation, parameters, region));
  AddReturn("stablehlo.return", std::move(results), region);
  operation.regions.push_back(std::move(region));
  return absl::OkStatus();
}

absl::StatusOr<Values> ProgramMaker::AddConstant(const LiteralSlice& literal,
                                                 const HloInstruction& instruction, Region& to) {
  Values values;
  if (literal.shape().IsTuple()) {
    for (int64_t i = 0; i < literal.shape().tuple_shapes_size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const Values part,
                            AddConstant(LiteralSlice(literal, {i}), instruction, to));
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  if (!literal.shape().IsArrayExcludingBuffer()) {
    return Unimplemented("Instruction %s: StableHLO has no constant of %s", instruction.name(),
                         literal.shape().ToString());
  }
  HILO_ASSIGN_OR_RETURN(Operation * operation,
                        Append("stablehlo.constant", instruction, {}, literal.shape(), to));
  operation->attributes = {{"value", maker_.Tensor(literal)}};
  return Values(operation->results.begin(), operation->results.end());
}

absl::StatusOr<Values> ProgramMaker::AddCall(const HloInstruction& call, Values operands,
                                             Region& to) {
  HILO_ASSIGN_OR_RETURN(Operation * operation,
                        Append("func.call", call, operands, call.shape(), to));
  operation->attributes = {{"callee", maker_.Symbol(FunctionName(*call.called_computations()[0]))}};
  return Values(operation->results.begin(), operation->results.end());
}

// Branches take no arguments: they see the values around them.
absl::StatusOr<Values> ProgramMaker::AddConditional(const HloInstruction& conditional,
                                                    const Environment& environment, Region& to) {
  const bool is_if = conditional.operand(0)->shape().element_type() == PRED;
  HILO_ASSIGN_OR_RETURN(Operation * operation,
                        Append(is_if ? "stablehlo.if" : "stablehlo.case", conditional,
                               environment.at(conditional.operand(0)), conditional.shape(), to));
  for (int i = 0; i < conditional.branch_count(); ++i) {
    Region region;
    const Values& argument = environment.at(conditional.operand(i + 1));
    HILO_ASSIGN_OR_RETURN(Values results,
                          AddBody(*conditional.branch_computation(i), {argument}, region));
    AddReturn("stablehlo.return", std::move(results), region);
    operation->regions.push_back(std::move(region));
  }
  return Values(operation->results.begin(), operation->results.end());
}

absl::StatusOr<Values> ProgramMaker::AddWhile(const HloInstruction& loop, Values operands,
                                              Region& to) {
  HILO_ASSIGN_OR_RETURN(Operation * operation,
                        Append("stablehlo.while", loop, operands, loop.shape(), to));
  HILO_RETURN_IF_ERROR(AddRegion(*loop.while_condition(), *operation));
  HILO_RETURN_IF_ERROR(AddRegion(*loop.while_body(), *operation));
  return Values(operation->results.begin(), operation->results.end());
}

// Dimensions from the major to the minor one.
std::vector<int64_t> MajorToMinor(const Shape& shape) {
  std::vector<int64_t> dimensions(shape.dimensions_size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  if (shape.has_layout()) {
    const auto& minor_to_major = shape.layout().minor_to_major();
    std::copy(minor_to_major.rbegin(), minor_to_major.rend(), dimensions.begin());
  }
  return dimensions;
}

bool IsTiled(const Shape& shape) { return shape.has_layout() && !shape.layout().tiles().empty(); }

// The elements in the order of memory are the same.
absl::StatusOr<Values> ProgramMaker::AddBitcast(const HloInstruction& bitcast, Values operands,
                                                Region& to) {
  const Shape& from = bitcast.operand(0)->shape();
  const Shape& result = bitcast.shape();
  if (!from.IsArrayExcludingBuffer() || !result.IsArrayExcludingBuffer() || from.is_dynamic() ||
      result.is_dynamic() || from.element_type() != result.element_type() || IsTiled(from) ||
      IsTiled(result)) {
    return Unimplemented("Instruction %s: StableHLO has no operation for a bitcast from %s to %s",
                         bitcast.name(), from.ToString(/*print_layout=*/true),
                         result.ToString(/*print_layout=*/true));
  }
  const std::vector<int64_t> from_order = MajorToMinor(from);
  const std::vector<int64_t> result_order = MajorToMinor(result);
  std::vector<int64_t> result_places(result_order.size());
  for (size_t i = 0; i < result_order.size(); ++i) result_places[result_order[i]] = i;
  HILO_ASSIGN_OR_RETURN(Values values, AddTranspose(bitcast, operands, from_order, to));
  const Shape reshaped = ShapeUtil::PermuteDimensions(result_order, result);
  HILO_ASSIGN_OR_RETURN(Operation * reshape,
                        Append("stablehlo.reshape", bitcast, values, reshaped, to));
  return AddTranspose(bitcast, {reshape->results[0]}, result_places, to);
}

absl::StatusOr<Values> ProgramMaker::AddTranspose(const HloInstruction& instruction,
                                                  const Values& operand,
                                                  absl::Span<const int64_t> permutation,
                                                  Region& to) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return operand;
  const Shape shape = ShapeUtil::PermuteDimensions(permutation, program_.shape(operand[0]));
  HILO_ASSIGN_OR_RETURN(Operation * transpose,
                        Append("stablehlo.transpose", instruction, operand, shape, to));
  transpose->attributes = {{"permutation", maker_.Integers(permutation)}};
  return Values(transpose->results.begin(), transpose->results.end());
}

absl::StatusOr<Values> ProgramMaker::AddCustomCall(const HloInstruction& call, Values operands,
                                                   Region& to) {
  const auto& attributes = call.attributes_as<CustomCallAttributes>();
  const std::string& config = call.raw_backend_config_string();
  const bool is_typed = attributes.api_version == API_VERSION_TYPED_FFI;
  if (is_typed && !config.empty() && config != "{}") {
    return Unimplemented("Instruction %s: the attributes of a typed function are not translated",
                         call.name());
  }
  HILO_ASSIGN_OR_RETURN(Operation * operation,
                        Append("stablehlo.custom_call", call, operands, call.shape(), to));
  operation->attributes = {{"call_target_name", maker_.String(attributes.target)}};
  const auto add = [&](absl::string_view name, const Attribute* value) {
    if (!IsAbsent(name, *value)) operation->attributes.push_back({name, value});
  };
  add("api_version", maker_.Integer(std::max(1, attributes.api_version), S32));
  add("backend_config", is_typed ? maker_.Dictionary({}) : maker_.String(config));
  add("has_side_effect", maker_.Bool(attributes.has_side_effect));
  std::vector<const Attribute*> called;
  for (const HloComputation* computation : call.called_computations()) {
    called.push_back(maker_.Symbol(FunctionName(*computation)));
  }
  add("called_computations", maker_.Array(std::move(called)));
  if (attributes.operand_layouts.has_value()) {  // both or none, even if one is empty
    operation->attributes.push_back({"operand_layouts", LayoutsOf(*attributes.operand_layouts)});
    operation->attributes.push_back({"result_layouts", LayoutsOf({call.shape()})});
  }
  std::vector<const Attribute*> aliases;
  for (const auto& [output, operand] : attributes.output_to_operand_aliasing) {
    aliases.push_back(AliasOf(call, output, operand.first, operand.second));
  }
  add("output_operand_aliases", maker_.Array(std::move(aliases)));
  return Values(operation->results.begin(), operation->results.end());
}

// The number of the leaf, or of the first one in the part, among all of the shape.
int64_t LeafNumber(const Shape& shape, absl::Span<const int64_t> index) {
  int64_t number = 0;
  const Shape* part = &shape;
  for (const int64_t i : index) {
    for (int64_t before = 0; before < i; ++before) {
      number += ShapeUtil::GetLeafCount(part->tuple_shapes(before));
    }
    part = &part->tuple_shapes(i);
  }
  return number;
}

// Operands and results are leaves.
const Attribute* ProgramMaker::AliasOf(const HloInstruction& call, const ShapeIndex& output,
                                       int64_t operand, const ShapeIndex& part) {
  OutputOperandAlias alias;
  if (ShapeUtil::GetLeafCount(call.shape()) > 1) {
    alias.output_indices = {LeafNumber(call.shape(), output)};
  }
  alias.operand = LeafNumber(call.operand(operand)->shape(), part);
  for (int64_t i = 0; i < operand; ++i) {
    alias.operand += ShapeUtil::GetLeafCount(call.operand(i)->shape());
  }
  return program_.Add(Attribute{std::move(alias)});
}

// From the minor to the major dimension, of each leaf.
const Attribute* ProgramMaker::LayoutsOf(absl::Span<const Shape> shapes) {
  std::vector<const Attribute*> layouts;
  for (const Shape& shape : shapes) {
    ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsTuple()) return;
      const bool has_layout = part.IsArray() && part.has_layout();
      layouts.push_back(maker_.Integers(has_layout ? part.layout().minor_to_major()
                                                   : absl::Span<const int64_t>()));
    });
  }
  return maker_.Array(std::move(layouts));
}

// Its shape is an operand.
absl::StatusOr<Values> ProgramMaker::AddRng(const HloInstruction& rng, Values operands,
                                            Region& to) {
  Values shape;
  const Literal dimensions = LiteralUtil::CreateR1<int64_t>(rng.shape().dimensions());
  HILO_ASSIGN_OR_RETURN(shape, AddConstant(dimensions, rng, to));
  operands.push_back(shape[0]);
  return AddOperation(rng, std::move(operands), to);
}

absl::StatusOr<Values> ProgramMaker::AddOperation(const HloInstruction& instruction,
                                                  Values operands, Region& to) {
  const bool is_dependency = instruction.opcode() == HloOpcode::kAddDependency;
  const std::string name =
      is_dependency ? "stablehlo.optimization_barrier" : OperationName(instruction);
  if (name.empty()) {
    return Unimplemented("Instruction %s: StableHLO has no operation for %s", instruction.name(),
                         HloOpcodeString(instruction.opcode()));
  }
  const Values dependency = is_dependency ? NewValues(instruction.operand(1)->shape()) : Values();
  HILO_ASSIGN_OR_RETURN(Operation * operation,
                        Append(name, instruction, operands, instruction.shape(), to));
  Values results(operation->results.begin(), operation->results.end());
  for (ValueId value : dependency) operation->results.push_back(value);
  NamedAttributes attributes;
  if (absl::Status status = AddAttributes(instruction, maker_, attributes); !status.ok()) {
    return Unimplemented("Instruction %s has no form in StableHLO: %s", instruction.name(),
                         status.message());
  }
  for (const NamedAttribute& attribute : attributes) {
    if (!IsAbsent(attribute.name, *attribute.value)) operation->attributes.push_back(attribute);
  }
  for (const HloComputation* computation : instruction.called_computations()) {
    HILO_RETURN_IF_ERROR(AddRegion(*computation, *operation));
  }
  return results;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Program>> FromHloModule(const HloModule& module) {
  if (!module.has_entry_computation()) {
    return InvalidArgument("Module %s has no entry computation", module.name());
  }
  auto program = std::make_unique<Program>();
  HILO_RETURN_IF_ERROR(ProgramMaker(module, *program).Make());
  return program;
}

}  // namespace xla::stablehlo
