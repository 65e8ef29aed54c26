#include "xla/service/device_assignment.h"

#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/util.h"

namespace xla {

DeviceAssignment::DeviceAssignment(int replica_count, int computation_count)
    : Array2D<int64_t>(replica_count, computation_count, -1) {
  CHECK_GT(replica_count, 0);
  CHECK_GT(computation_count, 0);
}

absl::StatusOr<DeviceAssignment::LogicalID> DeviceAssignment::LogicalIdForDevice(
    GlobalDeviceId device_id) const {
  std::optional<LogicalID> found;
  for (int replica = 0; replica < replica_count(); ++replica) {
    for (int computation = 0; computation < computation_count(); ++computation) {
      if (DeviceId(replica, computation) != device_id.value()) continue;
      if (found.has_value()) {
        return InvalidArgument("device %d stands twice in %s", device_id.value(), ToString());
      }
      found = LogicalID{replica, computation};
    }
  }
  if (!found.has_value()) {
    return NotFound("device %d is not in %s", device_id.value(), ToString());
  }
  return *found;
}

absl::StatusOr<int> DeviceAssignment::ReplicaIdForDevice(GlobalDeviceId device_id) const {
  HILO_ASSIGN_OR_RETURN(const LogicalID id, LogicalIdForDevice(device_id));
  return id.replica_id;
}

absl::StatusOr<int> DeviceAssignment::PartitionIdForDevice(GlobalDeviceId device_id) const {
  HILO_ASSIGN_OR_RETURN(const LogicalID id, LogicalIdForDevice(device_id));
  return id.computation_id;
}

absl::flat_hash_map<GlobalDeviceId, DeviceAssignment::LogicalID>
DeviceAssignment::GetDeviceToLogicalIdMap() const {
  absl::flat_hash_map<GlobalDeviceId, LogicalID> ids;
  for (int replica = 0; replica < replica_count(); ++replica) {
    for (int computation = 0; computation < computation_count(); ++computation) {
      const auto device = static_cast<int32_t>(DeviceId(replica, computation));
      ids[GlobalDeviceId(device)] = {replica, computation};
    }
  }
  return ids;
}

bool DeviceAssignment::IsIota() const {
  int64_t expected = 0;
  return absl::c_all_of(*this, [&](int64_t device) { return device == expected++; });
}

bool DeviceAssignment::IsAll(int64_t val) const {
  return absl::c_all_of(*this, [&](int64_t device) { return device == val; });
}

void DeviceAssignment::Serialize(DeviceAssignmentProto* proto) const {
  proto->Clear();
  proto->set_replica_count(replica_count());
  proto->set_computation_count(computation_count());
  for (int computation = 0; computation < computation_count(); ++computation) {
    DeviceAssignmentProto::ComputationDevice* devices = proto->add_computation_devices();
    for (int replica = 0; replica < replica_count(); ++replica) {
      devices->add_replica_device_ids(DeviceId(replica, computation));
    }
  }
}

absl::StatusOr<std::unique_ptr<DeviceAssignment>> DeviceAssignment::Deserialize(
    const DeviceAssignmentProto& proto) {
  if (proto.replica_count() <= 0 || proto.computation_count() <= 0) {
    return InvalidArgument("a device assignment has %d replicas of %d computations",
                           proto.replica_count(), proto.computation_count());
  }
  if (SaturatingMultiply(proto.replica_count(), proto.computation_count()) > kMaxDeviceCount) {
    return InvalidArgument(
        "a device assignment has %d replicas of %d computations, more than the "
        "%d devices that are supported",
        proto.replica_count(), proto.computation_count(), kMaxDeviceCount);
  }
  if (proto.computation_devices_size() != proto.computation_count()) {
    return InvalidArgument("a device assignment of %d computations has devices for %d",
                           proto.computation_count(), proto.computation_devices_size());
  }
  auto assignment =
      std::make_unique<DeviceAssignment>(proto.replica_count(), proto.computation_count());
  for (int computation = 0; computation < proto.computation_count(); ++computation) {
    const auto& devices = proto.computation_devices(computation).replica_device_ids();
    if (devices.size() != proto.replica_count()) {
      return InvalidArgument(
          "computation %d of a device assignment with %d replicas has %d devices", computation,
          proto.replica_count(), devices.size());
    }
    for (int replica = 0; replica < devices.size(); ++replica) {
      if (devices[replica] < std::numeric_limits<int32_t>::min() ||
          devices[replica] > std::numeric_limits<int32_t>::max()) {
        return InvalidArgument("device %d of a device assignment is not a 32-bit number",
                               devices[replica]);
      }
      (*assignment)(replica, computation) = devices[replica];
    }
  }
  return assignment;
}

std::string DeviceAssignment::ToString() const {
  std::string text = absl::StrCat("DeviceAssignment{replica_count=", replica_count(),
                                  ", computation_count=", computation_count());
  for (int computation = 0; computation < computation_count(); ++computation) {
    absl::StrAppend(&text, ", Computation", computation, "{");
    for (int replica = 0; replica < replica_count(); ++replica) {
      absl::StrAppend(&text, replica > 0 ? " " : "", DeviceId(replica, computation));
    }
    absl::StrAppend(&text, "}");
  }
  return text + "}";
}

}  // namespace xla
