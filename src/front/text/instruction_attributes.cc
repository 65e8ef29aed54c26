// The attributes of an instruction: those of its record, the computations it calls, and what any
// instruction may carry.
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "front/text/module_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr absl::string_view kAnnotationNames[] = {"sharding",
                                                  "frontend_attributes",
                                                  "statistics",
                                                  "parameter_replication",
                                                  "control-predecessors",
                                                  "origin",
                                                  "metadata",
                                                  "backend_config"};

// Attributes that some operations had once and that say nothing now.
struct IgnoredAttribute {
  HloOpcode opcode;
  absl::string_view name;
  absl::Span<const EnumName> values;
};

constexpr EnumName kCollectiveModes[] = {{0, "cross_replica"},
                                         {1, "cross_partition"},
                                         {2, "cross_replica_and_partition"},
                                         {3, "flattened_id"}};
constexpr IgnoredAttribute kIgnoredAttributes[] = {
    {HloOpcode::kAllReduce, "mode", kCollectiveModes},
    {HloOpcode::kAllReduceStart, "mode", kCollectiveModes},
    {HloOpcode::kReduceScatter, "mode", kCollectiveModes}};

const Field* FindField(absl::Span<const Field> fields, absl::string_view name) {
  for (const Field& field : fields) {
    if (field.name == name && field.form != Form::kPositional && field.form != Form::kNotInText) {
      return &field;
    }
  }
  return nullptr;
}

const IgnoredAttribute* FindIgnored(HloOpcode opcode, absl::string_view name) {
  for (const IgnoredAttribute& ignored : kIgnoredAttributes) {
    if (ignored.opcode == opcode && ignored.name == name) return &ignored;
  }
  return nullptr;
}

}  // namespace

bool ModuleParser::ParseAttributes(Scope& scope, Draft& draft) {
  while (Accept(TokenKind::kComma)) {
    const bool is_spaced = At(TokenKind::kIdentifier) && lexer().Peek().kind == TokenKind::kEqual;
    if (!At(TokenKind::kAttributeName) && !is_spaced) {
      return FailExpected("the name of an attribute and '='");
    }
    const absl::string_view name = token().text;
    if (absl::c_linear_search(draft.seen, name))
      return Fail("the attribute ", name, "= stands twice");
    draft.seen.push_back(name);
    if (is_spaced) Next();
    if (!ParseAttribute(scope, draft, name)) return false;
  }
  return true;
}

bool ModuleParser::ParseAttribute(Scope& scope, Draft& draft, absl::string_view name) {
  if (!draft.follows_start()) {
    if (const Field* field = FindField(draft.op->fields(), name)) {
      Next();
      return ParseField(*draft.attributes, *field);
    }
    const CalleeSpec& callees = draft.op->callees;
    for (int i = 0; i < callees.count; ++i) {
      if (callees.names[i].text != name) continue;
      Next();
      return callees.form == CalleeForm::kNamed ? ParseCallee(draft, callees.names[i].index)
                                                : ParseCalleeList(draft);
    }
    // Other ways to write lists of computations.
    const bool is_branch = name == "true_computation" || name == "false_computation";
    if (callees.form == CalleeForm::kBranches && is_branch) {
      Next();
      return ParseCallee(draft, name == "true_computation" ? 0 : 1);
    }
    if (callees.form == CalleeForm::kList && name == "to_apply") {
      Next();
      return ParseCallee(draft, 0);
    }
  } else if (name == "calls") {
    Next();
    return ParseCallee(draft, 0);
  }
  if (draft.sugar_attributes != nullptr) {
    if (const Field* field = FindField(AsyncAttributes::FieldList(), name)) {
      Next();
      return ParseField(*draft.sugar_attributes, *field);
    }
  }
  if (const IgnoredAttribute* ignored = FindIgnored(draft.op->opcode, name)) {
    int value = 0;
    Next();
    return Parse(EnumReference{&value, ignored->values});
  }
  if (absl::c_linear_search(kAnnotationNames, name) ||
      (name == "result_accuracy" && HasTrait(draft.op->opcode, kAccuracy))) {
    Next();
    return ParseAnnotation(scope, draft.annotations, name);
  }
  return FailUnknownAttribute(draft, name);
}

bool ModuleParser::ParseField(Attributes& attributes, const Field& field) {
  const FieldReference reference = field.reference(attributes);
  if (field.form != Form::kOneInBraces) return Parse(reference);
  if (std::optional<int64_t>* const* optional = std::get_if<std::optional<int64_t>*>(&reference)) {
    return ParseOneInBraces(&(*optional)->emplace());
  }
  return ParseOneInBraces(std::get<int64_t*>(reference));
}

// name, or { instructions }.
bool ModuleParser::ParseCallee(Draft& draft, int index) {
  if (draft.callees.size() <= static_cast<size_t>(index)) draft.callees.resize(index + 1, nullptr);
  HloComputation*& callee = draft.callees[index];
  const char* const begin = token().begin;
  if (callee != nullptr) return FailAt(begin, "this computation is given twice");
  if (At(TokenKind::kLeftBrace)) {
    Scope scope;
    if (!ParseInstructions(scope) || !FinishComputation(begin, "_", scope, &callee)) return false;
    const Token next = lexer().Peek();
    const bool has_thread = At(TokenKind::kComma) && next.kind == TokenKind::kAttributeName &&
                            next.text == "execution_thread";
    return !has_thread || ParseExecutionThread(*callee);
  }
  absl::string_view name;
  if (!ParseName(&name)) return false;
  const auto found = computation_names_.find(name);
  if (found != computation_names_.end()) {
    callee = found->second;
    return true;
  }
  std::vector<absl::string_view> names;
  for (const auto& [other, computation] : computation_names_) names.push_back(other);
  absl::c_sort(names);
  return FailAt(begin, "there is no computation ", name, " before this one",
                Suggestion(name, names));
}

// {%a, %b}
bool ModuleParser::ParseCalleeList(Draft& draft) {
  if (!draft.callees.empty()) return Fail("the computations are given twice");
  return ParseBraces([&] { return ParseCallee(draft, static_cast<int>(draft.callees.size())); });
}

bool ModuleParser::ParseAnnotation(Scope& scope, Annotations& annotations, absl::string_view name) {
  if (name == "metadata") return Parse(&annotations.metadata.emplace());
  if (name == "sharding") return Parse(&annotations.sharding.emplace(HloSharding::Replicate()));
  if (name == "frontend_attributes") return Parse(&annotations.frontend_attributes.emplace());
  if (name == "backend_config")
    return ParseStringOrDictionary(&annotations.backend_config.emplace());
  if (name == "control-predecessors") return ParseControlPredecessors(scope, annotations);
  if (name == "origin") return ParseOriginalValue(annotations);
  if (name == "statistics") return Parse(&annotations.statistics.emplace());
  if (name == "result_accuracy") return Parse(&annotations.result_accuracy.emplace());
  std::vector<bool>
      parameter_replication;  // means something for parameters only, which have a field for it
  return Parse(&parameter_replication);
}

bool ModuleParser::ParseOriginalValue(Annotations& annotations) {
  const char* const begin = token().begin;
  OriginalValueProto proto;
  if (!Parse(&proto)) return false;
  std::shared_ptr<OriginalValue>& value = original_values_[proto.SerializeAsString()];
  if (value == nullptr) {
    absl::StatusOr<std::shared_ptr<OriginalValue>> made = OriginalValue::CreateFromProto(proto);
    if (!made.ok()) return FailWith(begin, made.status());
    value = *std::move(made);
  }
  annotations.original_value = value;
  return true;
}

bool ModuleParser::ParseControlPredecessors(Scope& scope, Annotations& annotations) {
  return ParseBraces([&] {
    const char* const begin = token().begin;
    absl::string_view name;
    if (!ParseName(&name)) return false;
    const auto found = scope.names.find(name);
    if (found == scope.names.end()) return FailUnknownName(scope, begin, name);
    annotations.control_predecessors.push_back(found->second);
    return true;
  });
}

std::vector<absl::string_view> ModuleParser::AllowedAttributes(const Draft& draft) const {
  std::vector<absl::string_view> names;
  if (draft.follows_start()) {
    names.push_back("calls");
  } else {
    for (const Field& field : draft.op->fields()) {
      if (FindField(draft.op->fields(), field.name) != nullptr) names.push_back(field.name);
    }
    const CalleeSpec& callees = draft.op->callees;
    for (int i = 0; i < callees.count; ++i) names.push_back(callees.names[i].text);
    if (callees.form == CalleeForm::kList) names.push_back("to_apply");
    if (callees.form == CalleeForm::kBranches) {
      names.push_back("true_computation");
      names.push_back("false_computation");
    }
  }
  if (draft.sugar_attributes != nullptr) {
    for (const Field& field : AsyncAttributes::FieldList()) names.push_back(field.name);
  }
  if (HasTrait(draft.op->opcode, kAccuracy)) names.push_back("result_accuracy");
  for (absl::string_view name : kAnnotationNames) {
    if (!absl::c_linear_search(names, name)) names.push_back(name);
  }
  absl::c_sort(names);
  return names;
}

bool ModuleParser::FailUnknownAttribute(const Draft& draft, absl::string_view name) {
  const std::vector<absl::string_view> allowed = AllowedAttributes(draft);
  return Fail("unexpected attribute ", name, "= of ", draft.opcode_text, Suggestion(name, allowed),
              "\nallowed attributes: ", absl::StrJoin(allowed, ", "));
}

bool ModuleParser::CheckRequired(const Draft& draft) {
  if (draft.follows_start()) return true;
  for (const Field& field : draft.op->fields()) {
    if (field.presence == Presence::kRequired && field.form != Form::kPositional &&
        !draft.is_later_form() && !absl::c_linear_search(draft.seen, field.name)) {
      return FailAt(draft.position, draft.opcode_text, " needs the attribute ", field.name, "=");
    }
  }
  // Later forms of an asynchronous operation call what its start calls.
  const HloOpcode opcode = draft.op->opcode;
  if (opcode == HloOpcode::kAsyncUpdate || opcode == HloOpcode::kAsyncDone) return true;
  const CalleeSpec& callees = draft.op->callees;
  if (callees.form == CalleeForm::kNamed) {
    for (int i = 0; i < callees.count; ++i) {
      if (draft.callees[callees.names[i].index] == nullptr) {
        return FailAt(draft.position, draft.opcode_text, " needs the attribute ",
                      callees.names[i].text, "=");
      }
    }
  } else if (callees.form == CalleeForm::kBranches) {
    return CheckBranches(draft);
  }
  return true;
}

// A pred chooses between true_computation and false_computation, a number among
// branch_computations.
bool ModuleParser::CheckBranches(const Draft& draft) {
  if (draft.async_form != AsyncForm::kNone && draft.operands.size() < draft.callees.size() + 1) {
    return absl::c_all_of(draft.callees, [](const HloComputation* each) { return each != nullptr; }) ||
           FailAt(draft.position, draft.opcode_text, " needs all its branches");
  }
  const Shape& index = draft.operands[0]->shape();
  const bool is_pred = ShapeUtil::IsScalarWithElementType(index, PRED);
  if (!is_pred && !ShapeUtil::IsScalarWithElementType(index, S32)) {
    return FailAt(draft.position, "the first operand of a conditional is pred[] or s32[], not ",
                  index.ToString());
  }
  const bool listed = absl::c_linear_search(draft.seen, "branch_computations");
  const bool has_pair = absl::c_linear_search(draft.seen, "true_computation") &&
                        absl::c_linear_search(draft.seen, "false_computation");
  if (is_pred ? !has_pair || listed : !listed || draft.callees.empty()) {
    return FailAt(draft.position, "a conditional on ", index.ToString(), " needs ",
                  is_pred ? "true_computation= and false_computation=" : "branch_computations=");
  }
  if (draft.operands.size() != draft.callees.size() + 1) {
    return FailAt(draft.position, "a conditional with ", draft.callees.size(),
                  " branches takes an index and one operand for each branch, got ",
                  draft.operands.size(), " operands");
  }
  return true;
}

}  // namespace xla
