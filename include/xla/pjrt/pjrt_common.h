// Names that all of PJRT shares.
#ifndef XLA_PJRT_PJRT_COMMON_H_
#define XLA_PJRT_PJRT_COMMON_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "xla/runtime/device_id.h"

namespace xla {

// The value of an attribute of a device or of a figure of an executable.
using PjRtValueType = std::variant<std::string, bool, int64_t, std::vector<int64_t>, float>;
using PjRtDeviceAttribute = PjRtValueType;

// A number for each kind of platform, see CpuId() in pjrt_compiler.h.
using PjRtPlatformId = uint64_t;

// Older names.
using PjRtGlobalDeviceId = GlobalDeviceId;
using PjRtLocalDeviceId = LocalDeviceId;
using PjRtLocalHardwareId = LocalChipId;

}  // namespace xla

#endif  // XLA_PJRT_PJRT_COMMON_H_
