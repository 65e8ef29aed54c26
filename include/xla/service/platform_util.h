// Which platforms and devices there are.
#ifndef XLA_SERVICE_PLATFORM_UTIL_H_
#define XLA_SERVICE_PLATFORM_UTIL_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/stream_executor/platform.h"

namespace xla {

class PlatformUtil {
 public:
  static absl::StatusOr<std::vector<stream_executor::Platform*>> GetSupportedPlatforms();
  // The host.
  static absl::StatusOr<stream_executor::Platform*> GetDefaultPlatform();
  // By name; "cpu", "host" and "interpreter" are the host. NotFound lists what there is.
  static absl::StatusOr<stream_executor::Platform*> GetPlatform(absl::string_view platform_name);
  static absl::StatusOr<std::string> CanonicalPlatformName(absl::string_view platform_name);

  // The devices that clients use: one, or as many as the debug option
  // xla_force_host_platform_device_count says. Those that are not allowed are left out.
  static absl::StatusOr<std::vector<stream_executor::StreamExecutor*>> GetStreamExecutors(
      stream_executor::Platform* platform,
      const std::optional<std::set<int>>& allowed_devices = std::nullopt);
};

}  // namespace xla

#endif  // XLA_SERVICE_PLATFORM_UTIL_H_
