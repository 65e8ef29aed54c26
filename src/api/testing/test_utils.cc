#include "xla/tests/test_utils.h"

#include <algorithm>

#include "absl/log/check.h"
#include "xla/service/hlo_verifier.h"

namespace xla {

absl::Status VerifyHloModule(HloModule* const module, bool layout_sensitive,
                             bool allow_mixed_precision) {
  return HloVerifier(layout_sensitive, allow_mixed_precision).Run(module).status();
}

std::unique_ptr<HloInstruction> CreateCanonicalDot(const Shape& shape, HloInstruction* lhs,
                                                   HloInstruction* rhs) {
  CHECK(lhs->shape().dimensions_size() >= 1 && rhs->shape().dimensions_size() >= 1);
  DotDimensionNumbers numbers;
  numbers.add_lhs_contracting_dimensions(lhs->shape().dimensions_size() - 1);
  numbers.add_rhs_contracting_dimensions(0);
  PrecisionConfig precision;
  precision.mutable_operand_precision()->Resize(2, PrecisionConfig::DEFAULT);
  return HloInstruction::CreateDot(shape, lhs, rhs, numbers, precision);
}

}  // namespace xla
