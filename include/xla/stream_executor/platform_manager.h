// The platforms of the process.
#ifndef XLA_STREAM_EXECUTOR_PLATFORM_MANAGER_H_
#define XLA_STREAM_EXECUTOR_PLATFORM_MANAGER_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/stream_executor/platform.h"

namespace stream_executor {

// For any number of threads. The host is always there.
class PlatformManager {
 public:
  // A platform of the client's own, which cannot compile. AlreadyExists for a name or id that is
  // there.
  static absl::Status RegisterPlatform(std::unique_ptr<Platform> platform);

  // Names are compared without case. NotFound lists those that there are.
  static absl::StatusOr<Platform*> PlatformWithName(absl::string_view name);
  static absl::StatusOr<Platform*> PlatformWithName(absl::string_view name,
                                                    bool initialize_platform) {
    return PlatformWithName(name);
  }
  static absl::StatusOr<Platform*> PlatformWithId(Platform::Id id);
  static absl::StatusOr<Platform*> PlatformWithId(Platform::Id id, bool initialize_platform) {
    return PlatformWithId(id);
  }
  static absl::StatusOr<std::vector<Platform*>> PlatformsWithFilter(
      const std::function<bool(const Platform*)>& filter);
  static absl::StatusOr<std::vector<Platform*>> PlatformsWithFilter(
      const std::function<bool(const Platform*)>& filter, bool initialize_platform) {
    return PlatformsWithFilter(filter);
  }
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_PLATFORM_MANAGER_H_
