// Memory of a device.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_H_
#define XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_H_

#include <cstdint>

namespace stream_executor {

// An address and a size in bytes; the memory belongs to somebody else.
class DeviceAddressBase {
 public:
  explicit DeviceAddressBase(void* opaque = nullptr, uint64_t size = 0)
      : opaque_(opaque), size_(size) {}

  bool is_null() const { return opaque_ == nullptr; }
  void* opaque() const { return opaque_; }
  uint64_t size() const { return size_; }

  friend bool operator==(const DeviceAddressBase& a, const DeviceAddressBase& b) {
    return a.opaque_ == b.opaque_ && a.size_ == b.size_;
  }
  friend bool operator!=(const DeviceAddressBase& a, const DeviceAddressBase& b) {
    return !(a == b);
  }

 private:
  void* opaque_;
  uint64_t size_;
};

// The older name.
using DeviceMemoryBase = DeviceAddressBase;

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_H_
