// Memory of a device.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_H_
#define XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/log/check.h"

namespace stream_executor {

// An address and a size in bytes; the memory belongs to somebody else.
class DeviceAddressBase {
 public:
  explicit DeviceAddressBase(void* opaque = nullptr, uint64_t size = 0)
      : opaque_(opaque), size_(size) {}

  bool is_null() const { return opaque_ == nullptr; }
  void* opaque() const { return opaque_; }
  uint64_t size() const { return size_; }

  // A number of the caller's own.
  uint64_t payload() const { return payload_; }
  void SetPayload(uint64_t payload) { payload_ = payload; }

  // A part of the memory. CHECKs that it lies inside.
  DeviceAddressBase GetByteSlice(uint64_t offset_bytes, uint64_t size_bytes) const {
    CHECK(offset_bytes <= size_ && size_bytes <= size_ - offset_bytes);
    return DeviceAddressBase(static_cast<char*>(opaque_) + offset_bytes, size_bytes);
  }

  bool IsSameAs(const DeviceAddressBase& other) const {
    return opaque_ == other.opaque_ && size_ == other.size_;
  }
  friend bool operator==(const DeviceAddressBase& a, const DeviceAddressBase& b) {
    return a.IsSameAs(b);
  }
  friend bool operator!=(const DeviceAddressBase& a, const DeviceAddressBase& b) {
    return !a.IsSameAs(b);
  }
  bool operator==(std::nullptr_t) const { return is_null(); }
  bool operator!=(std::nullptr_t) const { return !is_null(); }

  template <typename H>
  friend H AbslHashValue(H h, const DeviceAddressBase& address) {
    return H::combine(std::move(h), address.opaque_, address.size_);
  }

 protected:
  void Reset(void* opaque, uint64_t size) {
    opaque_ = opaque;
    size_ = size;
  }

 private:
  void* opaque_;
  uint64_t size_;
  uint64_t payload_ = 0;
};

// The same for elements of one type.
template <typename T>
class DeviceAddress : public DeviceAddressBase {
 public:
  DeviceAddress() = default;
  DeviceAddress(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit DeviceAddress(const DeviceAddressBase& other)
      : DeviceAddressBase(other.opaque(), other.size()) {
    SetPayload(other.payload());
  }
  static DeviceAddress MakeFromByteSize(void* opaque, uint64_t bytes) {
    return DeviceAddress(DeviceAddressBase(opaque, bytes));
  }

  T* base() const { return static_cast<T*>(opaque()); }
  uint64_t ElementCount() const { return size() / sizeof(T); }
  bool IsScalar() const { return ElementCount() == 1; }
  DeviceAddress GetSlice(uint64_t element_offset, uint64_t element_count) const {
    return DeviceAddress(GetByteSlice(element_offset * sizeof(T), element_count * sizeof(T)));
  }
};

// The older names.
using DeviceMemoryBase = DeviceAddressBase;
template <typename T>
using DeviceMemory = DeviceAddress<T>;

}  // namespace stream_executor

namespace xla {
namespace se = ::stream_executor;  // NOLINT(misc-unused-alias-decls)
}  // namespace xla

#endif  // XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_H_
