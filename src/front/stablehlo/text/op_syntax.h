// How the operations of StableHLO and the dialects that go with it are written as text, and what
// attributes they have: one row each.
#ifndef HILO_FRONT_STABLEHLO_TEXT_OP_SYNTAX_H_
#define HILO_FRONT_STABLEHLO_TEXT_OP_SYNTAX_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace xla::stablehlo {

enum class OpResults : uint8_t {
  kLast,      // the last type behind the colon, where there is no arrow
  kSame,      // that, which all operands have, too
  kNone,      // none: the types are those of the operands
  kNoneSame,  // none: the type is that of each operand
  kOperands,  // the types of the operands
};

struct OpSyntax {
  absl::string_view name;
  OpResults results;
  // What stands behind the name in the pretty form, words with blanks between them:
  //   O                operands with commas between them
  //   A                attributes in braces, which may be absent
  //   T                a colon and types
  //   name:kind        the value of the attribute; kinds are the cases of ReadValue
  //   ?( ... ?)        what may be absent; it is there if its first word is, or, where that is a
  //                    comma, the first two are
  // and anything else itself. Empty: the operation has the generic form only. `!`: a function of
  // OperationReader reads it.
  absl::string_view form;
  // The attributes that the operation defines, by name:
  //   name             must be there
  //   name?            may be absent
  //   name=default     absent stands for the default, which are the cases of DefaultValue
  //   <name            a structured attribute whose parts are attributes of the operation
  absl::string_view attributes;
};

// Null where there is none.
const OpSyntax* FindOpSyntax(absl::string_view name);

// ` did you mean` with the name of an operation, or nothing.
std::string SuggestOp(absl::string_view name);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_TEXT_OP_SYNTAX_H_
