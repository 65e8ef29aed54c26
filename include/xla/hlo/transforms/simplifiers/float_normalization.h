// Makes programs use one floating-point type at a time.
#ifndef XLA_HLO_TRANSFORMS_SIMPLIFIERS_FLOAT_NORMALIZATION_H_
#define XLA_HLO_TRANSFORMS_SIMPLIFIERS_FLOAT_NORMALIZATION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Operations that have both BF16 and F32 among operands and result are computed in F32: operands are
// converted before, a result of BF16 after. Those that apply functions are where they could not be
// computed otherwise.
class BFloat16MixedPrecisionRemoval {
 public:
  absl::string_view name() const { return "bf16-mixed-precision-removal"; }
  // Whether the module was changed.
  absl::StatusOr<bool> Run(HloModule* module);
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_SIMPLIFIERS_FLOAT_NORMALIZATION_H_
