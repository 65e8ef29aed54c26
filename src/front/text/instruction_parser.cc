// The part of an instruction up to its attributes: shape, opcode, operands.
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "front/text/module_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

const OpInfo* FindOp(absl::string_view name) {
  static const auto& by_name = *[] {
    auto* map = new absl::flat_hash_map<absl::string_view, const OpInfo*>();
    for (const OpInfo& op : AllOps()) map->emplace(op.name, &op);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

// The operation that has the suffix, or null.
const OpInfo* FindWrappedOp(absl::string_view name, absl::string_view suffix) {
  if (!absl::ConsumeSuffix(&name, suffix)) return nullptr;
  const OpInfo* op = FindOp(name);
  return op != nullptr && TakesAsyncSuffix(op->opcode) ? op : nullptr;
}

}  // namespace

// shape? opcode(operands), attributes, after the shape.
bool ModuleParser::ParseRightHandSide(Scope& scope, absl::string_view name,
                                      std::optional<Shape> shape, bool with_attributes,
                                      HloInstruction** result) {
  Nesting nesting(*this);
  if (nesting.TooDeep()) return FailTooDeep();
  Draft draft;
  draft.position = token().begin;
  draft.shape = std::move(shape);
  return ParseOpcode(draft) && ParseOperands(scope, draft) &&
         (!with_attributes || ParseAttributes(scope, draft)) && CheckRequired(draft) &&
         FinishInstruction(scope, name, draft, result);
}

bool ModuleParser::ParseOpcode(Draft& draft) {
  if (!At(TokenKind::kIdentifier)) return FailExpected("an opcode");
  const absl::string_view word = draft.opcode_text = token().text;
  draft.op = FindOp(word);
  if (draft.op == nullptr) {
    if ((draft.op = FindWrappedOp(word, "-start")) != nullptr) {
      draft.async_form = AsyncForm::kStart;
    } else if ((draft.op = FindWrappedOp(word, "-update")) != nullptr) {
      draft.async_form = AsyncForm::kUpdate;
    } else if ((draft.op = FindWrappedOp(word, "-done")) != nullptr) {
      draft.async_form = AsyncForm::kDone;
    } else {
      return FailUnknownOpcode(word);
    }
    draft.sugar_attributes = std::make_unique<AsyncAttributes>();
    draft.async = draft.sugar_attributes.get();
  }
  draft.attributes = draft.op->make_attributes();
  if (HloOpcodeIsAsync(draft.op->opcode)) {
    draft.async = static_cast<AsyncAttributes*>(draft.attributes.get());
  }
  draft.callees.assign(draft.op->callees.form == CalleeForm::kNamed ? draft.op->callees.count : 0,
                       nullptr);
  Next();
  return true;
}

bool ModuleParser::FailUnknownOpcode(absl::string_view word) {
  std::vector<absl::string_view> names;
  for (const OpInfo& op : AllOps()) names.push_back(op.name);
  return Fail("unknown opcode ", word, Suggestion(word, names));
}

bool ModuleParser::ParseOperands(Scope& scope, Draft& draft) {
  const absl::Span<const Field> fields = draft.op->fields();
  if (!fields.empty() && fields[0].form == Form::kPositional)
    return ParsePositional(draft, fields[0]);
  return ParseList(TokenKind::kLeftParen, TokenKind::kRightParen,
                   [&] {
                     HloInstruction* operand = nullptr;
                     if (!ParseOperand(scope, &operand)) return false;
                     if (operand != nullptr) draft.operands.push_back(operand);
                     return true;
                   }) &&
         CheckOperandCount(draft);
}

// parameter(0), constant({1, 2})
bool ModuleParser::ParsePositional(Draft& draft, const Field& field) {
  if (!Expect(TokenKind::kLeftParen)) return false;
  const FieldReference reference = field.reference(*draft.attributes);
  if (SharedLiteral* const* literal = std::get_if<SharedLiteral*>(&reference)) {
    if (!draft.shape.has_value()) {
      return FailAt(draft.position, "the shape of ", draft.opcode_text, " cannot be left out");
    }
    auto read = std::make_shared<Literal>();
    if (!ParseLiteral(*draft.shape, read.get())) return false;
    **literal = std::move(read);
    // The elements of a literal are not packed.
    if (draft.shape->IsArray() && draft.shape->has_layout()) {
      draft.shape->mutable_layout()->set_element_size_in_bits(0);
    }
  } else if (!Parse(reference)) {
    return false;
  }
  return Expect(TokenKind::kRightParen);
}

bool ModuleParser::CheckOperandCount(const Draft& draft) {
  // A start may leave operands to the updates.
  OperandCount expected = draft.op->operands;
  if (draft.async_form == AsyncForm::kStart) expected.min = 0;
  if (draft.async_form == AsyncForm::kUpdate) expected = {1, kMany};
  if (draft.async_form == AsyncForm::kDone) expected = {1, 1};
  const int count = static_cast<int>(draft.operands.size());
  if (count >= expected.min && count <= expected.max) return true;
  if (expected.min == expected.max) {
    return FailAt(draft.position, draft.opcode_text, " takes ", expected.min,
                  expected.min == 1 ? " operand" : " operands", ", got ", count);
  }
  return FailAt(draft.position, draft.opcode_text, " takes ", expected.min,
                " or more operands, got ", count);
}

// shape? name, shape? name#0#1, or a nested instruction without attributes. Text that has nothing
// between two commas, or only a shape, has no operand there.
bool ModuleParser::ParseOperand(Scope& scope, HloInstruction** operand) {
  std::optional<Shape> shape;
  const char* const begin = token().begin;
  if (AtShape() && !Parse(&shape)) return false;
  if (AtNestedInstruction()) {
    return ParseRightHandSide(scope, "", std::move(shape), /*with_attributes=*/false, operand);
  }
  if (!At(TokenKind::kName) && !At(TokenKind::kIdentifier)) {
    if (shape.has_value() && scope.makes_parameters) {
      *operand = MakeMissingParameter(scope, "", *shape);
      return true;
    }
    if (At(TokenKind::kComma) || At(TokenKind::kRightParen)) return true;
    return FailExpected("an operand: the name of an instruction or a nested instruction");
  }
  const absl::string_view name = token().text;
  const auto found = scope.names.find(name);
  if (found != scope.names.end()) {
    *operand = found->second;
  } else if (shape.has_value() && scope.makes_parameters) {
    *operand = MakeMissingParameter(scope, name, *shape);
  } else {
    return FailUnknownName(scope, token().begin, name);
  }
  Next();
  if (At(TokenKind::kHash) && !ParseElementPath(scope, operand)) return false;
  if (shape.has_value() && !ShapeUtil::Compatible(*shape, (*operand)->shape())) {
    return FailAt(begin, "operand ", name, " is said to be ", shape->ToString(), ", but it is ",
                  (*operand)->shape().ToString());
  }
  return true;
}

// opcode(...), where a name alone would be followed by ',' or ')'.
bool ModuleParser::AtNestedInstruction() {
  if (!At(TokenKind::kIdentifier)) return false;
  const char* const after = token().end;
  if (after != lexer().end() && (*after == ',' || *after == ')' || *after == '(')) {
    return *after == '(';
  }
  return lexer().Peek().kind == TokenKind::kLeftParen;
}

// #1#0: an element of a tuple. Each path becomes one get-tuple-element, however often it is
// written.
bool ModuleParser::ParseElementPath(Scope& scope, HloInstruction** operand) {
  while (Accept(TokenKind::kHash)) {
    const char* const begin = token().begin;
    int64_t index = 0;
    if (!Parse(&index)) return false;
    const Shape& tuple = (*operand)->shape();
    if (!tuple.IsTuple() || index < 0 || index >= tuple.tuple_shapes_size()) {
      return FailAt(begin, (*operand)->name(), " of shape ", tuple.ToString(), " has no element ",
                    index);
    }
    HloInstruction*& element = scope.elements[{*operand, index}];
    if (element == nullptr) {
      if (!CheckUnwrittenShape(begin, tuple.tuple_shapes(static_cast<int>(index)))) return false;
      const std::string name = UnusedName(scope, absl::StrCat((*operand)->name(), "_", index));
      element = AddInstruction(scope, name,
                               HloInstruction::CreateGetTupleElement(
                                   tuple.tuple_shapes(static_cast<int>(index)), *operand, index));
    }
    *operand = element;
  }
  return true;
}

bool ModuleParser::FailUnknownName(const Scope& scope, const char* position,
                                   absl::string_view name) {
  constexpr size_t kMostCandidates = 5000;
  std::vector<absl::string_view> names;
  for (const auto& [other, instruction] : scope.names) {
    if (names.size() == kMostCandidates) break;
    names.push_back(other);
  }
  absl::c_sort(names);
  return FailAt(position, "there is no instruction ", name, " before this one in the computation",
                Suggestion(name, names));
}

HloInstruction* ModuleParser::MakeMissingParameter(Scope& scope, absl::string_view name,
                                                   const Shape& shape) {
  const int64_t number = scope.parameter_count++;
  const std::string unused = UnusedName(scope, name.empty() ? absl::StrCat("_", number) : name);
  return AddInstruction(scope, unused, HloInstruction::CreateParameter(number, shape, unused));
}

std::string ModuleParser::UnusedName(Scope& scope, absl::string_view stem) {
  if (!scope.names.contains(stem)) return std::string(stem);
  int64_t& suffix = scope.next_suffix[stem];
  while (true) {
    std::string name = absl::StrCat(stem, ".", ++suffix);
    if (!scope.names.contains(name)) return name;
  }
}

// Puts a finished instruction into the computation. A name that does not stand in the text must be
// unused.
HloInstruction* ModuleParser::AddInstruction(Scope& scope, absl::string_view name,
                                             std::unique_ptr<HloInstruction> instruction) {
  HloInstruction* added = instruction.get();
  added->set_name(std::string(name));
  scope.instructions.push_back(std::move(instruction));
  scope.names.emplace(added->name(), added);
  return added;
}

}  // namespace xla
