// The service with what only programs in the same process can use: buffers and executables.
#ifndef XLA_SERVICE_LOCAL_SERVICE_H_
#define XLA_SERVICE_LOCAL_SERVICE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/client/executable_build_options.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/service/executable.h"
#include "xla/service/service.h"
#include "xla/service/shaped_buffer.h"
#include "xla/shape.h"

namespace xla {

class LocalService : public Service {
 public:
  static absl::StatusOr<std::unique_ptr<LocalService>> NewService(const ServiceOptions& options);

  // An executable for each partition. InvalidArgument when shapes, result layout, device or numbers
  // of devices do not fit.
  absl::StatusOr<std::vector<std::unique_ptr<Executable>>> CompileExecutables(
      const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
      const ExecutableBuildOptions& build_options);

  // The device that runs a replica in ExecuteAndTransfer and the like.
  absl::StatusOr<int> ReplicaNumberToDeviceOrdinal(int replica_number);
  // The memory of a value on the device of a replica. It lives as long as the value is registered.
  absl::StatusOr<ShapedBuffer> GlobalDataToShapedBuffer(const GlobalDataHandle& data,
                                                        int replica_number);
  std::unique_ptr<GlobalData> RegisterReplicatedBuffers(std::vector<ScopedShapedBuffer> replicas) {
    return Register(std::move(replicas));
  }

 private:
  using Service::Service;
};

}  // namespace xla

#endif  // XLA_SERVICE_LOCAL_SERVICE_H_
