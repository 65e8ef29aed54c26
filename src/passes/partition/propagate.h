// Shardings that the program leaves open.
#ifndef HILO_PASSES_PARTITION_PROPAGATE_H_
#define HILO_PASSES_PARTITION_PROPAGATE_H_

#include "absl/container/flat_hash_map.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla::passes {

using Shardings = absl::flat_hash_map<const HloInstruction*, HloSharding>;

// How the arrays of a computation are divided: as the program says, else as what they are computed
// from where each tile of theirs needs one tile of that only. Those not found here are whole on
// each device.
Shardings PropagateShardings(const HloComputation& computation);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_PROPAGATE_H_
