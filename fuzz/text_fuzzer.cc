// Any text gives a module or an error with words; what was read prints to text that reads back to the same.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "ir/verifier.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  auto module = xla::ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) {
    CHECK(!module.status().message().empty());
    return 0;
  }
  (void)xla::VerifyModule(**module);
  xla::HloPrintOptions options = xla::HloPrintOptions::Default();
  options.set_print_large_constants(true);
  const std::string printed = (*module)->ToString(options);
  auto again = xla::ParseAndReturnUnverifiedModule(printed);
  CHECK_OK(again.status()) << printed;
  CHECK_EQ((*again)->ToString(options), printed);
  return 0;
}
