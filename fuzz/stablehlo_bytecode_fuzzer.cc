// Any bytes give a StableHLO program or an error with words. What was read prints, and becomes a
// module in HLO or an error.
#include <cstddef>
#include <cstdint>

#include "absl/log/check.h"
#include "front/stablehlo/bytecode/bytecode.h"
#include "front/stablehlo/lower/lower.h"
#include "front/stablehlo/print.h"
#include "xla/hlo/ir/hlo_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto program = xla::stablehlo::ReadBytecode(bytes);
  if (!program.ok()) {
    CHECK(!program.status().message().empty());
    return 0;
  }
  CHECK(!xla::stablehlo::ToText(**program).empty());
  auto module = xla::stablehlo::ToHloModule(**program);
  if (!module.ok()) CHECK(!module.status().message().empty());
  return 0;
}
