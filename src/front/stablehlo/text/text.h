// Reads StableHLO programs from MLIR text, as JAX and the tools of StableHLO print it.
#ifndef HILO_FRONT_STABLEHLO_TEXT_TEXT_H_
#define HILO_FRONT_STABLEHLO_TEXT_TEXT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo {

// Operations may be in pretty or generic form, with or without locations; attributes that are
// absent stand for their defaults. The program refers to `text`, which must outlive it.
// InvalidArgument, with line, column, source line and caret, if it is malformed; Unimplemented for
// operations, types and attributes that Hilo does not know.
absl::StatusOr<std::unique_ptr<Program>> ReadText(absl::string_view text);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_TEXT_TEXT_H_
