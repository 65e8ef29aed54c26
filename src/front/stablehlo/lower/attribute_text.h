// Attributes in the syntax of MLIR, as backend configurations and frontend attributes carry them.
#ifndef HILO_FRONT_STABLEHLO_LOWER_ATTRIBUTE_TEXT_H_
#define HILO_FRONT_STABLEHLO_LOWER_ATTRIBUTE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo::lowering {

// `{a = 1 : i32, b = "x"}`, sorted by name, as the handlers of custom calls want it.
absl::StatusOr<std::string> ToText(const DictionaryAttribute& dictionary);
absl::StatusOr<std::string> ToText(const Attribute& attribute);

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_ATTRIBUTE_TEXT_H_
