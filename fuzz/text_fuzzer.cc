// Any text gives a module or an error with words; what was read prints to text that reads back to the same.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "tests/exercise.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  auto module = xla::ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) {
    CHECK(!module.status().message().empty());
    return 0;
  }
  xla::Exercise(**module);
  const std::string printed = xla::FullText(**module);
  auto again = xla::ParseAndReturnUnverifiedModule(printed);
  CHECK_OK(again.status()) << printed;
  CHECK_EQ(xla::FullText(**again), printed);
  return 0;
}
