// Any bytes give a module or an error with words.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "ir/verifier.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xla::HloModuleProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  auto config = xla::HloModule::CreateModuleConfigFromProto(proto, xla::DebugOptions());
  if (!config.ok()) return 0;
  auto module = xla::HloModule::CreateFromProto(proto, *config, /*prohibit_empty_literal=*/false);
  if (!module.ok()) {
    CHECK(!module.status().message().empty());
    return 0;
  }
  (void)xla::VerifyModule(**module);
  (void)(*module)->ToProto();
  (void)(*module)->ToString(xla::HloPrintOptions::Default());
  return 0;
}
