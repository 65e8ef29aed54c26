// The passes of the compiler.
#ifndef HILO_CPU_PASSES_H_
#define HILO_CPU_PASSES_H_

#include "absl/types/span.h"
#include "passes/table.h"

namespace xla::cpu {

// All passes that there are: those of src/passes and those of this back end, where it is built.
absl::Span<const passes::Pass> AllPasses();

// What a compile runs, in order; empty where there is no compiler.
absl::Span<const passes::Pass> CompilerPasses();

}  // namespace xla::cpu

#endif  // HILO_CPU_PASSES_H_
