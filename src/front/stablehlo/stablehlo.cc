#include "xla/hlo/translate/stablehlo.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "front/stablehlo/bytecode/bytecode.h"
#include "front/stablehlo/from_hlo/from_hlo.h"
#include "front/stablehlo/lower/lower.h"
#include "front/stablehlo/print.h"
#include "front/stablehlo/text/text.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<stablehlo::Program>> ReadProgram(absl::string_view program) {
  return stablehlo::IsBytecode(program) ? stablehlo::ReadBytecode(program)
                                        : stablehlo::ReadText(program);
}

// Whether `text` begins with `word` as a whole.
bool BeginsWith(absl::string_view text, absl::string_view word) {
  if (!absl::ConsumePrefix(&text, word)) return false;
  return text.empty() || !(absl::ascii_isalnum(text[0]) || text[0] == '_' || text[0] == '-');
}

}  // namespace

bool IsStablehlo(absl::string_view program) {
  if (stablehlo::IsBytecode(program)) return true;
  absl::string_view text = absl::StripLeadingAsciiWhitespace(program);
  while (absl::StartsWith(text, "//")) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text = absl::StripLeadingAsciiWhitespace(text);
  }
  if (absl::StartsWith(text, "#") || absl::StartsWith(text, "!")) return true;
  const absl::string_view starts[] = {"module",    "builtin.module", "\"builtin.module\"",
                                      "func.func", "\"func.func\"",  "sdy.mesh"};
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](absl::string_view start) { return BeginsWith(text, start); });
}

absl::StatusOr<std::unique_ptr<HloModule>> ConvertStablehloToHlo(absl::string_view program) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<stablehlo::Program> read, ReadProgram(program));
  return stablehlo::ToHloModule(*read);
}

absl::StatusOr<std::string> StablehloText(absl::string_view program) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<stablehlo::Program> read, ReadProgram(program));
  return stablehlo::ToText(*read);
}

absl::StatusOr<std::string> ConvertHloToStablehlo(const HloModule& module) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<stablehlo::Program> program,
                        stablehlo::FromHloModule(module));
  return stablehlo::ToText(*program);
}

}  // namespace xla
