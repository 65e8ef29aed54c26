// The memory of a device, and of the arrays that lie there.
#ifndef HILO_API_PJRT_DEVICE_MEMORY_H_
#define HILO_API_PJRT_DEVICE_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "runtime/memory.h"
#include "xla/pjrt/plugin/xla_cpu/cpu_client_options.h"
#include "xla/tsl/framework/allocator.h"

namespace xla {

class DeviceMemory;

// Memory that belongs to an array: the device's, or that of somebody who is told when it is not
// needed any more.
class ArrayMemory {
 public:
  ArrayMemory() = default;
  // `release` may be empty. Without `is_writable` nobody writes there, also after donation.
  static ArrayMemory Borrow(void* data, bool is_writable, absl::AnyInvocable<void() &&> release);

  ArrayMemory(ArrayMemory&& other) noexcept
      : owned_(std::move(other.owned_)),
        data_(std::exchange(other.data_, nullptr)),
        is_writable_(other.is_writable_),
        release_(std::exchange(other.release_, nullptr)),
        home_(std::exchange(other.home_, nullptr)),
        bytes_(other.bytes_) {}
  ArrayMemory& operator=(ArrayMemory&& other) noexcept;
  ~ArrayMemory() { Release(); }

  char* data() const { return data_; }
  bool is_writable() const { return is_writable_; }

 private:
  friend class DeviceMemory;
  void Release();

  runtime::Memory owned_;
  char* data_ = nullptr;
  bool is_writable_ = true;
  absl::AnyInvocable<void() &&> release_;
  DeviceMemory* home_ = nullptr;  // which counts these bytes
  int64_t bytes_ = 0;
};

// Gives memory to arrays and keeps figures of it. For any number of threads. It goes when the
// device has gone and no array lies there any more.
class DeviceMemory {
 public:
  struct Closer {
    void operator()(DeviceMemory* memory) const { memory->GiveBack(kDevice); }
  };
  using Ptr = std::unique_ptr<DeviceMemory, Closer>;
  using Allocator = std::function<absl::StatusOr<std::unique_ptr<CpuMemory>>(size_t size_bytes,
                                                                             size_t alignment)>;

  // The runtime's memory where there is no allocator.
  static Ptr Open(Allocator allocator) { return Ptr(new DeviceMemory(std::move(allocator))); }

  // Aligned to runtime::kAlignment, with anything in it. The allocator's error, or
  // ResourceExhausted.
  absl::StatusOr<ArrayMemory> Allocate(int64_t bytes);

  tsl::AllocatorStats stats() const;
  void ClearStats();

 private:
  friend class ArrayMemory;
  // The device itself counts as a byte in use. Blocks have one or more.
  static constexpr int64_t kDevice = 1;

  explicit DeviceMemory(Allocator allocator) : allocator_(std::move(allocator)) {}
  void GiveBack(int64_t bytes) {
    if (in_use_.fetch_sub(bytes, std::memory_order_acq_rel) == bytes) delete this;
  }

  const Allocator allocator_;
  std::atomic<int64_t> in_use_ = kDevice, most_in_use_ = kDevice;
  std::atomic<int64_t> allocations_ = 0, largest_ = 0;
};

}  // namespace xla

#endif  // HILO_API_PJRT_DEVICE_MEMORY_H_
