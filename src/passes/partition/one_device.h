// Side effects that only one device has.
#ifndef HILO_PASSES_PARTITION_ONE_DEVICE_H_
#define HILO_PASSES_PARTITION_ONE_DEVICE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Custom calls with a side effect and a maximal sharding run on the device that it names alone; the
// others get their results from there.
absl::Status RunOnOneDevice(HloModule& module, int64_t devices);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_ONE_DEVICE_H_
