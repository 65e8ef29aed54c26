// Who gives memory of devices.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_ALLOCATOR_H_
#define XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/platform.h"

namespace stream_executor {

class DeviceAddressAllocator;
class Stream;

// Memory that is given back to its allocator with this object; if the allocator has an error then, it is logged.
template <typename T>
class ScopedDeviceAddress {
 public:
  ScopedDeviceAddress() = default;
  ScopedDeviceAddress(DeviceAddressBase memory, int device_ordinal,
                      DeviceAddressAllocator* allocator)
      : memory_(memory), device_ordinal_(device_ordinal), allocator_(allocator) {}
  ScopedDeviceAddress(ScopedDeviceAddress&& other) noexcept
      : memory_(std::exchange(other.memory_, DeviceAddress<T>())),
        device_ordinal_(other.device_ordinal_),
        allocator_(other.allocator_) {}
  ScopedDeviceAddress& operator=(ScopedDeviceAddress&& other) noexcept {
    if (this == &other) return *this;
    FreeOrLog();
    memory_ = std::exchange(other.memory_, DeviceAddress<T>());
    device_ordinal_ = other.device_ordinal_;
    allocator_ = other.allocator_;
    return *this;
  }
  ~ScopedDeviceAddress() { FreeOrLog(); }

  bool is_null() const { return memory_.is_null(); }
  bool operator!() const { return is_null(); }
  bool operator==(std::nullptr_t) const { return is_null(); }
  bool operator!=(std::nullptr_t) const { return !is_null(); }

  const DeviceAddress<T>& operator*() const { return memory_; }
  const DeviceAddress<T>* operator->() const { return &memory_; }
  DeviceAddress<T>* operator->() { return &memory_; }
  DeviceAddress<T>* ptr() { return &memory_; }
  const DeviceAddress<T>* ptr() const { return &memory_; }
  DeviceAddress<T> cref() const { return memory_; }

  int device_ordinal() const { return device_ordinal_; }
  DeviceAddressAllocator* allocator() const { return allocator_; }

  // The memory, which this object has no more and does not give back.
  [[nodiscard]] DeviceAddress<T> Release() { return std::exchange(memory_, DeviceAddress<T>()); }
  // Gives it back now.
  absl::Status Free();

 private:
  void FreeOrLog() {
    if (is_null()) return;
    const absl::Status status = Free();
    if (!status.ok()) LOG(ERROR) << "memory of a device could not be given back: " << status;
  }

  DeviceAddress<T> memory_;
  int device_ordinal_ = 0;
  DeviceAddressAllocator* allocator_ = nullptr;
};

// For any number of threads.
class DeviceAddressAllocator {
 public:
  explicit DeviceAddressAllocator(const Platform* platform) : platform_(platform) {}
  virtual ~DeviceAddressAllocator() = default;

  // `size` bytes; nothing for 0. ResourceExhausted when there is not enough; with retry_on_failure
  // an allocator may first free what it can.
  virtual absl::StatusOr<ScopedDeviceAddress<uint8_t>> Allocate(int device_ordinal, uint64_t size,
                                                                bool retry_on_failure,
                                                                int64_t memory_space) = 0;
  absl::StatusOr<ScopedDeviceAddress<uint8_t>> Allocate(int device_ordinal, uint64_t size,
                                                        bool retry_on_failure = true) {
    return Allocate(device_ordinal, size, retry_on_failure, /*memory_space=*/0);
  }
  template <typename T>
  absl::StatusOr<ScopedDeviceAddress<T>> Allocate(int device_ordinal, uint64_t size,
                                                  bool retry_on_failure = true,
                                                  int64_t memory_space = 0) {
    absl::StatusOr<ScopedDeviceAddress<uint8_t>> memory =
        Allocate(device_ordinal, size, retry_on_failure, memory_space);
    if (!memory.ok()) return memory.status();
    return ScopedDeviceAddress<T>(memory->Release(), device_ordinal, this);
  }

  // Null memory is fine. InvalidArgument, as far as an allocator can tell, for memory that is not
  // its own.
  virtual absl::Status Deallocate(int device_ordinal, DeviceAddressBase memory) = 0;

  const Platform* platform() const { return platform_; }

  // Whether memory may be given back while work on it is still waiting in a stream.
  virtual bool AllowsAsynchronousDeallocation() const { return false; }
  virtual absl::StatusOr<Stream*> GetStream(int device_ordinal) = 0;

 protected:
  const Platform* platform_;
};

template <typename T>
absl::Status ScopedDeviceAddress<T>::Free() {
  const DeviceAddress<T> memory = Release();
  if (memory.is_null() || allocator_ == nullptr) return absl::OkStatus();
  return allocator_->Deallocate(device_ordinal_, memory);
}

using OwningDeviceAddress = ScopedDeviceAddress<uint8_t>;

// The older names.
using DeviceMemoryAllocator = DeviceAddressAllocator;
using OwningDeviceMemory = OwningDeviceAddress;
template <typename T>
using ScopedDeviceMemory = ScopedDeviceAddress<T>;

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_ALLOCATOR_H_
