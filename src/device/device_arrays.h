// Arrays as they lie in the memory of devices.
#ifndef HILO_DEVICE_DEVICE_ARRAYS_H_
#define HILO_DEVICE_DEVICE_ARRAYS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_address.h"

namespace xla {

// In bytes; behind an array with dynamic dimensions stand the sizes of all its dimensions.
int64_t DeviceByteSize(const Shape& array);

// The array in that memory with the sizes that stand there, without a copy. InvalidArgument when
// the memory is too small or a size is out of bounds.
absl::StatusOr<Literal> BorrowDeviceArray(const Shape& array,
                                          const stream_executor::DeviceAddressBase& memory);

// Puts a compatible array there.
absl::Status WriteDeviceArray(const LiteralSlice& value, const Shape& array,
                              const stream_executor::DeviceAddressBase& memory);
// Puts the sizes of a value behind an array that lies there.
void WriteDynamicSizes(const LiteralSlice& value, const Shape& array,
                       const stream_executor::DeviceAddressBase& memory);

}  // namespace xla

#endif  // HILO_DEVICE_DEVICE_ARRAYS_H_
