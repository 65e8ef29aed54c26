#include "xla/tsl/util/command_line_flags.h"

#include "absl/log/log.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tsl {
namespace {

bool Read(absl::string_view text, int32_t* value) { return absl::SimpleAtoi(text, value); }
bool Read(absl::string_view text, int64_t* value) { return absl::SimpleAtoi(text, value); }
bool Read(absl::string_view text, float* value) { return absl::SimpleAtof(text, value); }
bool Read(absl::string_view text, bool* value) { return absl::SimpleAtob(text, value); }
bool Read(absl::string_view text, std::string* value) {
  *value = std::string(text);
  return true;
}

std::string Show(int32_t value) { return absl::StrCat(value); }
std::string Show(int64_t value) { return absl::StrCat(value); }
std::string Show(float value) { return absl::StrCat(value); }
std::string ShowBool(bool value) { return value ? "true" : "false"; }
std::string Show(const std::string& value) { return absl::StrCat("\"", value, "\""); }

// Reads a value and hands it on.
template <typename T>
std::function<bool(absl::string_view)> Reader(std::function<bool(T)> hook) {
  return [hook = std::move(hook)](absl::string_view text) {
    T value{};
    return Read(text, &value) && hook(std::move(value));
  };
}

template <typename T>
std::function<bool(absl::string_view)> Reader(T* target, bool* is_updated) {
  return Reader(std::function<bool(T)>([=](T value) {
    *target = std::move(value);
    if (is_updated != nullptr) *is_updated = true;
    return true;
  }));
}

enum class Match { kOther, kSet, kBad };

}  // namespace

#define HILO_FLAG_OF_TYPE(Type, type_name, Show)                                               \
  Flag::Flag(const char* name, Type* dst, const std::string& usage_text, bool* dst_updated)    \
      : name_(name),                                                                           \
        type_(type_name),                                                                      \
        default_(Show(*dst)),                                                                  \
        usage_text_(usage_text),                                                               \
        set_(Reader<Type>(dst, dst_updated)) {}                                                \
  Flag::Flag(const char* name, std::function<bool(Type)> hook, Type default_value_for_display, \
             const std::string& usage_text)                                                    \
      : name_(name),                                                                           \
        type_(type_name),                                                                      \
        default_(Show(default_value_for_display)),                                             \
        usage_text_(usage_text),                                                               \
        set_(Reader<Type>(std::move(hook))) {}

HILO_FLAG_OF_TYPE(int32_t, "int32", Show)
HILO_FLAG_OF_TYPE(int64_t, "int64", Show)
HILO_FLAG_OF_TYPE(float, "float", Show)
HILO_FLAG_OF_TYPE(bool, "bool", ShowBool)
HILO_FLAG_OF_TYPE(std::string, "string", Show)
#undef HILO_FLAG_OF_TYPE

bool Flags::Parse(std::vector<std::string>& flags, const std::vector<Flag>& flag_list) {
  const auto apply = [&](absl::string_view argument) {
    if (!absl::ConsumePrefix(&argument, "--")) return Match::kOther;
    const size_t equals = argument.find('=');
    const absl::string_view name = argument.substr(0, equals);
    for (const Flag& flag : flag_list) {
      if (flag.name_ != name) continue;
      const bool has_value = equals != absl::string_view::npos;
      if (!has_value && flag.type_ != "bool") continue;
      if (flag.set_(has_value ? argument.substr(equals + 1) : "true")) return Match::kSet;
      LOG(ERROR) << "the value of flag --" << argument << " is no " << flag.type_
                 << ", or none that is accepted";
      return Match::kBad;
    }
    return name == "help" ? Match::kBad : Match::kOther;
  };
  bool is_good = true;
  std::vector<std::string> rest;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "--") {
      rest.insert(rest.end(), flags.begin() + static_cast<int64_t>(i), flags.end());
      break;
    }
    const Match match = apply(flags[i]);
    is_good = is_good && match != Match::kBad;
    if (match != Match::kSet) rest.push_back(flags[i]);
  }
  flags = std::move(rest);
  return is_good;
}

bool Flags::Parse(int* argc, char** argv, const std::vector<Flag>& flag_list) {
  std::vector<std::string> flags(argv + 1, argv + *argc);
  const bool is_good = Parse(flags, flag_list);
  // What is left stands in the same order.
  int kept = 1;
  size_t next = 0;
  for (int i = 1; i < *argc && next < flags.size(); ++i) {
    if (flags[next] != argv[i]) continue;
    argv[kept++] = argv[i];
    ++next;
  }
  if (kept < *argc) argv[kept] = nullptr;
  *argc = kept;
  return is_good;
}

std::string Flags::Usage(const std::string& cmdline, const std::vector<Flag>& flag_list) {
  std::string text = absl::StrCat("usage: ", cmdline, flag_list.empty() ? "\n" : "\nFlags:\n");
  for (const Flag& flag : flag_list) {
    absl::StrAppend(&text, "  --", flag.name_, "=", flag.default_, "  (", flag.type_, ") ",
                    flag.usage_text_, "\n");
  }
  return text;
}

}  // namespace tsl
