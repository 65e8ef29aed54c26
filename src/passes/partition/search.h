// Which way to divide the parameters of a program is cheapest.
#ifndef HILO_PASSES_PARTITION_SEARCH_H_
#define HILO_PASSES_PARTITION_SEARCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/partition/estimate.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/mesh_and_axis.h"

namespace xla::passes {

// A program whose parameters are divided in a certain way.
struct DividedParameters {
  std::vector<HloSharding> shardings;
  std::unique_ptr<HloModule> module;  // what each device runs
  ProgramCost cost;
};

// Divides the parameters of a module among the devices of a mesh: begins with all of them whole or,
// where that is better, with the module's own shardings, and then divides one parameter after the
// other, the largest first, along whatever axes make the program fastest, until nothing gets
// better. That finds shardings that no change of one parameter improves, which need not be the best
// of all. No parameter has parts of unequal size. Results are divided as they come out, but for
// those that share memory with a parameter. What the module says of other arrays holds unless it is
// for another number of devices. Every trial divides the module once; there are `most_tries` at
// most.
struct ShardingSearch {
  DividedParameters best;
  int64_t tries = 0;
};
absl::StatusOr<ShardingSearch> FindCheapestShardings(const HloModule& module, const Mesh& mesh,
                                                     const DeviceModel& model, int64_t most_tries);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_SEARCH_H_
