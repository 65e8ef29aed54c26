// Which device runs which replica of which partition of a program.
#ifndef XLA_SERVICE_DEVICE_ASSIGNMENT_H_
#define XLA_SERVICE_DEVICE_ASSIGNMENT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "xla/array2d.h"
#include "xla/runtime/device_id.h"
#include "xla/xla_data.pb.h"

namespace xla {

// An array of device numbers: rows are replicas, columns are computations (partitions).
class DeviceAssignment : public Array2D<int64_t> {
 public:
  struct LogicalID {
    int replica_id;
    int computation_id;
    bool operator==(const LogicalID& other) const {
      return replica_id == other.replica_id && computation_id == other.computation_id;
    }
  };

  DeviceAssignment() : Array2D<int64_t>(0, 0) {}
  // All devices are -1. CHECKs that both counts are positive.
  DeviceAssignment(int replica_count, int computation_count);

  int replica_count() const { return static_cast<int>(height()); }
  int computation_count() const { return static_cast<int>(width()); }
  int64_t DeviceId(int replica, int computation) const { return (*this)(replica, computation); }

  // NotFound when the device does nothing here, InvalidArgument when it stands more than once.
  absl::StatusOr<LogicalID> LogicalIdForDevice(GlobalDeviceId device_id) const;
  absl::StatusOr<int> ReplicaIdForDevice(GlobalDeviceId device_id) const;
  absl::StatusOr<int> PartitionIdForDevice(GlobalDeviceId device_id) const;
  absl::flat_hash_map<GlobalDeviceId, LogicalID> GetDeviceToLogicalIdMap() const;

  // Whether the devices are 0, 1, 2, ... in row-major order; whether all are `val`.
  bool IsIota() const;
  bool IsAll(int64_t val) const;

  void Serialize(DeviceAssignmentProto* proto) const;
  // InvalidArgument unless the counts are positive and agree with the devices given.
  static absl::StatusOr<std::unique_ptr<DeviceAssignment>> Deserialize(
      const DeviceAssignmentProto& proto);

  std::string ToString() const;
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const DeviceAssignment& assignment) {
    sink.Append(assignment.ToString());
  }
};

}  // namespace xla

#endif  // XLA_SERVICE_DEVICE_ASSIGNMENT_H_
