// One module on two back ends.
#ifndef HILO_TOOLS_COMPARE_BACKENDS_H_
#define HILO_TOOLS_COMPARE_BACKENDS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "api/backend.h"
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

// Runs a valid module on both, on inputs made from the seed:
// small and large numbers, special values, any bits; dynamic sizes of all kinds. Integers, and
// floating-point numbers that are only moved, compared or rounded correctly, must be equal bit for
// bit, NaN equal to NaN; others may differ by as much as the reference's own results move when what
// is behind them is rounded differently (see Perturb). Elements that rounding makes jump are not
// compared.
BackendComparison CompareBackends(const HloModule& module, ExecutionBackend& backend,
                                  ExecutionBackend& reference, uint64_t seed);

// The same of what so many devices of `backend` make of the module by its shardings, and of the
// whole on the reference. A module that asks which device it runs on, or exchanges something with
// others or the host, is not compared.
BackendComparison CompareDivided(const HloModule& module, ExecutionBackend& backend,
                                 ExecutionBackend& reference, int64_t devices, uint64_t seed);

}  // namespace xla

#endif  // HILO_TOOLS_COMPARE_BACKENDS_H_
