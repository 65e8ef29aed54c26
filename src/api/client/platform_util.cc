#include "xla/service/platform_util.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/debug_options_flags.h"
#include "xla/service/computation_placer.h"
#include "xla/stream_executor/host/host_platform_id.h"
#include "xla/stream_executor/platform_manager.h"
#include "xla/stream_executor/stream_executor.h"
#include "xla/util.h"

namespace xla {

using stream_executor::Platform;
using stream_executor::PlatformManager;
using stream_executor::StreamExecutor;

absl::StatusOr<std::vector<Platform*>> PlatformUtil::GetSupportedPlatforms() {
  return PlatformManager::PlatformsWithFilter([](const Platform* platform) {
    return platform->id() == stream_executor::host::kHostPlatformId;
  });
}

absl::StatusOr<Platform*> PlatformUtil::GetDefaultPlatform() {
  return PlatformManager::PlatformWithId(stream_executor::host::kHostPlatformId);
}

absl::StatusOr<std::string> PlatformUtil::CanonicalPlatformName(absl::string_view platform_name) {
  const std::string name = absl::AsciiStrToLower(platform_name);
  return name == "cpu" || name == "interpreter" ? "host" : name;
}

absl::StatusOr<Platform*> PlatformUtil::GetPlatform(absl::string_view platform_name) {
  HILO_ASSIGN_OR_RETURN(const std::string name, CanonicalPlatformName(platform_name));
  return PlatformManager::PlatformWithName(name);
}

absl::StatusOr<std::vector<StreamExecutor*>> PlatformUtil::GetStreamExecutors(
    Platform* platform, const std::optional<std::set<int>>& allowed_devices) {
  int count = platform->VisibleDeviceCount();
  if (platform->id() == stream_executor::host::kHostPlatformId)
    count = std::clamp(GetDebugOptionsFromFlags().xla_force_host_platform_device_count(), 1, count);
  std::vector<StreamExecutor*> executors;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (allowed_devices.has_value() && allowed_devices->count(ordinal) == 0) continue;
    HILO_ASSIGN_OR_RETURN(StreamExecutor * executor, platform->ExecutorForDevice(ordinal));
    executors.push_back(executor);
  }
  if (!executors.empty()) return executors;
  return InvalidArgument(
      "platform %s has devices 0 to %d, of which none is allowed (allowed are: %s)",
      platform->Name(), count - 1, absl::StrJoin(*allowed_devices, ", "));
}

absl::StatusOr<int> ComputationPlacer::DeviceId(int replica, int computation, int replica_count,
                                                int computation_count) {
  if (replica < 0 || replica >= replica_count || computation < 0 ||
      computation >= computation_count) {
    return InvalidArgument(
        "there is no replica %d of computation %d among %d replicas of %d "
        "computations",
        replica, computation, replica_count, computation_count);
  }
  return computation * replica_count + replica;
}

absl::StatusOr<DeviceAssignment> ComputationPlacer::AssignDevices(int replica_count,
                                                                  int computation_count) {
  if (replica_count < 1 || computation_count < 1 || replica_count > (1 << 20) / computation_count) {
    return InvalidArgument("devices cannot be assigned to %d replicas of %d computations",
                           replica_count, computation_count);
  }
  DeviceAssignment assignment(replica_count, computation_count);
  for (int replica = 0; replica < replica_count; ++replica) {
    for (int computation = 0; computation < computation_count; ++computation) {
      HILO_ASSIGN_OR_RETURN(assignment(replica, computation),
                            DeviceId(replica, computation, replica_count, computation_count));
    }
  }
  return assignment;
}

absl::StatusOr<ComputationPlacer*> ComputationPlacer::GetForPlatform(const Platform* platform) {
  static ComputationPlacer* const placer = new ComputationPlacer();
  return placer;
}

}  // namespace xla
