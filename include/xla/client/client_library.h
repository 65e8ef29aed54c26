// Where clients come from. One client serves the process.
#ifndef XLA_CLIENT_CLIENT_LIBRARY_H_
#define XLA_CLIENT_CLIENT_LIBRARY_H_

#include <optional>
#include <set>

#include "absl/status/statusor.h"
#include "xla/client/local_client.h"

namespace stream_executor {
class Platform;
}

namespace xla {

class LocalClientOptions {
 public:
  LocalClientOptions() = default;
  LocalClientOptions& set_platform(stream_executor::Platform* platform) {
    platform_ = platform;
    return *this;
  }
  stream_executor::Platform* platform() const { return platform_; }
  LocalClientOptions& set_intra_op_parallelism_threads(int num_threads) {
    intra_op_parallelism_threads_ = num_threads;
    return *this;
  }
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }

 private:
  stream_executor::Platform* platform_ = nullptr;
  int intra_op_parallelism_threads_ = -1;
};

class ClientLibrary {
 public:
  // The client of the host; `platform` and `device_set` may only ask for what there is: the host.
  static absl::StatusOr<LocalClient*> GetOrCreateLocalClient(
      stream_executor::Platform* platform = nullptr,
      const std::optional<std::set<int>>& device_set = std::nullopt);
  static absl::StatusOr<LocalClient*> GetOrCreateLocalClient(const LocalClientOptions& options);
  static LocalClient* LocalClientOrDie();
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_LIBRARY_H_
