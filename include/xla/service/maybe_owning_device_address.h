// One array of an argument, lent to a run or given away.
#ifndef XLA_SERVICE_MAYBE_OWNING_DEVICE_ADDRESS_H_
#define XLA_SERVICE_MAYBE_OWNING_DEVICE_ADDRESS_H_

#include <memory>
#include <utility>

#include "xla/literal.h"
#include "xla/stream_executor/device_address.h"

namespace xla {

// The memory of an array with its shape, which several handles may share.
using ArrayBuffer = std::shared_ptr<Literal>;

inline stream_executor::DeviceAddressBase AddressOf(const ArrayBuffer& buffer) {
  if (buffer == nullptr || !buffer->shape().IsArray()) return stream_executor::DeviceAddressBase();
  return stream_executor::DeviceAddressBase(buffer->untyped_data(), buffer->size_bytes());
}

class MaybeOwningDeviceAddress {
 public:
  // Nothing.
  MaybeOwningDeviceAddress() = default;
  // Lent. The run reads it only.
  static MaybeOwningDeviceAddress Lent(ArrayBuffer buffer) { return {std::move(buffer), false}; }
  // Given away: the run may use the memory for anything, and put a result there. A buffer that
  // somebody else holds too counts as lent.
  static MaybeOwningDeviceAddress Owned(ArrayBuffer buffer) { return {std::move(buffer), true}; }

  MaybeOwningDeviceAddress(MaybeOwningDeviceAddress&&) = default;
  MaybeOwningDeviceAddress& operator=(MaybeOwningDeviceAddress&&) = default;

  bool HasOwnership() const { return owned_; }
  stream_executor::DeviceAddressBase AsDeviceAddress() const { return AddressOf(buffer_); }
  stream_executor::DeviceAddressBase AsDeviceMemoryBase() const { return AsDeviceAddress(); }

  const ArrayBuffer& buffer() const { return buffer_; }
  // Leaves nothing.
  ArrayBuffer Release() {
    owned_ = false;
    return std::move(buffer_);
  }

 private:
  MaybeOwningDeviceAddress(ArrayBuffer buffer, bool owned)
      : buffer_(std::move(buffer)), owned_(owned) {}

  ArrayBuffer buffer_;
  bool owned_ = false;
};

// The older name.
using MaybeOwningDeviceMemory = MaybeOwningDeviceAddress;

}  // namespace xla

#endif  // XLA_SERVICE_MAYBE_OWNING_DEVICE_ADDRESS_H_
