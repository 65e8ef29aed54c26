// One module on two back ends.
#ifndef HILO_TOOLS_COMPARE_BACKENDS_H_
#define HILO_TOOLS_COMPARE_BACKENDS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "api/backend.h"
#include "runtime/collectives/process_group.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

enum class Agreement {
  kAgree,
  kDiffer,
  kNoCode,      // the back end says Unimplemented
  kNotCompared  // the reference has no result
};

struct BackendComparison {
  Agreement agreement = Agreement::kAgree;
  std::string reason;  // the difference, or the error of one of the two
};

// Runs a valid module on both, on inputs made from the seed: small and large numbers, special
// values, any bits; dynamic sizes of all kinds. Without a seed the inputs are those of
// MakeFakeInputs. Integers, and floating-point numbers that are only moved, compared or rounded
// correctly, must be equal bit for bit, NaN equal to NaN; others may differ by as much as the
// reference's own results move when what is behind them is rounded differently (see Perturb).
// Elements that rounding makes jump are not compared.
BackendComparison CompareBackends(const HloModule& module, ExecutionBackend& backend,
                                  ExecutionBackend& reference, std::optional<uint64_t> seed);

// The same of what so many devices of `backend` make of the module by its shardings, and of the
// whole on the reference. A module that asks which device it runs on, or exchanges something with
// others or the host, is not compared.
BackendComparison CompareDivided(const HloModule& module, ExecutionBackend& backend,
                                 ExecutionBackend& reference, int64_t devices,
                                 std::optional<uint64_t> seed);

// The same on the devices of several processes, which all call this: what they give must moreover
// equal bit for bit what devices of one process give. Process 0 has the outcome, the others an
// empty one. Where a run does not end well on all processes, an error, after which they cannot go
// on.
absl::StatusOr<BackendComparison> CompareOnProcesses(const HloModule& module,
                                                     ExecutionBackend& backend,
                                                     ExecutionBackend& reference, int64_t devices,
                                                     std::optional<uint64_t> seed,
                                                     runtime::ProcessGroup& group);

}  // namespace xla

#endif  // HILO_TOOLS_COMPARE_BACKENDS_H_
