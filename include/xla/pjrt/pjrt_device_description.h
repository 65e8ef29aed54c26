// What is known of a device, which need not be at hand.
#ifndef XLA_PJRT_PJRT_DEVICE_DESCRIPTION_H_
#define XLA_PJRT_PJRT_DEVICE_DESCRIPTION_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/pjrt/pjrt_common.h"

namespace xla {

class PjRtMemorySpaceDescription {
 public:
  PjRtMemorySpaceDescription(absl::string_view kind, int kind_id)
      : kind_(kind), kind_id_(kind_id) {}
  // "device", "pinned_host", "unpinned_host"; and a number for it.
  absl::string_view kind() const { return kind_; }
  int kind_id() const { return kind_id_; }

 private:
  std::string kind_;
  int kind_id_;
};

class PjRtDeviceDescription {
 public:
  virtual ~PjRtDeviceDescription() = default;

  // Its number among those of all processes, and the process that it belongs to.
  virtual int id() const = 0;
  virtual int process_index() const = 0;
  // "cpu". Devices of the same kind run the same executables.
  virtual absl::string_view device_kind() const = 0;
  // A text with all details, and a short one.
  virtual absl::string_view DebugString() const = 0;
  virtual absl::string_view ToString() const = 0;
  virtual const absl::flat_hash_map<std::string, PjRtDeviceAttribute>& Attributes() const = 0;

  virtual absl::Span<const PjRtMemorySpaceDescription* const> memory_spaces() const { return {}; }
  virtual absl::StatusOr<const PjRtMemorySpaceDescription*> default_memory_space() const {
    return absl::UnimplementedError("the device does not describe its memory spaces");
  }
};

}  // namespace xla

#endif  // XLA_PJRT_PJRT_DEVICE_DESCRIPTION_H_
