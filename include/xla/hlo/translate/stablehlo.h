// Programs in StableHLO, the language in which JAX and others hand programs to compilers, as HLO
// modules.
#ifndef XLA_HLO_TRANSLATE_STABLEHLO_H_
#define XLA_HLO_TRANSLATE_STABLEHLO_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Whether the bytes begin like MLIR bytecode, the form of portable artifacts, or like text of a
// module or function in MLIR, and not like HLO.
bool IsStablehlo(absl::string_view program);

// The module that a program stands for, given as a portable artifact or as text. The function @main
// is the entry computation; of several results, or none, it gives a tuple. Locations become
// metadata; arguments that are donated, layouts, shardings and the number of devices become those
// of the module. Each instruction obeys the rules of its operation; what must hold beyond that,
// such as which devices groups name, is checked when the module is compiled. InvalidArgument and
// Unimplemented name the operation, its place in the program's source or in the text, and the rule
// that is broken. No program makes this crash.
absl::StatusOr<std::unique_ptr<HloModule>> ConvertStablehloToHlo(absl::string_view program);

// The same program as text, whether it is given as a portable artifact or as text already: without
// locations, in the newest version of StableHLO. Errors as above.
absl::StatusOr<std::string> StablehloText(absl::string_view program);

// The way back: a program that computes what the module does, as text. The module must be one that
// the verifier accepts. Tuples become several values,
// fusions calls; copies, which differ in layout only, are left out, and so are layouts, schedules
// and metadata. Unimplemented names the first instruction that StableHLO has no operation for, such
// as those of asynchronous execution.
absl::StatusOr<std::string> ConvertHloToStablehlo(const HloModule& module);

}  // namespace xla

#endif  // XLA_HLO_TRANSLATE_STABLEHLO_H_
