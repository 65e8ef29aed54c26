#include "front/stablehlo/lower/lowering.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/sharding.h"
#include "front/stablehlo/lower/table.h"
#include "ir/ops/rule.h"
#include "ir/shape_rules.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// Marks a status that says already where it comes from.
constexpr absl::string_view kHasPlace = "hilo/stablehlo-place";

absl::Status CheckCounts(const Operation& op, const OpRow& row) {
  const auto operands = static_cast<int>(op.operands.size());
  if (operands < row.operands.min || operands > row.operands.max) {
    return InvalidArgument("there are %d operands", operands);
  }
  if (row.results != kAnyNumber && row.results != static_cast<int>(op.results.size())) {
    return InvalidArgument("there are %d results", op.results.size());
  }
  if (row.regions != kAnyNumber && row.regions != static_cast<int>(op.regions.size())) {
    return InvalidArgument("there are %d regions", op.regions.size());
  }
  return absl::OkStatus();
}

bool EndsRegion(absl::string_view name) {
  return name == "stablehlo.return" || name == "func.return" || name == "sdy.return";
}

// Counts how deep we are while it lives.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  absl::Status Check() const {
    if (depth_ <= kMostNesting) return absl::OkStatus();
    return InvalidArgument("regions and calls nest more than %d times", kMostNesting);
  }

 private:
  int& depth_;
};

// Operations without operands whose values are made anew where another computation needs them.
bool IsConstant(const Operation* op) {
  return op != nullptr && op->operands.empty() &&
         (op->name == "stablehlo.constant" || op->name == "stablehlo.iota");
}

}  // namespace

std::string Describe(const Operation& op) {
  std::string text(op.name);
  if (const std::string place = PlaceOf(op.location); !place.empty()) {
    absl::StrAppend(&text, " at ", place);
  }
  if (op.source_line > 0) {
    absl::StrAppend(&text, " in line ", op.source_line, ", column ", op.source_column);
  }
  return text;
}

absl::Status WithPlace(absl::Status status, const Operation& op) {
  if (status.ok() || status.GetPayload(kHasPlace).has_value()) return status;
  absl::Status placed(status.code(), absl::StrCat(Describe(op), ": ", status.message()));
  placed.SetPayload(kHasPlace, absl::Cord());
  return placed;
}

// ---- The program
// -------------------------------------------------------------------------------

Lowering::Lowering(const Program& program)
    : program_(program),
      definitions_(program.value_count()),
      bindings_(program.value_count()),
      marks_(program.value_count()) {}

absl::Status Lowering::Index() {
  std::vector<bool> defined(program_.value_count());
  const auto define = [&](ValueId value, const Operation* op) {
    if (value < 0 || value >= program_.value_count() || defined[value]) {
      return WithPlace(InvalidArgument("value %d is defined twice", value),
                       op != nullptr ? *op : *program_.module);
    }
    defined[value] = true;
    definitions_[value] = op;
    return absl::OkStatus();
  };
  std::vector<const Operation*> pending = {program_.module};
  while (!pending.empty()) {
    const Operation* op = pending.back();
    pending.pop_back();
    for (const ValueId result : op->results) HILO_RETURN_IF_ERROR(define(result, op));
    for (const ValueId operand : op->operands) {
      if (operand < 0 || operand >= program_.value_count()) {
        return WithPlace(InvalidArgument("there is no value %d", operand), *op);
      }
    }
    for (const Region& region : op->regions) {
      for (const ValueId argument : region.arguments) {
        HILO_RETURN_IF_ERROR(define(argument, nullptr));
      }
      pending.insert(pending.end(), region.operations.begin(), region.operations.end());
    }
  }
  for (const Region& region : program_.module->regions) {
    for (const Operation* op : region.operations) {
      absl::StatusOr<std::optional<absl::string_view>> name = FindString(*op, "sym_name");
      if (!name.ok()) return WithPlace(name.status(), *op);
      if (!name->has_value()) continue;
      if (!symbols_.emplace(**name, op).second) {
        return WithPlace(InvalidArgument("there are two symbols @%s", **name), *op);
      }
    }
  }
  return absl::OkStatus();
}

const Operation* Lowering::Symbol(absl::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : found->second;
}

absl::StatusOr<const Shape*> Lowering::ShapeOf(ValueId value) {
  const Shape* given = &program_.shape(value);
  std::unique_ptr<Shape>& shape = shapes_[given];
  if (shape == nullptr) {
    HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(*given));
    shape = std::make_unique<Shape>(*given);
    LayoutUtil::SetToDefaultLayout(shape.get());
  }
  return shape.get();
}

absl::StatusOr<HloComputation*> Lowering::Function(absl::string_view name) {
  const Operation* function = Symbol(name);
  if (function == nullptr || function->name != "func.func") {
    return NotFound("there is no function @%s", name);
  }
  const auto found = functions_.find(function);
  if (found == functions_.end()) return LowerFunction(*function, /*is_entry=*/false);
  if (found->second == nullptr) return InvalidArgument("the function @%s calls itself", name);
  return found->second;
}

absl::StatusOr<HloComputation*> Lowering::Library(
    const std::string& key, absl::FunctionRef<absl::StatusOr<XlaComputation>()> make) {
  const auto found = library_.find(key);
  if (found != library_.end()) return found->second;
  HILO_ASSIGN_OR_RETURN(const XlaComputation computation, make());
  HILO_ASSIGN_OR_RETURN(const HloModuleConfig config, HloModule::CreateModuleConfigFromProto(
                                                          computation.proto(), DebugOptions()));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> made,
                        HloModule::CreateFromProto(computation.proto(), config));
  HloComputation* entry = made->entry_computation();
  module_->MoveComputationsFrom(made.get());
  library_.emplace(key, entry);
  return entry;
}

std::vector<ValueId> Lowering::FreeValues(absl::Span<const Region* const> regions) {
  const int64_t mark = ++last_mark_;
  std::vector<ValueId> free;
  // Operations in their order, with the regions of each in its place.
  struct Place {
    const Region* region;
    size_t next;
  };
  std::vector<Place> places;
  const auto enter = [&](const Region& region) {
    for (const ValueId argument : region.arguments) marks_[argument] = mark;
    places.push_back({&region, 0});
  };
  for (const Region* region : regions) {
    enter(*region);
    while (!places.empty()) {
      Place& place = places.back();
      if (place.next == place.region->operations.size()) {
        places.pop_back();
        continue;
      }
      const Operation& op = *place.region->operations[place.next++];
      for (const ValueId operand : op.operands) {
        if (marks_[operand] == mark) continue;
        marks_[operand] = mark;
        free.push_back(operand);
      }
      for (const ValueId result : op.results) marks_[result] = mark;
      for (size_t i = op.regions.size(); i-- > 0;) enter(op.regions[i]);
    }
  }
  return free;
}

// ---- One computation
// ---------------------------------------------------------------------------

Body::Body(Lowering& lowering, absl::string_view name)
    : lowering_(lowering), builder_(name), id_(++lowering.last_body_) {}

// While this lives, values from outside are what the computation has in their place.
class Body::Rebound {
 public:
  explicit Rebound(Body& body) : body_(body) {}
  Rebound(const Rebound&) = delete;
  ~Rebound() {
    for (size_t i = saved_.size(); i-- > 0;) {
      body_.lowering_.bindings_[saved_[i].first] = saved_[i].second;
    }
  }
  // The value is about to be bound in the inner computation.
  void Save(ValueId value) { saved_.emplace_back(value, body_.lowering_.bindings_[value]); }

 private:
  Body& body_;
  std::vector<std::pair<ValueId, Lowering::Binding>> saved_;
};

void Body::Bind(ValueId value, HloInstruction* instruction) {
  lowering_.bindings_[value] = {instruction, id_};
}

absl::StatusOr<HloInstruction*> Body::Value(ValueId value) {
  const Lowering::Binding& binding = lowering_.bindings_[value];
  if (binding.instruction == nullptr || binding.body != id_) {
    return InvalidArgument("an operand is used where it is not defined");
  }
  return binding.instruction;
}

absl::StatusOr<std::vector<HloInstruction*>> Body::Values(absl::Span<const ValueId> values) {
  std::vector<HloInstruction*> instructions;
  instructions.reserve(values.size());
  for (const ValueId value : values) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * instruction, Value(value));
    instructions.push_back(instruction);
  }
  return instructions;
}

absl::StatusOr<HloInstruction*> Body::Operand(const Operation& op, int64_t number) {
  return Value(op.operands[number]);
}

absl::StatusOr<const Operation*> Body::LowerAll(const Region& region) {
  for (const Operation* op : region.operations) {
    if (EndsRegion(op->name)) return op;
    HILO_RETURN_IF_ERROR(LowerOne(*op));
  }
  return InvalidArgument("a region does not end in a return");
}

absl::Status Body::LowerOne(const Operation& op) {
  const Operation* const outer = current_;
  current_ = &op;
  const absl::Status status = [&]() -> absl::Status {
    const OpRow* row = FindOpRow(op.name);
    if (row == nullptr) return Unimplemented("there is no such operation in HLO");
    HILO_RETURN_IF_ERROR(CheckCounts(op, *row));
    const Deeper deeper(lowering_.depth_);
    HILO_RETURN_IF_ERROR(deeper.Check());
    return row->lower(*this, op, row->opcode);
  }();
  current_ = outer;
  return WithPlace(status, op);
}

HloInstruction* Body::Keep(std::unique_ptr<HloInstruction> instruction) {
  return builder_.AddInstruction(std::move(instruction));
}

// The verifier's rule of the operation. Shapes of operands obeyed theirs before.
absl::Status Body::CheckRule(const HloInstruction& instruction) {
  absl::InlinedVector<const Shape*, 4> operands;
  for (const HloInstruction* operand : instruction.operands()) {
    operands.push_back(&operand->shape());
  }
  absl::InlinedVector<const ProgramShape*, 2> callees;
  for (const HloComputation* callee : instruction.called_computations()) {
    callees.push_back(&lowering_.ProgramShapeOf(*callee));
  }
  const OpDescription op = {instruction.opcode(), operands, &instruction.attributes(), callees,
                            &instruction.shape()};
  HILO_ASSIGN_OR_RETURN(const Shape inferred, InferShape(op));
  if (shape_rules::ShapesAgree(inferred, instruction.shape())) return absl::OkStatus();
  return InvalidArgument("the result is said to be %s, but it is %s",
                         shape_rules::Text(instruction.shape()), shape_rules::Text(inferred));
}

const ProgramShape& Lowering::ProgramShapeOf(const HloComputation& computation) {
  std::unique_ptr<ProgramShape>& shape = program_shapes_[&computation];
  if (shape == nullptr) {
    shape = std::make_unique<ProgramShape>(computation.ComputeProgramShape(/*include_ids=*/false));
  }
  return *shape;
}

// What the instruction says of where it comes from.
absl::Status Body::DescribeCurrent(HloInstruction& instruction) {
  if (current_ == nullptr) return absl::OkStatus();
  if (instruction.opcode() != HloOpcode::kConstant) {
    if (const Metadata::Origin* origin = lowering_.metadata().Of(current_->location)) {
      instruction.set_metadata(origin->metadata);
      if (!origin->instruction_name.empty()) {
        instruction.SetAndSanitizeName(origin->instruction_name);
      }
    }
  }
  if (current_->discardable.empty()) return absl::OkStatus();
  return AddFrontendAttributes(*current_, instruction);
}

absl::StatusOr<HloInstruction*> Body::Add(HloOpcode opcode, const Shape& shape,
                                          absl::Span<HloInstruction* const> operands,
                                          std::unique_ptr<Attributes> attributes,
                                          absl::Span<HloComputation* const> callees) {
  std::unique_ptr<HloInstruction> instruction =
      HloInstruction::Create(opcode, shape, operands, std::move(attributes), callees);
  HILO_RETURN_IF_ERROR(CheckRule(*instruction));
  HILO_RETURN_IF_ERROR(DescribeCurrent(*instruction));
  return Keep(std::move(instruction));
}

absl::StatusOr<HloInstruction*> Body::AddParameter(const Shape& shape, absl::string_view name,
                                                   const Location* location) {
  std::unique_ptr<HloInstruction> parameter =
      HloInstruction::CreateParameter(parameter_count_++, shape, name);
  HILO_RETURN_IF_ERROR(CheckRule(*parameter));
  if (const Metadata::Origin* origin = lowering_.metadata().Of(location)) {
    parameter->set_metadata(origin->metadata);
  }
  return Keep(std::move(parameter));
}

absl::StatusOr<HloInstruction*> Body::AddConstant(Literal literal) {
  return Keep(HloInstruction::CreateConstant(std::move(literal)));
}

absl::StatusOr<HloInstruction*> Body::AddTuple(absl::Span<HloInstruction* const> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const HloInstruction* element : elements) shapes.push_back(element->shape());
  return Add(HloOpcode::kTuple, Shape(std::move(shapes)), elements);
}

absl::StatusOr<HloInstruction*> Body::AddElement(HloInstruction* tuple, int64_t index) {
  if (!tuple->shape().IsTuple() || index < 0 || index >= tuple->shape().tuple_shapes_size()) {
    return InvalidArgument("%s has no element %d", tuple->shape().ToString(), index);
  }
  auto attributes = std::make_unique<GetTupleElementAttributes>();
  attributes->index = index;
  return Add(HloOpcode::kGetTupleElement, tuple->shape().tuple_shapes(static_cast<int>(index)),
             {tuple}, std::move(attributes));
}

absl::StatusOr<HloInstruction*> Body::AddReshape(HloInstruction* operand, const Shape& shape) {
  return Add(HloOpcode::kReshape, shape, {operand});
}

absl::StatusOr<HloInstruction*> Body::AddTupleUnlessOne(
    absl::Span<HloInstruction* const> elements) {
  if (elements.size() == 1) return elements[0];
  return AddTuple(elements);
}

absl::StatusOr<const Shape*> Body::ResultShape(const Operation& op, int64_t number) {
  return lowering_.ShapeOf(op.results[number]);
}

absl::StatusOr<Shape> Body::ResultShape(const Operation& op) {
  if (op.results.size() == 1) {
    HILO_ASSIGN_OR_RETURN(const Shape* shape, ResultShape(op, 0));
    return *shape;
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < op.results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape* shape, ResultShape(op, i));
    shapes.push_back(*shape);
  }
  return Shape(std::move(shapes));
}

absl::Status Body::Define(const Operation& op, HloInstruction* result) {
  HILO_RETURN_IF_ERROR(AddShardings(lowering_, op, *result));
  if (op.results.size() == 1) {
    Bind(op.results[0], result);
    return absl::OkStatus();
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * element, AddElement(result, static_cast<int64_t>(i)));
    Bind(op.results[i], element);
  }
  return absl::OkStatus();
}

absl::Status Body::Emit(const Operation& op, HloOpcode opcode,
                        absl::Span<HloInstruction* const> operands,
                        std::unique_ptr<Attributes> attributes,
                        absl::Span<HloComputation* const> callees) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, ResultShape(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * result,
                        Add(opcode, shape, operands, std::move(attributes), callees));
  return Define(op, result);
}

absl::StatusOr<HloInstruction*> Body::Results(const Operation& end) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> results, Operands(end));
  return AddTupleUnlessOne(results);
}

// ---- Regions
// -----------------------------------------------------------------------------------

// A value from outside by operations on constants, lowered once more in this computation.
absl::Status Body::LowerPure(ValueId value, Rebound& rebound, int& budget) {
  const Operation* op = lowering_.DefinitionOf(value);
  const absl::Status refused = InvalidArgument(
      "a region that is applied to elements uses a value from outside that depends "
      "on more than constants");
  if (op == nullptr || !op->regions.empty() || op->results.size() != 1 || --budget < 0) {
    return refused;
  }
  const OpRow* row = FindOpRow(op->name);
  if (row == nullptr || !row->is_pure) return refused;
  for (const ValueId operand : op->operands) {
    if (!Value(operand).ok()) HILO_RETURN_IF_ERROR(LowerPure(operand, rebound, budget));
  }
  rebound.Save(value);
  return LowerOne(*op);
}

absl::StatusOr<HloComputation*> Body::Applied(const Region& region) {
  Body inner(lowering_, absl::StrCat("region_", lowering_.region_count_++));
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape* shape, lowering_.ShapeOf(region.arguments[i]));
    HILO_ASSIGN_OR_RETURN(HloInstruction * parameter,
                          inner.AddParameter(*shape, absl::StrCat("Arg_", i), nullptr));
    inner.Bind(region.arguments[i], parameter);
  }
  Rebound rebound(inner);
  int budget = 100;
  const Region* const regions[] = {&region};
  for (const ValueId value : lowering_.FreeValues(regions)) {
    // One operation may have been needed for several values.
    if (!inner.Value(value).ok()) HILO_RETURN_IF_ERROR(inner.LowerPure(value, rebound, budget));
  }
  HILO_ASSIGN_OR_RETURN(const Operation* end, inner.LowerAll(region));
  HILO_ASSIGN_OR_RETURN(HloInstruction * root, inner.Results(*end));
  return lowering_.module().AddEmbeddedComputation(inner.Build(root));
}

std::vector<ValueId> Body::Captured(absl::Span<const Region* const> regions) {
  std::vector<ValueId> captured = lowering_.FreeValues(regions);
  captured.erase(
      std::remove_if(captured.begin(), captured.end(),
                     [&](ValueId value) { return IsConstant(lowering_.DefinitionOf(value)); }),
      captured.end());
  return captured;
}

absl::StatusOr<HloComputation*> Body::State(const Region& region,
                                            absl::Span<const ValueId> captured, bool hands_on) {
  Body inner(lowering_, absl::StrCat("region_", lowering_.region_count_++));
  Rebound rebound(inner);
  std::vector<ValueId> state(region.arguments.begin(), region.arguments.end());
  state.insert(state.end(), captured.begin(), captured.end());
  std::vector<Shape> shapes;
  for (size_t i = 0; i < state.size(); ++i) {
    // What is captured has the shape that it turned out to have outside.
    if (i >= region.arguments.size()) {
      HILO_ASSIGN_OR_RETURN(const HloInstruction* value, Value(state[i]));
      shapes.push_back(value->shape());
      rebound.Save(state[i]);
      continue;
    }
    HILO_ASSIGN_OR_RETURN(const Shape* shape, lowering_.ShapeOf(state[i]));
    shapes.push_back(*shape);
  }
  if (state.size() == 1) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * parameter,
                          inner.AddParameter(shapes[0], "Arg_", nullptr));
    inner.Bind(state[0], parameter);
  } else {
    HILO_ASSIGN_OR_RETURN(HloInstruction * parameter,
                          inner.AddParameter(Shape(std::move(shapes)), "arg_tuple", nullptr));
    for (size_t i = 0; i < state.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(HloInstruction * element,
                            inner.AddElement(parameter, static_cast<int64_t>(i)));
      inner.Bind(state[i], element);
    }
  }
  const Region* const regions[] = {&region};
  for (const ValueId value : lowering_.FreeValues(regions)) {
    const Operation* definition = lowering_.DefinitionOf(value);
    if (!IsConstant(definition)) continue;
    rebound.Save(value);
    HILO_RETURN_IF_ERROR(inner.LowerOne(*definition));
  }
  HILO_ASSIGN_OR_RETURN(const Operation* end, inner.LowerAll(region));
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> results, inner.Operands(*end));
  for (size_t i = 0; hands_on && i < captured.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * value, inner.Value(captured[i]));
    results.push_back(value);
  }
  HILO_ASSIGN_OR_RETURN(HloInstruction * root, inner.AddTupleUnlessOne(results));
  return lowering_.module().AddEmbeddedComputation(inner.Build(root));
}

}  // namespace xla::stablehlo::lowering
