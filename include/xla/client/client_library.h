// Where clients come from. One client of a platform serves the process.
#ifndef XLA_CLIENT_CLIENT_LIBRARY_H_
#define XLA_CLIENT_CLIENT_LIBRARY_H_

#include <optional>
#include <set>

#include "absl/status/statusor.h"
#include "xla/client/compile_only_client.h"
#include "xla/client/local_client.h"
#include "xla/service/local_service.h"
#include "xla/stream_executor/platform.h"

namespace xla {

class LocalClientOptions {
 public:
  // Null stands for the default platform, -1 for as many threads as the process may use.
  explicit LocalClientOptions(stream_executor::Platform* platform = nullptr,
                              int number_of_replicas = 1, int intra_op_parallelism_threads = -1,
                              const std::optional<std::set<int>>& allowed_devices = std::nullopt)
      : platform_(platform),
        number_of_replicas_(number_of_replicas),
        intra_op_parallelism_threads_(intra_op_parallelism_threads),
        allowed_devices_(allowed_devices) {}

  LocalClientOptions& set_platform(stream_executor::Platform* platform) {
    platform_ = platform;
    return *this;
  }
  stream_executor::Platform* platform() const { return platform_; }
  LocalClientOptions& set_number_of_replicas(int number_of_replicas) {
    number_of_replicas_ = number_of_replicas;
    return *this;
  }
  int number_of_replicas() const { return number_of_replicas_; }
  LocalClientOptions& set_intra_op_parallelism_threads(int num_threads) {
    intra_op_parallelism_threads_ = num_threads;
    return *this;
  }
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }
  LocalClientOptions& set_allowed_devices(const std::optional<std::set<int>>& allowed_devices) {
    allowed_devices_ = allowed_devices;
    return *this;
  }
  const std::optional<std::set<int>>& allowed_devices() const { return allowed_devices_; }

 private:
  stream_executor::Platform* platform_;
  int number_of_replicas_;
  int intra_op_parallelism_threads_;
  std::optional<std::set<int>> allowed_devices_;
};

class ClientLibrary {
 public:
  // The client of a platform, or of the default one. Options count when it is made, by the first
  // call.
  static absl::StatusOr<LocalClient*> GetOrCreateLocalClient(
      stream_executor::Platform* platform = nullptr,
      const std::optional<std::set<int>>& allowed_devices = std::nullopt);
  static absl::StatusOr<LocalClient*> GetOrCreateLocalClient(const LocalClientOptions& options);
  // CHECKs that there is one.
  static LocalClient* LocalClientOrDie();
  static absl::StatusOr<CompileOnlyClient*> GetOrCreateCompileOnlyClient(
      stream_executor::Platform* platform = nullptr);
  static LocalService* GetXlaService(stream_executor::Platform* platform);

  // Ends all clients, so that the next call makes a new one. Nobody may use them, nor what they
  // gave, any more.
  static void DestroyLocalInstances();
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_LIBRARY_H_
