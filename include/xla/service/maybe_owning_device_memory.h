// The older name of maybe_owning_device_address.h.
#ifndef XLA_SERVICE_MAYBE_OWNING_DEVICE_MEMORY_H_
#define XLA_SERVICE_MAYBE_OWNING_DEVICE_MEMORY_H_

#include "xla/service/maybe_owning_device_address.h"

#endif  // XLA_SERVICE_MAYBE_OWNING_DEVICE_MEMORY_H_
