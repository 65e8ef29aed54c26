#include "front/stablehlo/text/text.h"

#include "base/status_macros.h"
#include "front/stablehlo/text/operation_reader.h"

namespace xla::stablehlo {

absl::StatusOr<std::unique_ptr<Program>> ReadText(absl::string_view text) {
  // Values of dense_resource attributes stand at the end.
  absl::string_view resources;
  const size_t begin = text.rfind("{-#");
  if (begin != absl::string_view::npos) resources = text.substr(begin);
  auto program = std::make_unique<Program>();
  OperationReader reader(text, resources, program.get());
  if (!reader.ReadText()) return reader.status();
  return program;
}

}  // namespace xla::stablehlo
