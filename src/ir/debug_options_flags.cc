#include "xla/debug_options_flags.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/algorithm/container.h"
#include "absl/log/log.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "xla/util.h"

namespace xla {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

DebugOptions MakeDefaultDebugOptions() {
  DebugOptions options;
  options.set_xla_allow_excess_precision(true);
  options.set_xla_backend_optimization_level(3);
  options.set_xla_cpu_collective_call_terminate_timeout_seconds(40);
  options.set_xla_cpu_collective_call_warn_stuck_seconds(20);
  options.set_xla_cpu_enable_fast_min_max(true);
  options.set_xla_cpu_fast_math_honor_division(true);
  options.set_xla_cpu_fast_math_honor_functions(true);
  options.set_xla_cpu_fast_math_honor_infs(true);
  options.set_xla_cpu_fast_math_honor_nans(true);
  options.set_xla_cpu_ftz(true);
  options.set_xla_cpu_multi_thread_eigen(true);
  options.set_xla_cpu_parallel_codegen_split_count(32);
  options.set_xla_cpu_prefer_vector_width(256);
  options.set_xla_cpu_use_xnnpack(true);
  options.set_xla_detailed_logging(true);
  options.set_xla_dump_compact_gte(true);
  options.set_xla_dump_full_hlo_config(true);
  options.set_xla_dump_hlo_as_long_text(true);
  options.set_xla_dump_max_hlo_modules(-1);
  options.set_xla_eliminate_hlo_implicit_broadcast(true);
  options.set_xla_force_host_platform_device_count(1);
  options.set_xla_reduce_window_rewrite_base_length(16);
  return options;
}

absl::Status BadValue(const FieldDescriptor& field, absl::string_view value) {
  const char* type = field.type() == FieldDescriptor::TYPE_ENUM
                         ? field.enum_type()->full_name().c_str()
                         : field.cpp_type_name();
  return InvalidArgument("option %s: \"%s\" is not a valid %s value.", field.name(), value, type);
}

const EnumValueDescriptor* FindEnumerator(const FieldDescriptor& field, absl::string_view value) {
  int number;
  if (absl::SimpleAtoi(value, &number)) return field.enum_type()->FindValueByNumber(number);
  for (int i = 0; i < field.enum_type()->value_count(); ++i) {
    if (absl::EqualsIgnoreCase(field.enum_type()->value(i)->name(), value)) {
      return field.enum_type()->value(i);
    }
  }
  return nullptr;
}

// Sets the field, or appends to it when it is a list.
absl::Status SetOrAdd(const FieldDescriptor& field, absl::string_view value, Message* message) {
  const auto& reflection = *message->GetReflection();
  const auto store = [&](auto set, auto add, auto parsed) {
    if (field.is_repeated()) {
      (reflection.*add)(message, &field, parsed);
    } else {
      (reflection.*set)(message, &field, parsed);
    }
    return absl::OkStatus();
  };
  using Reflection = google::protobuf::Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      if (bool parsed; absl::SimpleAtob(value, &parsed)) {
        return store(&Reflection::SetBool, &Reflection::AddBool, parsed);
      }
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      if (int32_t parsed; absl::SimpleAtoi(value, &parsed)) {
        return store(&Reflection::SetInt32, &Reflection::AddInt32, parsed);
      }
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      if (int64_t parsed; absl::SimpleAtoi(value, &parsed)) {
        return store(&Reflection::SetInt64, &Reflection::AddInt64, parsed);
      }
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      if (float parsed; absl::SimpleAtof(value, &parsed)) {
        return store(&Reflection::SetFloat, &Reflection::AddFloat, parsed);
      }
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      if (double parsed; absl::SimpleAtod(value, &parsed)) {
        return store(&Reflection::SetDouble, &Reflection::AddDouble, parsed);
      }
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      return store(&Reflection::SetString, &Reflection::AddString, std::string(value));
    case FieldDescriptor::CPPTYPE_ENUM:
      if (const EnumValueDescriptor* parsed = FindEnumerator(field, value)) {
        return store(&Reflection::SetEnum, &Reflection::AddEnum, parsed);
      }
      break;
    default:
      return InvalidArgument("option %s holds messages, which text cannot set", field.name());
  }
  return BadValue(field, value);
}

absl::Status SetMap(const FieldDescriptor& field, absl::string_view value, Message* message) {
  message->GetReflection()->ClearField(message, &field);
  const FieldDescriptor& key_field = *field.message_type()->map_key();
  const FieldDescriptor& value_field = *field.message_type()->map_value();
  for (absl::string_view pair : absl::StrSplit(value, ',', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    Message* entry = message->GetReflection()->AddMessage(message, &field);
    HILO_RETURN_IF_ERROR(SetOrAdd(key_field, parts.first, entry));
    HILO_RETURN_IF_ERROR(SetOrAdd(value_field, parts.second, entry));
  }
  return absl::OkStatus();
}

// Elements with "+" or "-" before them.
absl::Status ChangeEnumList(const FieldDescriptor& field,
                            const std::vector<absl::string_view>& changes, Message* message) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  std::vector<int> numbers;
  for (int i = 0; i < reflection.FieldSize(*message, &field); ++i) {
    numbers.push_back(reflection.GetRepeatedEnumValue(*message, &field, i));
  }
  for (const absl::string_view change : changes) {
    const EnumValueDescriptor* enumerator = FindEnumerator(field, change.substr(1));
    if (enumerator == nullptr) return BadValue(field, change);
    numbers.erase(std::remove(numbers.begin(), numbers.end(), enumerator->number()), numbers.end());
    if (change[0] == '+') numbers.push_back(enumerator->number());
  }
  reflection.ClearField(message, &field);
  for (const int number : numbers) reflection.AddEnumValue(message, &field, number);
  return absl::OkStatus();
}

absl::Status SetList(const FieldDescriptor& field, absl::string_view value, Message* message) {
  const std::vector<absl::string_view> elements = absl::StrSplit(value, ',', absl::SkipEmpty());
  const bool is_change = absl::c_all_of(
      elements, [](absl::string_view element) { return element[0] == '+' || element[0] == '-'; });
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM && is_change && !elements.empty()) {
    return ChangeEnumList(field, elements, message);
  }
  message->GetReflection()->ClearField(message, &field);
  for (const absl::string_view element : elements) {
    HILO_RETURN_IF_ERROR(SetOrAdd(field, element, message));
  }
  return absl::OkStatus();
}

// Words separated by white space, without the quotes that keep parts of them together.
std::vector<std::string> SplitWords(absl::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote == '\0' && absl::ascii_isspace(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      words.back().push_back(c);
    }
  }
  return words;
}

absl::Status ApplyFlag(absl::string_view word, DebugOptions* options) {
  absl::string_view flag = word;
  if (!absl::ConsumePrefix(&flag, "--") && !absl::ConsumePrefix(&flag, "-")) {
    return InvalidArgument("\"%s\" is not a flag: flags begin with --", word);
  }
  const size_t equals = flag.find('=');
  const bool has_value = equals != absl::string_view::npos;
  const absl::string_view name = flag.substr(0, equals);
  const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(std::string(name));
  if (!has_value && field != nullptr && field->cpp_type() != FieldDescriptor::CPPTYPE_BOOL) {
    return InvalidArgument("option %s needs a value: --%s=...", name, name);
  }
  return SetDebugOption(name, has_value ? flag.substr(equals + 1) : "true", options);
}

absl::StatusOr<std::string> FlagsOfEnvironment() {
  const char* variable = std::getenv("XLA_FLAGS");
  const std::string flags(absl::StripAsciiWhitespace(variable == nullptr ? "" : variable));
  if (flags.empty() || flags[0] == '-') return flags;
  std::ifstream file(flags);
  if (!file) return NotFound("the file \"%s\", which XLA_FLAGS names, cannot be read", flags);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Sets what can be read of the flags.
absl::Status ReadEnvironment(DebugOptions* options) {
  HILO_ASSIGN_OR_RETURN(const std::string flags, FlagsOfEnvironment());
  return AddStatus(ParseDebugOptionFlags(flags, options), "XLA_FLAGS");
}

}  // namespace

const DebugOptions& DefaultDebugOptions() {
  static const auto* const options = new DebugOptions(MakeDefaultDebugOptions());
  return *options;
}

DebugOptions DefaultDebugOptionsIgnoringFlags() { return DefaultDebugOptions(); }

absl::Status SetDebugOption(absl::string_view name, absl::string_view value,
                            DebugOptions* options) {
  const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(std::string(name));
  if (field == nullptr) return NotFound("there is no option %s", name);
  if (!field->is_repeated()) return SetOrAdd(*field, value, options);
  DebugOptions changed = *options;
  HILO_RETURN_IF_ERROR(field->is_map() ? SetMap(*field, value, &changed)
                                       : SetList(*field, value, &changed));
  *options = std::move(changed);
  return absl::OkStatus();
}

absl::Status ParseDebugOptionFlags(absl::string_view flags, DebugOptions* options) {
  std::vector<std::string> errors;
  for (const std::string& word : SplitWords(flags)) {
    const absl::Status status = ApplyFlag(word, options);
    if (!status.ok()) errors.emplace_back(status.message());
  }
  if (errors.empty()) return absl::OkStatus();
  return InvalidArgument("%s", absl::StrJoin(errors, "; "));
}

absl::StatusOr<DebugOptions> TryGetDebugOptionsFromFlags() {
  DebugOptions options = DefaultDebugOptions();
  HILO_RETURN_IF_ERROR(ReadEnvironment(&options));
  return options;
}

DebugOptions GetDebugOptionsFromFlags() {
  DebugOptions options = DefaultDebugOptions();
  const absl::Status status = ReadEnvironment(&options);
  if (!status.ok()) LOG(ERROR) << status;
  return options;
}

}  // namespace xla
