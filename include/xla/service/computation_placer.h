// Which devices run replicas and partitions of a program where nobody says so.
#ifndef XLA_SERVICE_COMPUTATION_PLACER_H_
#define XLA_SERVICE_COMPUTATION_PLACER_H_

#include "absl/status/statusor.h"
#include "xla/service/device_assignment.h"
#include "xla/stream_executor/platform.h"

namespace xla {

class ComputationPlacer {
 public:
  virtual ~ComputationPlacer() = default;

  // Devices count all replicas of computation 0 first. InvalidArgument for numbers outside of the
  // counts.
  virtual absl::StatusOr<int> DeviceId(int replica, int computation, int replica_count,
                                       int computation_count);
  virtual absl::StatusOr<DeviceAssignment> AssignDevices(int replica_count, int computation_count);

  static absl::StatusOr<ComputationPlacer*> GetForPlatform(
      const stream_executor::Platform* platform);
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPUTATION_PLACER_H_
