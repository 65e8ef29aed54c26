// Any bytes give a module or an error with words.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "tests/exercise.h"
#include "tests/proto/mutate.h"
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
  xla::Exercise(**module);
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Changes fields about as often as bytes: few changes of bytes leave a message.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  xla::HloModuleProto proto;
  if (seed % 4 == 0 || !proto.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  xla::MessageMutator mutator(seed);
  for (unsigned int i = 0; i <= seed % 3; ++i) mutator.Mutate(&proto);
  const size_t new_size = proto.ByteSizeLong();
  if (new_size > max_size || !proto.SerializeToArray(data, static_cast<int>(new_size))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  return new_size;
}
