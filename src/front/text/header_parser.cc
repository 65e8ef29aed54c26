// The HloModule line and the tables of stack frames below it.
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "front/text/module_parser.h"

namespace xla {
namespace {

constexpr absl::string_view kHeaderAttributes[] = {
    "is_scheduled",
    "input_output_alias",
    "buffer_donor",
    "alias_passthrough_params",
    "entry_computation_layout",
    "allow_spmd_sharding_propagation_to_parameters",
    "allow_spmd_sharding_propagation_to_output",
    "replica_count",
    "num_partitions",
    "frontend_attributes",
    "origin_recovery_table",
    "debug_attributes",
};

// How deep modules may stand in each other's recovery tables.
constexpr int kMaxModuleDepth = 4;

}  // namespace

// HloModule name, attribute=value, ...
bool ModuleParser::ParseHeader() {
  if (!AtKeyword("HloModule")) return true;
  Next();
  absl::string_view name;
  if (!ParseName(&name)) return false;
  header_.name = std::string(name);
  Names seen;
  while (Accept(TokenKind::kComma)) {
    if (!At(TokenKind::kAttributeName)) return FailExpected("the name of an attribute and '='");
    const absl::string_view attribute = token().text;
    if (absl::c_linear_search(seen, attribute)) return Fail(attribute, "= stands twice");
    seen.push_back(attribute);
    if (!ParseHeaderAttribute(attribute)) return false;
  }
  return true;
}

bool ModuleParser::ParseHeaderAttribute(absl::string_view name) {
  if (!absl::c_linear_search(kHeaderAttributes, name)) {
    return Fail("unexpected attribute ", name, "=", Suggestion(name, kHeaderAttributes),
                "\nallowed attributes: ", absl::StrJoin(kHeaderAttributes, ", "));
  }
  Next();
  if (name == "is_scheduled") return Parse(&header_.is_scheduled);
  if (name == "input_output_alias") return ParseAliases();
  if (name == "buffer_donor") return ParseDonors();
  if (name == "entry_computation_layout") return ParseEntryLayout();
  if (name == "frontend_attributes") return Parse(&header_.frontend_attributes);
  if (name == "origin_recovery_table") return ParseRecoveryTable();
  if (name == "debug_attributes") return ParseDebugAttributes();
  if (name == "alias_passthrough_params") {
    bool value = false;
    if (!Parse(&value)) return false;
    config_.set_alias_passthrough_params(value);
    return true;
  }
  if (name == "replica_count" || name == "num_partitions") {
    const char* const begin = token().begin;
    int64_t count = 0;
    if (!Parse(&count)) return false;
    if (count < 1) return FailAt(begin, name, " must be 1 or more");
    if (name == "replica_count") {
      config_.set_replica_count(count);
    } else {
      config_.set_num_partitions(count);
      if (count != 1) config_.set_use_spmd_partitioning(true);
    }
    return true;
  }
  std::vector<bool> flags;
  if (!ParseBoolOrList(&flags)) return false;
  const absl::InlinedVector<bool, 8> values(flags.begin(), flags.end());
  if (name == "allow_spmd_sharding_propagation_to_parameters") {
    config_.set_allow_spmd_sharding_propagation_to_parameters(values);
  } else {
    config_.set_allow_spmd_sharding_propagation_to_output(values);
  }
  return true;
}

// { {0}: (0, {}, may-alias), {1}: (1, {0}), {2}: 3 }; a number alone is a whole parameter.
bool ModuleParser::ParseAliases() {
  return ParseBraces([&] {
    Alias& alias = header_.aliases.emplace_back();
    alias.position = token().begin;
    alias.kind = HloInputOutputAliasConfig::kMayAlias;
    if (!Parse(&alias.output) || !Expect(TokenKind::kColon)) return false;
    if (!Accept(TokenKind::kLeftParen)) return ParseNatural(&alias.parameter);
    if (!ParseNatural(&alias.parameter) || !Expect(TokenKind::kComma) || !Parse(&alias.index)) {
      return false;
    }
    if (Accept(TokenKind::kComma)) {
      if (AcceptWord("must-alias")) {
        alias.kind = HloInputOutputAliasConfig::kMustAlias;
      } else if (!AcceptWord("may-alias")) {
        return FailExpected("may-alias or must-alias");
      }
    }
    return Expect(TokenKind::kRightParen);
  });
}

// { (0, {}), (1, {0}) }
bool ModuleParser::ParseDonors() {
  return ParseBraces([&] {
    const char* const begin = token().begin;
    int64_t parameter = 0;
    ShapeIndex index;
    if (!Expect(TokenKind::kLeftParen) || !ParseNatural(&parameter) || !Expect(TokenKind::kComma) ||
        !Parse(&index) || !Expect(TokenKind::kRightParen)) {
      return false;
    }
    const absl::Status status = header_.donors.AddBufferDonor(parameter, index);
    return status.ok() || FailWith(begin, status);
  });
}

// {(f32[2]{0}, s32[])->f32[2]{0}}
bool ModuleParser::ParseEntryLayout() {
  header_.layout_position = token().begin;
  const bool fill_layouts =
      options().fill_missing_layouts() && !options().keep_module_auto_layouts();
  ProgramShape shapes;
  if (!Expect(TokenKind::kLeftBrace) ||
      !ParseList(TokenKind::kLeftParen, TokenKind::kRightParen,
                 [&] {
                   Shape shape;
                   if (!ParseShape(&shape, fill_layouts)) return false;
                   shapes.AddParameter(std::move(shape), "");
                   return true;
                 }) ||
      !Expect(TokenKind::kArrow) || !ParseShape(shapes.mutable_result(), fill_layouts) ||
      !Expect(TokenKind::kRightBrace)) {
    return false;
  }
  header_.entry_layout.emplace(shapes, /*ignore_layouts=*/false);
  return true;
}

// {"old"} : {"new"}, "HloModule ..." for each value; the module that computes it again may be
// missing.
bool ModuleParser::ParseRecoveryTable() {
  if (!Expect(TokenKind::kLeftBrace)) return false;
  while (!Accept(TokenKind::kRightBrace)) {
    OriginalValueRecoveryTableProto::Entry* entry = header_.recovery_table.add_entries();
    if (!Parse(entry->mutable_old_original_array()) || !Expect(TokenKind::kColon) ||
        !Parse(entry->mutable_new_original_array())) {
      return false;
    }
    if (!Accept(TokenKind::kComma)) continue;
    const char* const begin = token().begin;
    std::string text;
    if (!Parse(&text)) return false;
    if (module_depth_ == kMaxModuleDepth) {
      return FailAt(begin, "recovery modules are nested more than ", kMaxModuleDepth,
                    " levels deep");
    }
    ModuleParser parser(text, HloModuleConfig(), options(), module_depth_ + 1);
    absl::StatusOr<std::unique_ptr<HloModule>> module = parser.Run();
    if (!module.ok()) {
      return FailAt(begin, "in this recovery module: ", module.status().message());
    }
    *entry->mutable_recovery_module() = (*module)->ToProto();
  }
  return true;
}

// {"name"}:({log_mode=default,callback_id=1}), ...; the parentheses may be missing around one set
// of attributes.
bool ModuleParser::ParseDebugAttributes() {
  if (!Expect(TokenKind::kLeftBrace)) return false;
  while (!Accept(TokenKind::kRightBrace)) {
    DebugAttributeTableEntryProto& entry = header_.debug_attributes.emplace_back();
    if (!Parse(entry.mutable_original_array()) || !Expect(TokenKind::kColon)) return false;
    const auto one = [&] { return ParseDebugAttribute(entry.add_debug_attributes()); };
    const bool ok = At(TokenKind::kLeftParen)
                        ? ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, one)
                        : one();
    if (!ok) return false;
    Accept(TokenKind::kComma);
  }
  return true;
}

bool ModuleParser::ParseDebugAttribute(DebugAttributesProto* attributes) {
  return ParseBraces([&] {
    const absl::string_view name =
        At(TokenKind::kAttributeName) ? token().text : absl::string_view();
    if (name == "log_mode") {
      Next();
      DebugAttributesProto::DebugLogModeProto mode;
      if (!AtWord() || absl::AsciiStrToLower(token().text) != token().text ||
          !DebugAttributesProto::DebugLogModeProto_Parse(absl::AsciiStrToUpper(token().text),
                                                         &mode)) {
        return FailExpected("the log mode default or fusion_debugger");
      }
      attributes->set_log_mode(mode);
      Next();
      return true;
    }
    if (name == "partitioned") {
      Next();
      bool partitioned = false;
      if (!Parse(&partitioned)) return false;
      attributes->set_partitioned(partitioned);
      return true;
    }
    if (name == "operands_sharding") {
      Next();
      return Parse(attributes->mutable_operands_sharding());
    }
    if (name != "callback_id" && name != "op_id") {
      return FailExpected("log_mode=, callback_id=, partitioned=, op_id= or operands_sharding=");
    }
    Next();
    int64_t id = 0;
    if (!Parse(&id)) return false;
    name == "op_id" ? attributes->set_op_id(id) : attributes->set_callback_id(id);
    return true;
  });
}

// ---- Stack frames ----

// FileNames, FunctionNames, FileLocations, StackFrames: each followed by entries that are numbered
// from 1.
bool ModuleParser::ParseStackFrames() {
  if (!AtKeyword("FileNames")) return true;
  const char* const begin = token().begin;
  StackFrameIndexProto tables;
  Next();
  if (!ParseNameTable(tables.mutable_file_names())) return false;
  if (!ExpectWord("FunctionNames") || !ParseNameTable(tables.mutable_function_names()))
    return false;
  if (!ExpectWord("FileLocations")) return false;
  while (At(TokenKind::kInteger)) {
    StackFrameIndexProto::FileLocation* location = tables.add_file_locations();
    int32_t file = 0, function = 0, line = 0, end_line = 0, column = 0, end_column = 0;
    if (!ParseEntryNumber(tables.file_locations_size()) || !Expect(TokenKind::kLeftBrace) ||
        !ParseNumberedField("file_name_id", &file) ||
        !ParseNumberedField("function_name_id", &function) || !ParseNumberedField("line", &line) ||
        !ParseNumberedField("end_line", &end_line) || !ParseNumberedField("column", &column) ||
        !ParseNumberedField("end_column", &end_column) || !Expect(TokenKind::kRightBrace)) {
      return false;
    }
    location->set_file_name_id(file);
    location->set_function_name_id(function);
    location->set_line(line);
    location->set_end_line(end_line);
    location->set_column(column);
    location->set_end_column(end_column);
  }
  if (!ExpectWord("StackFrames")) return false;
  while (At(TokenKind::kInteger)) {
    StackFrameIndexProto::StackFrame* frame = tables.add_stack_frames();
    int32_t location = 0, parent = 0;
    if (!ParseEntryNumber(tables.stack_frames_size()) || !Expect(TokenKind::kLeftBrace) ||
        !ParseNumberedField("file_location_id", &location) ||
        !ParseNumberedField("parent_frame_id", &parent) || !Expect(TokenKind::kRightBrace)) {
      return false;
    }
    frame->set_file_location_id(location);
    frame->set_parent_frame_id(parent > 0 ? parent - 1 : 0);
  }
  absl::StatusOr<StackFrames> frames = StackFrames::FromProto(std::move(tables));
  if (!frames.ok()) return FailWith(begin, frames.status());
  stack_frames_ = *std::move(frames);
  return true;
}

bool ModuleParser::ParseNameTable(google::protobuf::RepeatedPtrField<std::string>* names) {
  while (At(TokenKind::kInteger)) {
    std::string* name = names->Add();
    if (!ParseEntryNumber(names->size()) || !Parse(name)) return false;
  }
  return true;
}

bool ModuleParser::ParseEntryNumber(int64_t expected) {
  const char* const begin = token().begin;
  int64_t number = 0;
  if (!Parse(&number)) return false;
  return number == expected || FailAt(begin, "expected entry ", expected, ", got ", number);
}

bool ModuleParser::ParseNumberedField(absl::string_view name, int32_t* value) {
  int64_t wide = 0;
  if (!ExpectAttributeName(name)) return false;
  const char* const begin = token().begin;
  if (!ParseNatural(&wide)) return false;
  if (wide > std::numeric_limits<int32_t>::max()) return FailAt(begin, "this number is too large");
  *value = static_cast<int32_t>(wide);
  return true;
}

}  // namespace xla
