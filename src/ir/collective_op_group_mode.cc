#include "xla/hlo/ir/collective_op_group_mode.h"

#include "xla/util.h"

namespace xla {
namespace {

constexpr absl::string_view kGroupModeNames[] = {"cross_replica", "cross_partition",
                                                 "cross_replica_and_partition", "flattened_id"};

}  // namespace

absl::string_view CollectiveOpGroupModeToString(CollectiveOpGroupMode group_mode) {
  return CollectiveOpGroupMode_IsValid(group_mode) ? kGroupModeNames[group_mode] : "unknown";
}

absl::StatusOr<CollectiveOpGroupMode> StringToCollectiveOpGroupMode(absl::string_view name) {
  for (int i = 0; i < CollectiveOpGroupMode_ARRAYSIZE; ++i) {
    if (kGroupModeNames[i] == name) return static_cast<CollectiveOpGroupMode>(i);
  }
  return InvalidArgument("\"%s\" is not the name of a group mode", name);
}

absl::StatusOr<CollectiveOpGroupMode> GetCollectiveOpGroupMode(
    bool has_channel_id, std::optional<bool> use_global_device_ids) {
  if (!has_channel_id) {
    if (use_global_device_ids.value_or(false)) {
      return InvalidArgument("use_global_device_ids needs a channel_id");
    }
    return COLLECTIVE_OP_GROUP_MODE_CROSS_REPLICA;
  }
  if (!use_global_device_ids.has_value()) return COLLECTIVE_OP_GROUP_MODE_CROSS_PARTITION;
  return *use_global_device_ids ? COLLECTIVE_OP_GROUP_MODE_FLATTENED_ID
                                : COLLECTIVE_OP_GROUP_MODE_CROSS_REPLICA_AND_PARTITION;
}

}  // namespace xla
