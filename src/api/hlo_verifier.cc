#include "xla/service/hlo_verifier.h"

#include "base/status_macros.h"
#include "ir/verifier.h"

namespace xla {

HloVerifier::HloVerifier(bool layout_sensitive, bool allow_mixed_precision,
                         HloPredicate instruction_can_change_layout_func,
                         std::function<int64_t(const Shape&)> shape_size_func)
    : layout_sensitive_(layout_sensitive), allow_mixed_precision_(allow_mixed_precision) {}

absl::StatusOr<bool> HloVerifier::Run(const HloModule* module) const {
  HILO_RETURN_IF_ERROR(VerifyModule(*module, {.allow_mixed_precision = allow_mixed_precision_}));
  return false;
}

}  // namespace xla
