// One array of an argument, lent to a run or given away.
#ifndef XLA_SERVICE_MAYBE_OWNING_DEVICE_ADDRESS_H_
#define XLA_SERVICE_MAYBE_OWNING_DEVICE_ADDRESS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/device_address_allocator.h"

namespace xla {

// Memory that is given back with this object, or that belongs to somebody else.
class MaybeOwningDeviceAddress {
 public:
  // Nothing.
  MaybeOwningDeviceAddress() = default;
  // Given away: the run may use the memory for anything, and put a result there.
  explicit MaybeOwningDeviceAddress(stream_executor::OwningDeviceAddress owned)
      : owned_(std::move(owned)), has_ownership_(!owned_.is_null()) {
    if (has_ownership_) address_ = owned_.cref();
  }
  // Lent. The run reads it only.
  explicit MaybeOwningDeviceAddress(stream_executor::DeviceAddressBase lent) : address_(lent) {}

  MaybeOwningDeviceAddress(MaybeOwningDeviceAddress&& other) noexcept { *this = std::move(other); }
  MaybeOwningDeviceAddress& operator=(MaybeOwningDeviceAddress&& other) noexcept {
    owned_ = std::move(other.owned_);
    address_ = std::exchange(other.address_, stream_executor::DeviceAddressBase());
    has_ownership_ = std::exchange(other.has_ownership_, false);
    return *this;
  }
  MaybeOwningDeviceAddress& operator=(stream_executor::OwningDeviceAddress owned) {
    return *this = MaybeOwningDeviceAddress(std::move(owned));
  }
  MaybeOwningDeviceAddress& operator=(stream_executor::DeviceAddressBase lent) {
    return *this = MaybeOwningDeviceAddress(lent);
  }

  bool HasOwnership() const { return has_ownership_; }
  stream_executor::DeviceAddressBase AsDeviceAddress() const { return address_; }
  stream_executor::DeviceAddressBase AsDeviceMemoryBase() const { return address_; }

  // What is owned, or nothing where memory is lent. Leaves nothing.
  std::optional<stream_executor::OwningDeviceAddress> Release() {
    address_ = stream_executor::DeviceAddressBase();
    if (!std::exchange(has_ownership_, false)) return std::nullopt;
    return std::move(owned_);
  }
  // Null where memory is lent.
  const stream_executor::OwningDeviceAddress* AsOwningDeviceAddress() const {
    return has_ownership_ ? &owned_ : nullptr;
  }

 private:
  stream_executor::OwningDeviceAddress owned_;
  stream_executor::DeviceAddressBase address_;
  bool has_ownership_ = false;
};

// The older name.
using MaybeOwningDeviceMemory = MaybeOwningDeviceAddress;

}  // namespace xla

#endif  // XLA_SERVICE_MAYBE_OWNING_DEVICE_ADDRESS_H_
