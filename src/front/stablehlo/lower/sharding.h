// How values are divided among devices, and what else discardable attributes say of instructions.
#ifndef HILO_FRONT_STABLEHLO_LOWER_SHARDING_H_
#define HILO_FRONT_STABLEHLO_LOWER_SHARDING_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "front/stablehlo/lower/lowering.h"
#include "front/stablehlo/program.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla::stablehlo::lowering {

// The sharding of an array of `rank` dimensions by axes of a mesh; nothing where the mesh has one
// device. Axes of manual computations around it are manual.
absl::StatusOr<std::optional<HloSharding>> ToHloSharding(Lowering& lowering,
                                                         const Attribute& attribute, int64_t rank);

// The attribute replica_groups: rows of devices, each up to where a -1 stands, or axes of a mesh
// along which devices form groups. Empty if absent.
absl::StatusOr<CollectiveDeviceList> GetReplicaGroups(Lowering& lowering, const Operation& op);

// What mhlo.sharding or sdy.sharding among the attributes says of one value; nothing where it is
// not there.
absl::StatusOr<std::optional<HloSharding>> ShardingOf(Lowering& lowering,
                                                      const NamedAttributes& attributes,
                                                      int64_t rank);

// The shardings that the operation names for its results.
absl::Status AddShardings(Lowering& lowering, const Operation& op, HloInstruction& result);

// mhlo.frontend_attributes.
absl::Status AddFrontendAttributes(const Operation& op, HloInstruction& instruction);
absl::StatusOr<FrontendAttributes> ToFrontendAttributes(const Attribute& attribute);

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_SHARDING_H_
