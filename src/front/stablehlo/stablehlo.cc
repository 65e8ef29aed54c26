#include "xla/hlo/translate/stablehlo.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "front/stablehlo/bytecode/bytecode.h"
#include "front/stablehlo/lower/lower.h"
#include "front/stablehlo/text/text.h"
#include "ir/verifier.h"

namespace xla {

bool IsStablehlo(absl::string_view program) {
  if (stablehlo::IsBytecode(program)) return true;
  absl::string_view text = absl::StripLeadingAsciiWhitespace(program);
  while (absl::StartsWith(text, "//")) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text = absl::StripLeadingAsciiWhitespace(text);
  }
  for (const absl::string_view start : {"module", "builtin.module", "\"builtin.module\"",
                                        "func.func", "\"func.func\"", "#", "!"}) {
    if (absl::StartsWith(text, start)) return true;
  }
  return false;
}

absl::StatusOr<std::unique_ptr<HloModule>> ConvertStablehloToHlo(absl::string_view program) {
  HILO_ASSIGN_OR_RETURN(
      const std::unique_ptr<stablehlo::Program> read,
      stablehlo::IsBytecode(program) ? stablehlo::ReadBytecode(program)
                                     : stablehlo::ReadText(program));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, stablehlo::ToHloModule(*read));
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

}  // namespace xla
