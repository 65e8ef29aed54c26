#include "cpu/kernels/participants.h"

#include <cstring>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {

using runtime::Device;

Participants::Participants(const runtime::LibraryCall& call, const runtime::LibraryKernel* kernel)
    : call_(call),
      exchange_{call.instruction.opcode(), call.instruction.name(),
                call.instruction.has_channel_id()
                    ? std::optional<int64_t>(call.instruction.channel_id())
                    : std::nullopt,
                kernel},
      mode_(ModeOf(call.instruction)) {}

Participants::Mode Participants::ModeOf(const HloInstructionProto& instruction) {
  if (!instruction.has_channel_id()) return Mode::kReplicas;
  const bool has_global_ids = instruction.opcode() == "all-gather" ||
                              instruction.opcode() == "all-reduce" ||
                              instruction.opcode() == "reduce-scatter";
  if (!has_global_ids) return Mode::kPartitions;
  return instruction.use_global_device_ids() ? Mode::kDevices : Mode::kReplicasOfPartitions;
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

absl::Status Participants::CheckDeviceCount(const Device& device) const {
  if (call_.replicas <= device.replicas && call_.partitions <= device.partitions)
    return absl::OkStatus();
  return InvalidArgument(
      "%s belongs to a program for %d replicas of %d partitions, which runs on %d of %d",
      exchange_.ToString(), call_.replicas, call_.partitions, device.replicas, device.partitions);
}

absl::StatusOr<std::vector<int64_t>> Participants::GroupOf(const Device& device) const {
  const int64_t count = IdCount(device);
  const auto& groups = call_.instruction.collective_device_list().replica_groups();
  std::vector<int64_t> ids;
  for (int64_t id = 0; groups.empty() && id < count; ++id) ids.push_back(id);
  for (const ReplicaGroup& group : groups) {
    for (int64_t id : group.replica_ids()) HILO_RETURN_IF_ERROR(CheckId(id, count));
    if (absl::c_linear_search(group.replica_ids(), OwnId(device)))
      ids.assign(group.replica_ids().begin(), group.replica_ids().end());
  }
  return Devices(device, ids);
}

absl::StatusOr<std::vector<int64_t>> Participants::IdsInPairs(const Device& device) const {
  const int64_t count = IdCount(device);
  std::vector<int64_t> ids;
  absl::flat_hash_set<int64_t> known;
  for (const auto& pair : call_.instruction.source_target_pairs()) {
    for (int64_t id : {pair.source(), pair.target()}) {
      HILO_RETURN_IF_ERROR(CheckId(id, count));
      if (known.insert(id).second) ids.push_back(id);
    }
  }
  return ids;
}

int64_t IntegerAt(PrimitiveType type, const char* array, int64_t i) {
  const int64_t bytes = primitive_util::ByteWidth(type);
  const int bits = primitive_util::BitWidth(type);
  uint64_t value = 0;
  std::memcpy(&value, array + i * bytes, bytes);
  if (!primitive_util::IsSignedIntegralType(type)) return static_cast<int64_t>(value);
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

}  // namespace xla::cpu
