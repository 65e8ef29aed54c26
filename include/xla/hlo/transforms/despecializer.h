// Takes back what compilers did to a program for one machine.
#ifndef XLA_HLO_TRANSFORMS_DESPECIALIZER_H_
#define XLA_HLO_TRANSFORMS_DESPECIALIZER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Writes calls and fusions out as what they call, and operations of mixed precision in F32.
class Despecializer {
 public:
  absl::string_view name() const { return "despecializer"; }
  // Whether the module was changed.
  absl::StatusOr<bool> Run(HloModule* module);
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_DESPECIALIZER_H_
