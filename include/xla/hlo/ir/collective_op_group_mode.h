// What the numbers in the replica groups of a collective operation stand for.
#ifndef XLA_HLO_IR_COLLECTIVE_OP_GROUP_MODE_H_
#define XLA_HLO_IR_COLLECTIVE_OP_GROUP_MODE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/xla_data.pb.h"

namespace xla {

// "cross_replica", "cross_partition", "cross_replica_and_partition" or "flattened_id".
absl::string_view CollectiveOpGroupModeToString(CollectiveOpGroupMode group_mode);

// InvalidArgument for other names.
absl::StatusOr<CollectiveOpGroupMode> StringToCollectiveOpGroupMode(absl::string_view name);

// The mode of an operation with or without a channel. `use_global_device_ids` has no value for
// operations that lack the attribute:
//
//   channel | use_global_device_ids | mode                        | numbers of
//   no      | none or false         | cross_replica               | replicas, of one partition
//   no      | true                  | InvalidArgument             |
//   yes     | none                  | cross_partition             | partitions, of one replica
//   yes     | false                 | cross_replica_and_partition | replicas, with all partitions
//   yes     | true                  | flattened_id                | devices, partitions fastest
absl::StatusOr<CollectiveOpGroupMode> GetCollectiveOpGroupMode(
    bool has_channel_id, std::optional<bool> use_global_device_ids);

}  // namespace xla

#endif  // XLA_HLO_IR_COLLECTIVE_OP_GROUP_MODE_H_
