#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "passes/partition/axes.h"
#include "passes/partition/loop_map.h"
#include "passes/partition/propagate.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla::passes {
namespace {

// Nothing inside of a manual region, where arrays are what the program itself has divided.
void SetSharding(HloInstruction& instruction, const TilingList& tilings, const DeviceAxes& axes) {
  const bool is_manual =
      absl::c_any_of(tilings, [](const Tiling& tiling) { return !tiling.manual.empty(); });
  if (is_manual || tilings.empty()) return;
  std::vector<HloSharding> shardings;
  for (const Tiling& tiling : tilings) shardings.push_back(axes.ShardingOf(tiling));
  instruction.set_sharding(
      instruction.shape().IsTuple() ? HloSharding::FlatTuple(std::move(shardings)) : shardings[0]);
}

}  // namespace

absl::StatusOr<bool> PropagateShardings(HloModule& module) {
  const int64_t devices = module.config().num_partitions();
  if (devices <= 1 || !module.config().use_spmd_partitioning()) return false;
  HILO_RETURN_IF_ERROR(PrepareForTilings(module));
  DeviceAxes axes(devices);
  LoopMaps maps(module);
  HILO_ASSIGN_OR_RETURN(const Tilings tilings, Tilings::Of(module, maps, axes));
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (tilings.Has(*instruction)) SetSharding(*instruction, tilings.of(*instruction), axes);
    }
  }
  SetSharding(*module.entry_computation()->root_instruction(), tilings.outputs(), axes);
  return true;
}

}  // namespace xla::passes
