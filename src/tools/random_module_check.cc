#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "ir/verifier.h"
#include "tools/fake_inputs.h"
#include "tools/random_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/util.h"

namespace xla {
namespace {

// Constants with all their elements.
std::string FullText(const HloModule& module) {
  return module.ToString(HloPrintOptions::Default().set_print_large_constants(true));
}

absl::Status ExpectSameText(const HloModule& module, const std::string& expected,
                            absl::string_view way) {
  if (FullText(module) == expected) return absl::OkStatus();
  return Internal("a module that went through %s is\n%s\ninstead of\n%s", way, FullText(module),
                  expected);
}

// The module read from its own text and then from its message.
absl::StatusOr<std::unique_ptr<HloModule>> RoundTrip(const HloModule& module) {
  const std::string text = FullText(module);
  HILO_ASSIGN_OR_RETURN(const auto parsed, ParseAndReturnUnverifiedModule(text));
  HILO_RETURN_IF_ERROR(ExpectSameText(*parsed, text, "text"));
  HILO_ASSIGN_OR_RETURN(auto read, HloModule::CreateFromProto(parsed->ToProto(), module.config()));
  HILO_RETURN_IF_ERROR(ExpectSameText(*read, text, "protobuf"));
  return read;
}

absl::StatusOr<Literal> Run(std::unique_ptr<HloModule> module) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, MakeFakeInputs(*module));
  HILO_ASSIGN_OR_RETURN(const auto compiled, DefaultBackend().Compile(std::move(module)));
  std::vector<const Literal*> arguments;
  for (const Literal& input : inputs) arguments.push_back(&input);
  return compiled->Run(arguments);
}

absl::Status RunBoth(std::unique_ptr<HloModule> module, std::unique_ptr<HloModule> again,
                     RandomModuleOutcome& outcome) {
  const absl::StatusOr<Literal> result = Run(std::move(module));
  const absl::StatusOr<Literal> same = Run(std::move(again));
  outcome.ran = result.status();
  if (result.ok() != same.ok()) {
    return Internal("of two equal modules one runs: %s, %s", result.status().ToString(),
                    same.status().ToString());
  }
  if (result.ok() && !result->Equal(*same, /*layout_sensitive=*/false))
    return Internal("two equal modules give %s and %s", result->ToString(), same->ToString());
  return absl::OkStatus();
}

absl::Status Try(std::unique_ptr<HloModule> module, RandomModuleOutcome& outcome) {
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  // Readers make the names of instructions unique in the module.
  HILO_ASSIGN_OR_RETURN(auto unique, ParseAndReturnUnverifiedModule(FullText(*module)));
  HILO_ASSIGN_OR_RETURN(auto again, RoundTrip(*unique));
  return RunBoth(std::move(unique), std::move(again), outcome);
}

}  // namespace

RandomModuleOutcome TryRandomModule(std::unique_ptr<HloModule> module) {
  RandomModuleOutcome outcome;
  outcome.ran = absl::CancelledError("not run");
  const std::string text = FullText(*module);
  const absl::Status status = Try(std::move(module), outcome);
  if (!status.ok()) {
    outcome.sound =
        absl::Status(status.code(), absl::StrCat(status.message(), "\nthe module is\n", text));
  }
  return outcome;
}

}  // namespace xla
