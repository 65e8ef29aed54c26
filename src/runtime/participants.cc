#include "runtime/participants.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla::runtime {

Participants::Participants(Exchange exchange, std::optional<bool> use_global_device_ids)
    : exchange_(exchange), mode_(ModeOf(exchange, use_global_device_ids)) {}

Participants::Mode Participants::ModeOf(const Exchange& exchange,
                                        std::optional<bool> use_global_device_ids) {
  if (!exchange.channel.has_value()) return Mode::kReplicas;
  if (!use_global_device_ids.has_value()) return Mode::kPartitions;
  return *use_global_device_ids ? Mode::kDevices : Mode::kReplicasOfPartitions;
}

int64_t Participants::IdCount(const Device& device) const {
  switch (mode_) {
    case Mode::kReplicas:
    case Mode::kReplicasOfPartitions:
      return device.replicas;
    case Mode::kPartitions:
      return device.partitions;
    case Mode::kDevices:
      break;
  }
  return device.replicas * device.partitions;
}

int64_t Participants::OwnId(const Device& device) const {
  switch (mode_) {
    case Mode::kReplicas:
    case Mode::kReplicasOfPartitions:
      return device.replica();
    case Mode::kPartitions:
      return device.partition();
    case Mode::kDevices:
      break;
  }
  return device.id;
}

std::vector<int64_t> Participants::Devices(const Device& device,
                                           absl::Span<const int64_t> ids) const {
  std::vector<int64_t> devices;
  for (int64_t id : ids) {
    switch (mode_) {
      case Mode::kReplicas:
        devices.push_back(id * device.partitions + device.partition());
        break;
      case Mode::kPartitions:
        devices.push_back(device.replica() * device.partitions + id);
        break;
      case Mode::kReplicasOfPartitions:
        for (int64_t partition = 0; partition < device.partitions; ++partition)
          devices.push_back(id * device.partitions + partition);
        break;
      case Mode::kDevices:
        devices.push_back(id);
        break;
    }
  }
  return devices;
}

absl::Status Participants::CheckId(int64_t id, int64_t count) const {
  if (0 <= id && id < count) return absl::OkStatus();
  return InvalidArgument("%s names participant %d, but the program runs on %d",
                         exchange_.ToString(), id, count);
}

absl::Status Participants::CheckDeviceCount(const Device& device, int64_t replicas,
                                            int64_t partitions) const {
  if (replicas <= device.replicas && partitions <= device.partitions) return absl::OkStatus();
  return InvalidArgument(
      "%s belongs to a program for %d replicas of %d partitions, which runs on %d of %d",
      exchange_.ToString(), replicas, partitions, device.replicas, device.partitions);
}

absl::StatusOr<std::vector<int64_t>> Participants::GroupOf(
    const Device& device, absl::Span<const ReplicaGroup> groups) const {
  const int64_t count = IdCount(device);
  std::vector<int64_t> ids;
  for (int64_t id = 0; groups.empty() && id < count; ++id) ids.push_back(id);
  for (const ReplicaGroup& group : groups) {
    for (int64_t id : group.replica_ids()) HILO_RETURN_IF_ERROR(CheckId(id, count));
    if (absl::c_linear_search(group.replica_ids(), OwnId(device)))
      ids.assign(group.replica_ids().begin(), group.replica_ids().end());
  }
  return Devices(device, ids);
}

absl::StatusOr<std::vector<int64_t>> Participants::IdsIn(
    const Device& device, absl::Span<const std::pair<int64_t, int64_t>> pairs) const {
  const int64_t count = IdCount(device);
  std::vector<int64_t> ids;
  absl::flat_hash_set<int64_t> known;
  for (const auto& [source, target] : pairs) {
    for (int64_t id : {source, target}) {
      HILO_RETURN_IF_ERROR(CheckId(id, count));
      if (known.insert(id).second) ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace xla::runtime
