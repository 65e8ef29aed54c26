// What clients ask of the tokens of HLO text without a parser.
#ifndef XLA_HLO_PARSER_HLO_LEXER_H_
#define XLA_HLO_PARSER_HLO_LEXER_H_

#include "absl/strings/string_view.h"

namespace xla {

// Whether the whole text is one dictionary as a backend_config may be written without quotes:
// braces that are balanced, those in quoted strings not counting. "{a: {b}}" is one, "{} {}" is
// not. What stands between the braces is not looked at.
bool LexesAsJsonDict(absl::string_view text);

}  // namespace xla

#endif  // XLA_HLO_PARSER_HLO_LEXER_H_
