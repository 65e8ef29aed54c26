#include "cpu/passes.h"

namespace xla::cpu {

absl::Span<const passes::Pass> AllPasses() { return passes::HloPasses(); }

absl::Span<const passes::Pass> CompilerPasses() { return {}; }

}  // namespace xla::cpu
