// Flags of command lines: --name=value.
#ifndef XLA_TSL_UTIL_COMMAND_LINE_FLAGS_H_
#define XLA_TSL_UTIL_COMMAND_LINE_FLAGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tsl {

// A flag whose value goes to a variable, or to a function that says whether it likes it. The value
// of the variable, or the one given beside the function, is shown as the default.
//
//   int32_t count = 3;
//   std::vector<tsl::Flag> flags = {tsl::Flag("count", &count, "how many there are")};
//   if (!tsl::Flags::Parse(&argc, argv, flags)) std::cerr << tsl::Flags::Usage(argv[0], flags);
class Flag {
 public:
  // With dst_updated, that becomes true when the flag is set.
  Flag(const char* name, int32_t* dst, const std::string& usage_text, bool* dst_updated = nullptr);
  Flag(const char* name, int64_t* dst, const std::string& usage_text, bool* dst_updated = nullptr);
  Flag(const char* name, float* dst, const std::string& usage_text, bool* dst_updated = nullptr);
  Flag(const char* name, bool* dst, const std::string& usage_text, bool* dst_updated = nullptr);
  Flag(const char* name, std::string* dst, const std::string& usage_text,
       bool* dst_updated = nullptr);

  Flag(const char* name, std::function<bool(int32_t)> hook, int32_t default_value_for_display,
       const std::string& usage_text);
  Flag(const char* name, std::function<bool(int64_t)> hook, int64_t default_value_for_display,
       const std::string& usage_text);
  Flag(const char* name, std::function<bool(float)> hook, float default_value_for_display,
       const std::string& usage_text);
  Flag(const char* name, std::function<bool(bool)> hook, bool default_value_for_display,
       const std::string& usage_text);
  Flag(const char* name, std::function<bool(std::string)> hook,
       std::string default_value_for_display, const std::string& usage_text);

  const std::string& name() const { return name_; }
  const std::string& usage_text() const { return usage_text_; }

 private:
  friend class Flags;

  std::string name_, type_, default_, usage_text_;
  // False for what is no value of the flag's type, or not to the function's liking.
  std::function<bool(absl::string_view value)> set_;
};

class Flags {
 public:
  // Takes the flags that are known out of the arguments, of which the first is the command; what
  // stands behind "--" stays. A truth value may be left out: it is true then. False when a value is
  // none, and for --help.
  static bool Parse(int* argc, char** argv, const std::vector<Flag>& flag_list);
  // The same for arguments without the command.
  static bool Parse(std::vector<std::string>& flags, const std::vector<Flag>& flag_list);

  // A line for each flag.
  static std::string Usage(const std::string& cmdline, const std::vector<Flag>& flag_list);
};

}  // namespace tsl

#endif  // XLA_TSL_UTIL_COMMAND_LINE_FLAGS_H_
