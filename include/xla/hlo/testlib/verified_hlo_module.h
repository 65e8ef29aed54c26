// Modules that a test cannot leave broken.
#ifndef XLA_HLO_TESTLIB_VERIFIED_HLO_MODULE_H_
#define XLA_HLO_TESTLIB_VERIFIED_HLO_MODULE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/hlo_module_config.h"
#include "xla/service/hlo_verifier.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

// A module whose destructor verifies it and fails the current test when it breaks a rule.
class VerifiedHloModule : public HloModule {
 public:
  // The arguments behind the configuration are those of HloVerifier.
  VerifiedHloModule(const std::string& name, const HloModuleConfig& config,
                    bool verifier_layout_sensitive, bool allow_mixed_precision_in_hlo_verifier,
                    std::function<int64_t(const Shape&)> shape_size_function = {},
                    HloPredicate instruction_can_change_layout_func = {});
  ~VerifiedHloModule() override { VerifyOrAddFailure("in destructor"); }

  // Fills the module, which must have no computations yet, from HLO text and verifies it. After an
  // error, which is the parser's or the verifier's, the destructor does not look at the module.
  absl::Status ParseHloStringAndVerifyModule(absl::string_view str,
                                             const HloParserOptions& options = HloParserOptions());

  // OK for a module that has no computations yet.
  absl::Status Verify();
  // Makes an error a nonfatal failure of the current test; `message` says where it was found.
  void VerifyOrAddFailure(absl::string_view message);

 private:
  HloVerifier verifier_;
  bool reported_ = false;  // somebody has been told that the module is broken
};

}  // namespace xla

#endif  // XLA_HLO_TESTLIB_VERIFIED_HLO_MODULE_H_
