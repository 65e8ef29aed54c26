// Runs on memory, as those do who run a program again and again.
#ifndef HILO_TOOLS_REPEATED_RUN_H_
#define HILO_TOOLS_REPEATED_RUN_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/backend.h"
#include "runtime/memory.h"
#include "xla/literal.h"

namespace xla {

class RepeatedRun {
 public:
  // The arguments are lent to each run. Arrays that lie as programs want them are not copied, since
  // there may be memory for one of each only.
  static absl::StatusOr<RepeatedRun> Make(CompiledModule& compiled, std::vector<Literal> arguments);

  // One run, over the results of the one before.
  absl::Status Run();
  // One of another compile of the same module, with the same arrays.
  absl::Status RunInstead(CompiledModule& other, const RunContext& context);

 private:
  explicit RepeatedRun(CompiledModule& compiled)
      : compiled_(&compiled),
        argument_sizes_(compiled.interface().parameter_sizes),
        result_sizes_(compiled.interface().result.dynamic_dimensions.size()) {}

  absl::Status AddArgument(Literal array);
  absl::Status AddResult(const Shape& array);

  CompiledModule* compiled_;
  std::vector<Literal> arguments_;
  std::vector<runtime::Memory> memory_;
  SizeCells argument_sizes_, result_sizes_;
  absl::InlinedVector<const void*, 8> parameters_;
  absl::InlinedVector<void*, 8> results_;
};

}  // namespace xla

#endif  // HILO_TOOLS_REPEATED_RUN_H_
