// The registry of functions that get bare pointers, and how they say that they failed.
#include <gmock/gmock.h>

#include <optional>

#include "xla/service/custom_call_status_internal.h"
#include "xla/service/custom_call_target_registry.h"

namespace xla {
namespace {

void First(void*, const void**) {}
void Second(void*, const void**) {}

TEST(CustomCallTargetRegistryTest, OneFunctionForEachName) {
  CustomCallTargetRegistry registry;
  EXPECT_EQ(registry.Lookup("f", "Host"), nullptr);
  registry.Register("f", reinterpret_cast<void*>(First), "Host");
  registry.Register("f", reinterpret_cast<void*>(First), "Host");
  registry.Register("f", reinterpret_cast<void*>(Second), "CUDA");
  registry.Register("g", reinterpret_cast<void*>(First), "Host");
  EXPECT_EQ(registry.Lookup("f", "Host"), reinterpret_cast<void*>(First));
  EXPECT_EQ(registry.Lookup("f", "CUDA"), reinterpret_cast<void*>(Second));
  EXPECT_EQ(registry.registered_symbols("Host").size(), 2);
  EXPECT_DEATH(registry.Register("f", reinterpret_cast<void*>(Second), "Host"), "Duplicate");
}

TEST(CustomCallStatusTest, MessagesOfFailures) {
  XlaCustomCallStatus status;
  EXPECT_EQ(CustomCallStatusGetMessage(&status), std::nullopt);
  XlaCustomCallStatusSetFailure(&status, "it failed", 9);
  EXPECT_EQ(CustomCallStatusGetMessage(&status), "it failed");
  XlaCustomCallStatusSetFailure(&status, "a\0b", 3);
  EXPECT_EQ(CustomCallStatusGetMessage(&status), "a");
  XlaCustomCallStatusSetFailure(&status, "it failed", 2);
  EXPECT_EQ(CustomCallStatusGetMessage(&status), "it");
  XlaCustomCallStatusSetSuccess(&status);
  EXPECT_EQ(CustomCallStatusGetMessage(&status), std::nullopt);
}

}  // namespace
}  // namespace xla
