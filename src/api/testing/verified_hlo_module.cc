#include "xla/hlo/testlib/verified_hlo_module.h"

#include <utility>

#include "front/text/module_parser.h"
#include "gtest/gtest.h"
#include "xla/util.h"

namespace xla {

VerifiedHloModule::VerifiedHloModule(const std::string& name, const HloModuleConfig& config,
                                     bool verifier_layout_sensitive,
                                     bool allow_mixed_precision_in_hlo_verifier,
                                     std::function<int64_t(const Shape&)> shape_size_function,
                                     HloPredicate instruction_can_change_layout_func)
    : HloModule(name, config),
      verifier_(verifier_layout_sensitive, allow_mixed_precision_in_hlo_verifier,
                std::move(instruction_can_change_layout_func), std::move(shape_size_function)) {}

absl::Status VerifiedHloModule::ParseHloStringAndVerifyModule(absl::string_view str,
                                                              const HloParserOptions& options) {
  if (computation_count() != 0) {
    return FailedPrecondition("module %s already has computations; text is read into an empty one",
                              name());
  }
  const HloModuleConfig own_config = config();
  absl::Status status = ModuleParser(str, own_config, options).RunInto(*this);
  if (status.ok()) status = Verify();
  reported_ = !status.ok();
  return status;
}

absl::Status VerifiedHloModule::Verify() {
  return computation_count() == 0 ? absl::OkStatus() : verifier_.Run(this).status();
}

void VerifiedHloModule::VerifyOrAddFailure(absl::string_view message) {
  if (reported_) return;
  const absl::Status status = Verify();
  if (status.ok()) return;
  reported_ = true;
  ADD_FAILURE() << "HloVerifier failed on module " << name() << " " << message << ": " << status;
}

}  // namespace xla
