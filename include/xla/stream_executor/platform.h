// A kind of devices. There is one here: the host, on whose processors and memory all devices are
// simulated.
#ifndef XLA_STREAM_EXECUTOR_PLATFORM_H_
#define XLA_STREAM_EXECUTOR_PLATFORM_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stream_executor {

class DeviceDescription;
class StreamExecutor;

enum class StreamPriority { Default = 0, Lowest, Highest };

class Platform {
 public:
  using Id = const void*;

  virtual ~Platform() = default;

  virtual Id id() const = 0;
  virtual const std::string& Name() const = 0;
  // How many devices may be asked for by number.
  virtual int VisibleDeviceCount() const = 0;
  virtual bool Initialized() const { return true; }
  virtual absl::Status Initialize() { return absl::OkStatus(); }

  virtual absl::StatusOr<std::unique_ptr<DeviceDescription>> DescriptionForDevice(
      int ordinal) const = 0;
  // The device with that number, which lives as long as the process. NotFound when there is none.
  virtual absl::StatusOr<StreamExecutor*> ExecutorForDevice(int ordinal) = 0;
  // The same, but only if somebody has asked for it before.
  virtual absl::StatusOr<StreamExecutor*> FindExisting(int ordinal) = 0;
};

}  // namespace stream_executor

namespace xla {
namespace se = ::stream_executor;  // NOLINT(misc-unused-alias-decls)
}  // namespace xla

#endif  // XLA_STREAM_EXECUTOR_PLATFORM_H_
