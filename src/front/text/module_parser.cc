#include "front/text/module_parser.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "ir/graph.h"
#include "ir/name_uniquer.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::unique_ptr<HloModule>> ModuleParser::Run() {
  auto module = std::make_unique<HloModule>("", HloModuleConfig());
  if (absl::Status read = RunInto(*module); !read.ok()) return read;
  return module;
}

absl::Status ModuleParser::RunInto(HloModule& module) {
  module_ = &module;
  const bool is_module = AtModule();
  const bool ok =
      (is_module ? ParseModule() : ParseSingleInstruction()) && ExpectEnd() && FinishModule();
  return ok ? absl::OkStatus()
            : status(is_module ? "HloModule" : "HloModule or a single instruction");
}

// HloModule, ENTRY or `name {`; any other text is a single instruction.
bool ModuleParser::AtModule() {
  if (AtKeyword("HloModule") || AtKeyword("ENTRY")) return true;
  if (!At(TokenKind::kName) && !At(TokenKind::kIdentifier)) return At(TokenKind::kEndOfText);
  return lexer().Peek().kind == TokenKind::kLeftBrace;
}

bool ModuleParser::ParseModule() {
  return ParseHeader() && ParseStackFrames() && ParseComputations();
}

bool ModuleParser::ParseComputations() {
  if (At(TokenKind::kEndOfText)) return FailExpected("a computation");
  while (!At(TokenKind::kEndOfText)) {
    if (!ParseComputation()) return false;
  }
  return true;
}

bool ModuleParser::ParseComputation() {
  const char* const begin = token().begin;
  const bool is_entry = AtKeyword("ENTRY");
  if (is_entry) {
    Next();
    if (entry_ != nullptr) return FailAt(begin, "a module has only one ENTRY");
  }
  const char* const name_position = token().begin;
  absl::string_view name;
  if (!ParseName(&name)) return false;
  if (computation_names_.contains(name)) {
    return FailAt(name_position, "computation ", name, " is already defined");
  }
  std::optional<Shape> result;
  const char* result_position = nullptr;
  if (At(TokenKind::kLeftParen)) {
    if (!ParseParametersAndResult(&result)) return false;
    result_position = lexer().previous_end();
  }
  Scope scope;
  HloComputation* computation = nullptr;
  if (!ParseInstructions(scope) || !FinishComputation(name_position, name, scope, &computation)) {
    return false;
  }
  const HloInstruction* root = computation->root_instruction();
  if (result.has_value() && !ShapeUtil::Compatible(*result, root->shape())) {
    return FailAt(result_position, "the result of computation ", name, " is said to be ",
                  result->ToString(), ", but its root ", root->name(), " has shape ",
                  root->shape().ToString());
  }
  if (At(TokenKind::kComma) && !ParseExecutionThread(*computation)) return false;
  computation_names_.emplace(name, computation);
  if (is_entry) entry_ = computation;
  return true;
}

bool ModuleParser::ParseExecutionThread(HloComputation& computation) {
  std::string thread;
  if (!Expect(TokenKind::kComma) || !ExpectAttributeName("execution_thread") || !Parse(&thread)) {
    return false;
  }
  computation.SetExecutionThread(thread);
  return true;
}

// (a: f32[2], b: s32[]) -> f32[2]. The parameters are repeated in the body, which counts.
bool ModuleParser::ParseParametersAndResult(std::optional<Shape>* result) {
  return ParseList(TokenKind::kLeftParen, TokenKind::kRightParen,
                   [&] {
                     absl::string_view name;
                     Shape shape;
                     return ParseName(&name) && Parse(&shape);
                   }) &&
         Expect(TokenKind::kArrow) && Parse(&result->emplace());
}

bool ModuleParser::ParseInstructions(Scope& scope) {
  Nesting nesting(*this);
  if (nesting.TooDeep()) return FailTooDeep();
  if (!Expect(TokenKind::kLeftBrace)) return false;
  do {
    if (!ParseInstruction(scope)) return false;
  } while (!Accept(TokenKind::kRightBrace));
  return true;
}

// ROOT name = shape opcode(operands), attributes
bool ModuleParser::ParseInstruction(Scope& scope) {
  const bool is_root = AtKeyword("ROOT");
  const char* const root_position = token().begin;
  if (is_root) Next();
  absl::string_view name;
  std::optional<Shape> shape;
  HloInstruction* instruction = nullptr;
  if (!ParseNameAndShape(scope, &name, &shape) ||
      !ParseRightHandSide(scope, name, std::move(shape), /*with_attributes=*/true, &instruction)) {
    return false;
  }
  if (!name.empty()) scope.names[name] = instruction;
  if (!is_root) return true;
  if (scope.root != nullptr) return FailAt(root_position, "a computation has only one ROOT");
  scope.root = instruction;
  return true;
}

// name = shape?, or as documents print it: shape name = shape?, or a shape without a name.
bool ModuleParser::ParseNameAndShape(const Scope& scope, absl::string_view* name,
                                     std::optional<Shape>* shape) {
  const char* const shape_position = token().begin;
  std::optional<Shape> shape_before;
  // An element type is no name, but is meant as one before '='.
  if (AtShape() && lexer().Peek().kind != TokenKind::kEqual && !Parse(&shape_before)) return false;
  if (AtCall()) {
    *shape = std::move(shape_before);
    return true;
  }
  if (At(TokenKind::kAttributeName)) {
    return Fail("expected the name of an instruction; write a space between name and '='");
  }
  const char* const position = token().begin;
  if (!ParseName(name) || !Expect(TokenKind::kEqual)) return false;
  if (SanitizeName(*name) != *name) {
    return FailAt(position, "illegal instruction name: ", *name, "; use ", SanitizeName(*name));
  }
  if (scope.names.contains(*name)) {
    return FailAt(position, "instruction ", *name, " is already defined");
  }
  if (AtShape() && !Parse(shape)) return false;
  if (!shape->has_value()) {
    *shape = std::move(shape_before);
  } else if (shape_before.has_value() && !ShapeUtil::Compatible(*shape_before, **shape)) {
    return FailAt(shape_position, "instruction ", *name, " is said to be ",
                  shape_before->ToString(), " and ", (*shape)->ToString());
  }
  return true;
}

// opcode(...
bool ModuleParser::AtCall() {
  const char* const after = token().end;
  return At(TokenKind::kIdentifier) && after != lexer().end() && *after == '(';
}

bool ModuleParser::ParseSingleInstruction() {
  const char* const position = token().begin;
  Scope scope;
  scope.makes_parameters = true;
  absl::string_view name = "_";
  std::optional<Shape> shape;
  if (AtCall()) return Fail("expected the name of the instruction and '=', or its shape");
  if (!ParseNameAndShape(scope, &name, &shape) ||
      !ParseRightHandSide(scope, name, std::move(shape), /*with_attributes=*/true, &scope.root)) {
    return false;
  }
  header_.name = "_";
  return FinishComputation(position, "_", scope, &entry_);
}

bool ModuleParser::FinishComputation(const char* position, absl::string_view name, Scope& scope,
                                     HloComputation** computation) {
  absl::StatusOr<std::unique_ptr<HloComputation>> made =
      HloComputation::Create(name, std::move(scope.instructions), scope.root);
  if (!made.ok()) return FailWith(position, made.status());
  *computation = made->get();
  computations_.push_back(*std::move(made));
  return true;
}

// ---- After the text was read ----

bool ModuleParser::FinishModule() {
  if (entry_ == nullptr) entry_ = computations_.back().get();
  if (header_.name.empty()) header_.name = absl::StrCat("module_", entry_->name());
  if (header_.entry_layout.has_value()) {
    if (!CheckEntryLayout()) return false;
  } else {
    header_.entry_layout.emplace(entry_->ComputeProgramShape(), /*ignore_layouts=*/false);
  }
  config_.clear_entry_computation_layout();
  module_->set_name(std::move(header_.name));
  module_->set_config(std::move(config_));
  MakeNamesUnique();
  for (std::unique_ptr<HloComputation>& computation : computations_) {
    if (computation.get() == entry_) {
      module_->AddEntryComputation(std::move(computation));
    } else {
      module_->AddEmbeddedComputation(std::move(computation));
    }
  }
  module_->mutable_config().SetComputationLayoutIfExists(
      header_.entry_layout->ComputeProgramShape());
  *module_->mutable_entry_computation_layout() = *std::move(header_.entry_layout);
  for (const Alias& alias : header_.aliases) {
    const absl::Status status = module_->input_output_alias_config().SetUpAlias(
        alias.output, alias.parameter, alias.index, alias.kind);
    if (!status.ok()) return FailWith(alias.position, status);
  }
  module_->set_buffer_donor_config(std::move(header_.donors));
  module_->set_frontend_attributes(std::move(header_.frontend_attributes));
  module_->mutable_original_value_recovery_table() = std::move(header_.recovery_table);
  module_->mutable_debug_attributes() = std::move(header_.debug_attributes);
  if (header_.is_scheduled) SetSchedule();
  RenumberStackFrames();
  return true;
}

bool ModuleParser::CheckEntryLayout() {
  const ComputationLayout& layout = *header_.entry_layout;
  if (layout.parameter_count() != entry_->num_parameters()) {
    return FailAt(header_.layout_position, "entry_computation_layout has ",
                  layout.parameter_count(), " parameters, but the entry computation has ",
                  entry_->num_parameters());
  }
  const auto check = [&](absl::string_view what, const Shape& declared, const Shape& actual) {
    if (ShapeUtil::CompatibleIgnoringElementType(declared, actual)) return true;
    return FailAt(header_.layout_position, "entry_computation_layout gives ", what, " the shape ",
                  declared.ToString(), ", but in the entry computation it is ", actual.ToString());
  };
  for (int i = 0; i < layout.parameter_count(); ++i) {
    if (!check(absl::StrCat("parameter ", i), layout.parameter_shape(i),
               entry_->parameter_instruction(i)->shape())) {
      return false;
    }
  }
  return check("the result", layout.result_shape(), entry_->root_instruction()->shape());
}

// In the text a name has to be unique in its computation, in the module no two instructions have
// the same name.
void ModuleParser::MakeNamesUnique() {
  NameUniquer uniquer;
  for (const std::unique_ptr<HloComputation>& computation : computations_) {
    for (HloInstruction* instruction : computation->instructions()) {
      instruction->set_name(uniquer.GetUniqueName(instruction->name()));
    }
  }
}

void ModuleParser::SetSchedule() {
  HloSchedule schedule;
  for (HloComputation* computation : module_->computations()) {
    if (computation->IsFusionComputation()) continue;
    std::vector<HloInstruction*> sequence;
    sequence.reserve(computation->instruction_count());
    for (HloInstruction* instruction : computation->instructions()) sequence.push_back(instruction);
    schedule.set_sequence(computation, sequence);
  }
  module_->set_schedule_without_check(std::move(schedule));
}

// Keeps the frames that instructions refer to, in the order of the instructions.
void ModuleParser::RenumberStackFrames() {
  StackFrames frames;
  StackFrameCopier copier(stack_frames_, &frames);
  for (HloComputation* computation : module_->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      const StackFrameId frame{instruction->metadata().stack_frame_id()};
      if (frame.value == 0) continue;
      instruction->mutable_metadata().set_stack_frame_id(copier.Copy(frame).value);
    }
  }
  module_->set_stack_frames(std::move(frames));
}

}  // namespace xla
