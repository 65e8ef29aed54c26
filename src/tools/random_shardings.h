// Shardings made at random, for random modules.
#ifndef HILO_TOOLS_RANDOM_SHARDINGS_H_
#define HILO_TOOLS_RANDOM_SHARDINGS_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Divides some of the arrays of a module's entry computation among so many devices: along one or
// several dimensions, into equal or unequal parts, with devices in any order, wholly or in part
// replicated. What it said of partitions before is gone. Parameters and the result are divided more
// often than what lies between them, which is mostly left open.
void ShardAtRandom(HloModule& module, int64_t devices, uint64_t seed);

}  // namespace xla

#endif  // HILO_TOOLS_RANDOM_SHARDINGS_H_
