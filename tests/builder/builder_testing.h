// What the builder tests share.
#ifndef HILO_TESTS_BUILDER_BUILDER_TESTING_H_
#define HILO_TESTS_BUILDER_BUILDER_TESTING_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// The module of a computation, which must be a sound one.
inline std::unique_ptr<HloModule> ModuleOf(const XlaComputation& computation) {
  auto config = HloModule::CreateModuleConfigFromProto(computation.proto(), DebugOptions());
  EXPECT_TRUE(config.ok()) << config.status();
  if (!config.ok()) return nullptr;
  auto module = HloModule::CreateFromProto(computation.proto(), *config);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  const absl::Status verified = VerifyModule(**module);
  EXPECT_TRUE(verified.ok()) << verified;
  return *std::move(module);
}

// The instructions of the program that the builder holds, in short form: one line each, with computations.
inline std::string TextOf(XlaBuilder& builder) {
  absl::StatusOr<XlaComputation> computation = builder.Build();
  EXPECT_TRUE(computation.ok()) << computation.status();
  if (!computation.ok()) return "";
  const std::unique_ptr<HloModule> module = ModuleOf(*computation);
  if (module == nullptr) return "";
  return module->ToString(HloPrintOptions::ShortParsable().set_include_layout_in_shapes(false));
}

// The message of the error that Build gives.
inline std::string ErrorOf(XlaBuilder& builder) {
  const absl::StatusOr<XlaComputation> computation = builder.Build();
  EXPECT_FALSE(computation.ok());
  EXPECT_EQ(computation.status().code(), absl::StatusCode::kInvalidArgument) << computation.status();
  return std::string(computation.status().message());
}

}  // namespace xla

#endif  // HILO_TESTS_BUILDER_BUILDER_TESTING_H_
