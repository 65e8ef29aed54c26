// Any text gives a literal or an error with words; a literal that was read prints to text that reads back to the same.
#include <cstddef>
#include <cstdint>

#include "absl/log/check.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto literal = xla::ParseLiteral(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!literal.ok()) {
    CHECK(!literal.status().message().empty());
    return 0;
  }
  const std::string printed = literal->ToStringOneline();
  auto again = xla::ParseLiteral(printed);
  CHECK_OK(again.status()) << printed;
  CHECK_EQ(again->ToStringOneline(), printed);
  return 0;
}
