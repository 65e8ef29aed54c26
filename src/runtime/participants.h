// Which devices take part in a collective.
#ifndef HILO_RUNTIME_PARTICIPANTS_H_
#define HILO_RUNTIME_PARTICIPANTS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/rendezvous.h"
#include "xla/xla_data.pb.h"

namespace xla::runtime {

class Participants {
 public:
  // `use_global_device_ids` is nothing for operations that have no such attribute.
  Participants(Exchange exchange, std::optional<bool> use_global_device_ids);

  const Exchange& exchange() const { return exchange_; }

  // A program made for several replicas or partitions means something else on fewer.
  absl::Status CheckDeviceCount(const Device& device, int64_t replicas, int64_t partitions) const;

  // The devices of this device's group, in its order; empty when it is in none.
  absl::StatusOr<std::vector<int64_t>> GroupOf(const Device& device,
                                               absl::Span<const ReplicaGroup> groups) const;

  // What the ids in groups and pairs say of this device, and the devices that ids stand for.
  int64_t OwnId(const Device& device) const;
  std::vector<int64_t> Devices(const Device& device, absl::Span<const int64_t> ids) const;

  // The ids in pairs of source and target, each once.
  absl::StatusOr<std::vector<int64_t>> IdsIn(
      const Device& device, absl::Span<const std::pair<int64_t, int64_t>> pairs) const;

 private:
  // What the ids in groups and pairs are.
  enum class Mode {
    kReplicas,              // of the device's own partition
    kPartitions,            // of the device's own replica
    kReplicasOfPartitions,  // replicas, each with all its partitions
    kDevices,
  };
  static Mode ModeOf(const Exchange& exchange, std::optional<bool> use_global_device_ids);
  int64_t IdCount(const Device& device) const;
  absl::Status CheckId(int64_t id, int64_t count) const;

  Exchange exchange_;
  Mode mode_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_PARTICIPANTS_H_
