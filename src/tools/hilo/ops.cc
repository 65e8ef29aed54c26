#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/op_info.h"
#include "tools/hilo/commands.h"

namespace xla {
namespace {

// One thing that a check of an operation may complain about.
struct RuleSentence {
  absl::string_view opcode;
  int number;
  absl::string_view text;
  bool is_about_types;
};

// scripts/list_rules.py reads them from the checks.
constexpr RuleSentence kRules[] = {
#include "operation_rules.inc"
};

struct TraitName {
  OpTrait trait;
  absl::string_view text;
};

constexpr TraitName kTraitNames[] = {
    {kElementwise, "element-wise"},
    {kCommutative, "commutative"},
    {kShapeRequired, "the text must give the result shape"},
    {kAccuracy, "takes `result_accuracy`"},
    {kSideEffect, "has a side effect"},
    {kCollective, "communicates between replicas or partitions"},
    {kControlFlow, "calls computations in sequence"},
    {kAsync, "part of an asynchronous chain"},
};

constexpr absl::string_view kIntroduction =
    "# Operations\n\n"
    "Made by `hilo ops --markdown` from the operation table (`include/xla/hlo/ir/hlo_ops.def`), "
    "the attribute\n"
    "records (`src/ir/records.cc`) and the checks of the shape rules and the verifier. Do not edit "
    "it:\n\n"
    "    build/bin/hilo ops --markdown > docs/operations.md\n\n"
    "- An attribute that is not required says what it is where it is left out.\n"
    "- An error begins with the label of the rule. N stands for a number and ... for whatever else "
    "the message\n"
    "  fills in; a label with several sentences has several checks.\n"
    "- Under element types stand the errors that are about them, and any where there is none.\n"
    "- Every operation has a rule 0 besides, `add_c0` for `add`: the counts of operands and called "
    "computations are\n"
    "  those of the table, the declared shape is valid, and it is the shape that the rule of the "
    "operation gives.\n"
    "- Every operation takes `metadata`, `sharding`, `frontend_attributes`, `backend_config`, "
    "`statistics`, `origin`\n"
    "  and `control-predecessors`.\n";

// What a field holds and what it is when nobody says anything.
struct FieldText {
  std::string kind;
  std::string initial;
};

std::string NamesText(absl::Span<const EnumName> names) {
  return absl::StrCat("one of ",
                      absl::StrJoin(names, ", ", [](std::string* out, const EnumName& name) {
                        absl::StrAppend(out, "`", name.text, "`");
                      }));
}

struct FieldDescriber {
  FieldText operator()(const int64_t* value) const { return {"an integer", absl::StrCat(*value)}; }
  FieldText operator()(const bool* value) const {
    return {"true or false", *value ? "true" : "false"};
  }
  FieldText operator()(const float* value) const { return {"a number", absl::StrCat(*value)}; }
  FieldText operator()(const std::string*) const { return {"a string", "empty"}; }
  FieldText operator()(const std::optional<int64_t>*) const { return {"an integer", "absent"}; }
  FieldText operator()(const std::optional<bool>*) const { return {"true or false", "absent"}; }
  FieldText operator()(const Int64List*) const { return {"integers", "{}"}; }
  FieldText operator()(const std::vector<Int64List>*) const { return {"lists of integers", "{}"}; }
  FieldText operator()(const std::vector<bool>*) const {
    return {"a list of true and false", "{}"};
  }
  FieldText operator()(const EnumReference& reference) const {
    std::string initial = "absent";
    for (const EnumName& name : reference.names) {
      if (name.value == reference.value()) initial = absl::StrCat("`", name.text, "`");
    }
    return {NamesText(reference.names), initial};
  }
  FieldText operator()(const OptionalEnumReference& reference) const {
    return {NamesText(reference.names), "absent"};
  }
  FieldText operator()(const EnumListReference& reference) const {
    return {absl::StrCat("for each operand ", NamesText(reference.names)), "{}"};
  }
  FieldText operator()(const Window*) const { return {"a window", "without dimensions"}; }
  FieldText operator()(const std::optional<Window>*) const { return {"a window", "absent"}; }
  FieldText operator()(const PaddingConfig*) const { return {"padding of each dimension", "none"}; }
  FieldText operator()(const ConvolutionDimensionNumbers*) const {
    return {"labels of the dimensions, such as `b01f_01io->b01f`", "absent"};
  }
  FieldText operator()(const SparsityConfig*) const {
    return {"a sparsity configuration", "absent"};
  }
  FieldText operator()(const std::vector<SliceRange>*) const {
    return {"`[start:limit:stride]` for each dimension", "{}"};
  }
  FieldText operator()(const std::vector<std::pair<int64_t, int64_t>>*) const {
    return {"pairs of integers", "{}"};
  }
  FieldText operator()(const CollectiveDeviceList*) const {
    return {"groups of devices", "one group of all"};
  }
  FieldText operator()(const SharedLiteral*) const { return {"a literal", "absent"}; }
  FieldText operator()(const std::optional<std::vector<Shape>>*) const {
    return {"shapes", "absent"};
  }
  FieldText operator()(const std::optional<Shape>*) const { return {"a shape", "absent"}; }
  FieldText operator()(const std::vector<OutputOperandAlias>*) const {
    return {"`{output index}: (operand, {index})` for each alias", "{}"};
  }
  FieldText operator()(const DomainShardings*) const {
    return {"the shardings of entry and exit", "absent"};
  }
};

std::string FieldLine(const Field& field, const Attributes& fresh) {
  const FieldText text = std::visit(FieldDescriber(), ReadField(field, fresh));
  const std::string name = field.form == Form::kPositional ? "in the place of operands"
                                                           : absl::StrCat("`", field.name, "`");
  return absl::StrCat(name, ": ", text.kind, field.form == Form::kOneInBraces ? " in braces" : "",
                      field.form == Form::kNotInText ? ", in protobuf only" : "",
                      field.presence == Presence::kRequired
                          ? ", required"
                          : absl::StrCat("; otherwise ", text.initial));
}

std::string CountText(OperandCount count) {
  if (count.min == count.max) return absl::StrCat(count.min);
  if (count.max == kMany)
    return count.min == 0 ? "any number" : absl::StrCat(count.min, " or more");
  return absl::StrCat(count.min, " to ", count.max);
}

std::string CalleesText(const CalleeSpec& callees) {
  if (callees.count == 0) return "none";
  if (callees.form == CalleeForm::kBranches) {
    return "`branch_computations`, or `true_computation` and `false_computation`";
  }
  std::vector<std::string> names;
  for (int i = 0; i < callees.count; ++i)
    names.push_back(absl::StrCat("`", callees.names[i].text, "`"));
  return absl::StrCat(absl::StrJoin(names, ", "),
                      callees.form == CalleeForm::kList ? ", any number" : "");
}

std::string TraitsText(uint32_t traits) {
  std::vector<absl::string_view> names;
  for (const TraitName& name : kTraitNames) {
    if (traits & name.trait) names.push_back(name.text);
  }
  return names.empty() ? "none" : absl::StrJoin(names, "; ");
}

void AppendRules(const OpInfo& op, std::string* out) {
  std::vector<absl::string_view> about_types;
  std::string errors;
  int last = 0;
  for (const RuleSentence& rule : kRules) {
    if (rule.opcode != op.name) continue;
    if (rule.is_about_types) about_types.push_back(rule.text);
    if (rule.number == last) {
      absl::StrAppend(&errors, "; ", rule.text);
    } else {
      absl::StrAppend(&errors, "\n  - `", op.name, "_c", rule.number, "`: ", rule.text);
    }
    last = rule.number;
  }
  absl::StrAppend(
      out, "- Element types: ", about_types.empty() ? "any" : absl::StrJoin(about_types, "; "),
      "\n- Errors:", errors.empty() ? " those of rule 0" : errors, "\n");
}

std::string Describe(const OpInfo& op) {
  std::string text =
      absl::StrCat("## ", op.name, "\n\n- Operands: ", CountText(op.operands), "\n- Attributes:");
  const std::unique_ptr<Attributes> fresh = op.make_attributes();
  if (op.fields().empty()) absl::StrAppend(&text, " none");
  for (const Field& field : op.fields()) absl::StrAppend(&text, "\n  - ", FieldLine(field, *fresh));
  absl::StrAppend(&text, "\n- Called computations: ", CalleesText(op.callees),
                  "\n- Traits: ", TraitsText(op.traits), "\n");
  AppendRules(op, &text);
  return text;
}

struct OpsOptions {
  std::vector<std::string> names;
  bool markdown = false;
};

ExitCode PrintOps(const OpsOptions& options) {
  std::vector<const OpInfo*> ops;
  for (const std::string& name : options.names) {
    const absl::StatusOr<HloOpcode> opcode = StringToHloOpcode(name);
    if (!opcode.ok()) return Fail(opcode.status(), kWrongUsage);
    ops.push_back(&GetOpInfo(*opcode));
  }
  if (ops.empty()) {
    for (const OpInfo& op : AllOps()) ops.push_back(&op);
  }
  std::vector<std::string> sections;
  if (options.markdown) sections.emplace_back(kIntroduction);
  for (const OpInfo* op : ops) sections.push_back(Describe(*op));
  std::fputs(absl::StrJoin(sections, "\n").c_str(), stdout);
  return kDone;
}

}  // namespace

Command AddOpsCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("ops", "Describe operations: operands, attributes, element types, errors");
  auto options = std::make_shared<OpsOptions>();
  command->add_option("NAME", options->names, "The operations; all of them where none is named");
  command->add_flag("--markdown", options->markdown, "Print the document docs/operations.md");
  return [options] { return PrintOps(*options); };
}

}  // namespace xla
