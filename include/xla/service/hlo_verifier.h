// Checks that a module means something: every rule of every operation, and what holds between
// instructions.
#ifndef XLA_SERVICE_HLO_VERIFIER_H_
#define XLA_SERVICE_HLO_VERIFIER_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

class HloVerifier {
 public:
  // With allow_mixed_precision operations may take floating-point operands of different precision.
  // The other arguments of OpenXLA's verifier do not change what is checked: results in Hilo depend
  // on layouts nowhere.
  HloVerifier(bool layout_sensitive, bool allow_mixed_precision,
              HloPredicate instruction_can_change_layout_func = {},
              std::function<int64_t(const Shape&)> shape_size_func = {});
  virtual ~HloVerifier() = default;

  absl::string_view name() const { return "hlo-verifier"; }

  // InvalidArgument names the first rule that the module breaks, the instruction that breaks it and
  // the shapes. The module never changes, so the value is always false.
  absl::StatusOr<bool> Run(const HloModule* module) const;

  bool layout_sensitive() const { return layout_sensitive_; }
  bool allow_mixed_precision() const { return allow_mixed_precision_; }

 private:
  bool layout_sensitive_;
  bool allow_mixed_precision_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_VERIFIER_H_
