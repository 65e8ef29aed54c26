// Any text gives a StableHLO program or an error with words. What was read prints to text that
// reads back to the same, and becomes a module in HLO or an error.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "front/stablehlo/lower/lower.h"
#include "front/stablehlo/print.h"
#include "front/stablehlo/text/text.h"
#include "xla/hlo/ir/hlo_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  auto program = xla::stablehlo::ReadText(text);
  if (!program.ok()) {
    CHECK(!program.status().message().empty());
    return 0;
  }
  const std::string printed = xla::stablehlo::ToText(**program);
  auto again = xla::stablehlo::ReadText(printed);
  CHECK_OK(again.status()) << printed;
  CHECK_EQ(xla::stablehlo::ToText(**again), printed);
  auto module = xla::stablehlo::ToHloModule(**program);
  if (!module.ok()) CHECK(!module.status().message().empty());
  return 0;
}
