// Programs with shardings on several devices of this process.
#ifndef HILO_TOOLS_DIVIDED_RUN_H_
#define HILO_TOOLS_DIVIDED_RUN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/backend.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"

namespace xla {

// What a device holds of an array that is divided like this. Where the last part of a dimension has
// less than others, numbers that mean nothing fill it up.
Literal PartOf(const Literal& whole, const HloSharding& sharding, int64_t device);

// The array, or tuple of arrays, of shape `whole` of which each device has a part. Internal where
// devices that should hold the same do not.
absl::StatusOr<Literal> JoinParts(absl::Span<const Literal> parts, const HloSharding& sharding,
                                  const Shape& whole);

// Makes a program for so many partitions of a module with shardings, and runs it on a device of
// `backend` for each: parts of the inputs are handed out, those of the result put together.
absl::StatusOr<Literal> RunDivided(ExecutionBackend& backend, std::unique_ptr<HloModule> module,
                                   absl::Span<const Literal> inputs, int64_t devices,
                                   const RunContext& context);

}  // namespace xla

#endif  // HILO_TOOLS_DIVIDED_RUN_H_
