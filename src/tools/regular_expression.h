// Regular expressions as options of commands.
#ifndef HILO_TOOLS_REGULAR_EXPRESSION_H_
#define HILO_TOOLS_REGULAR_EXPRESSION_H_

#include <regex>
#include <string>

namespace xla {

// What is wrong with it, or nothing: for CLI::Option::check.
inline std::string CheckRegularExpression(const std::string& text) {
  try {
    std::regex check(text);
    return "";
  } catch (const std::regex_error& error) {
    return error.what();
  }
}

}  // namespace xla

#endif  // HILO_TOOLS_REGULAR_EXPRESSION_H_
