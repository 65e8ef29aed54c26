#include "xla/client/client_library.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/log/check.h"
#include "base/status_macros.h"
#include "xla/service/platform_util.h"

namespace xla {
namespace {

struct Instance {
  std::unique_ptr<LocalService> service;
  std::unique_ptr<LocalClient> client;
  std::unique_ptr<CompileOnlyClient> compile_only;
};

struct Instances {
  std::mutex mutex;
  std::map<stream_executor::Platform*, Instance> of_platform;
};

Instances& TheInstances() {
  static Instances* const instances = new Instances();
  return *instances;
}

absl::StatusOr<Instance*> GetOrCreate(const LocalClientOptions& options) {
  stream_executor::Platform* platform = options.platform();
  if (platform == nullptr) {
    HILO_ASSIGN_OR_RETURN(platform, PlatformUtil::GetDefaultPlatform());
  }
  Instances& instances = TheInstances();
  const std::lock_guard<std::mutex> lock(instances.mutex);
  const auto found = instances.of_platform.find(platform);
  if (found != instances.of_platform.end()) return &found->second;
  Instance instance;
  HILO_ASSIGN_OR_RETURN(
      instance.service,
      LocalService::NewService(
          ServiceOptions()
              .set_platform(platform)
              .set_number_of_replicas(options.number_of_replicas())
              .set_intra_op_parallelism_threads(options.intra_op_parallelism_threads())
              .set_allowed_devices(options.allowed_devices())));
  instance.client = std::make_unique<LocalClient>(instance.service.get());
  instance.compile_only = std::make_unique<CompileOnlyClient>(instance.service.get());
  return &(instances.of_platform[platform] = std::move(instance));
}

}  // namespace

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    stream_executor::Platform* platform, const std::optional<std::set<int>>& allowed_devices) {
  return GetOrCreateLocalClient(LocalClientOptions(platform).set_allowed_devices(allowed_devices));
}

absl::StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    const LocalClientOptions& options) {
  HILO_ASSIGN_OR_RETURN(Instance * instance, GetOrCreate(options));
  return instance->client.get();
}

absl::StatusOr<CompileOnlyClient*> ClientLibrary::GetOrCreateCompileOnlyClient(
    stream_executor::Platform* platform) {
  HILO_ASSIGN_OR_RETURN(Instance * instance, GetOrCreate(LocalClientOptions(platform)));
  return instance->compile_only.get();
}

LocalClient* ClientLibrary::LocalClientOrDie() {
  absl::StatusOr<LocalClient*> client = GetOrCreateLocalClient();
  CHECK_OK(client.status());
  return *client;
}

LocalService* ClientLibrary::GetXlaService(stream_executor::Platform* platform) {
  absl::StatusOr<Instance*> instance = GetOrCreate(LocalClientOptions(platform));
  CHECK_OK(instance.status());
  return (*instance)->service.get();
}

void ClientLibrary::DestroyLocalInstances() {
  std::map<stream_executor::Platform*, Instance> ended;
  Instances& instances = TheInstances();
  const std::lock_guard<std::mutex> lock(instances.mutex);
  ended.swap(instances.of_platform);
}

}  // namespace xla
