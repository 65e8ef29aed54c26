// Where a device stands among others.
#ifndef XLA_PJRT_PJRT_DEVICE_DIMENSIONS_H_
#define XLA_PJRT_PJRT_DEVICE_DIMENSIONS_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace xla {

using PjRtDeviceDimensions = absl::InlinedVector<int32_t, 4>;

}  // namespace xla

#endif  // XLA_PJRT_PJRT_DEVICE_DIMENSIONS_H_
