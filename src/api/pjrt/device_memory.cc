#include "api/pjrt/device_memory.h"

#include <algorithm>

#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {
namespace {

void RaiseTo(std::atomic<int64_t>& most, int64_t value) {
  int64_t before = most.load(std::memory_order_relaxed);
  while (before < value && !most.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

absl::Status CheckGiven(const CpuMemory* memory, int64_t bytes) {
  if (memory == nullptr) return Internal("the client's allocator gave nothing and no error");
  if (reinterpret_cast<uintptr_t>(memory->base()) % runtime::kAlignment != 0 ||
      memory->base() == nullptr || memory->size_bytes() < static_cast<size_t>(bytes)) {
    return Internal(
        "the client's allocator was asked for %d bytes aligned to %d, but gave %d at address %p",
        bytes, runtime::kAlignment, memory->size_bytes(), memory->base());
  }
  return absl::OkStatus();
}

}  // namespace

ArrayMemory ArrayMemory::Borrow(void* data, bool is_writable,
                                absl::AnyInvocable<void() &&> release) {
  ArrayMemory memory;
  memory.data_ = static_cast<char*>(data);
  memory.is_writable_ = is_writable;
  memory.release_ = std::move(release);
  return memory;
}

ArrayMemory& ArrayMemory::operator=(ArrayMemory&& other) noexcept {
  if (this == &other) return *this;
  Release();
  owned_ = std::move(other.owned_);
  data_ = std::exchange(other.data_, nullptr);
  is_writable_ = other.is_writable_;
  release_ = std::exchange(other.release_, nullptr);
  home_ = std::exchange(other.home_, nullptr);
  bytes_ = other.bytes_;
  return *this;
}

void ArrayMemory::Release() {
  if (release_) std::move(release_)();
  release_ = nullptr;
  owned_ = nullptr;
  data_ = nullptr;
  if (home_ != nullptr) std::exchange(home_, nullptr)->GiveBack(bytes_);
}

absl::StatusOr<ArrayMemory> DeviceMemory::Allocate(int64_t bytes) {
  ArrayMemory memory;
  if (allocator_) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<CpuMemory> given,
                          allocator_(std::max<int64_t>(1, bytes), runtime::kAlignment));
    HILO_RETURN_IF_ERROR(CheckGiven(given.get(), bytes));
    memory.data_ = static_cast<char*>(given->base());
    memory.bytes_ = std::max<int64_t>(1, static_cast<int64_t>(given->size_bytes()));
    memory.release_ = [given = std::move(given)] {};
  } else {
    HILO_ASSIGN_OR_RETURN(memory.owned_, runtime::Allocate(bytes));
    memory.data_ = memory.owned_.get();
    memory.bytes_ = memory.owned_.get_deleter().bytes;
  }
  memory.home_ = this;
  allocations_.fetch_add(1, std::memory_order_relaxed);
  RaiseTo(largest_, memory.bytes_);
  RaiseTo(most_in_use_,
          in_use_.fetch_add(memory.bytes_, std::memory_order_relaxed) + memory.bytes_);
  return memory;
}

tsl::AllocatorStats DeviceMemory::stats() const {
  tsl::AllocatorStats stats;
  stats.num_allocs = allocations_;
  stats.bytes_in_use = in_use_ - kDevice;
  stats.peak_bytes_in_use = most_in_use_ - kDevice;
  stats.largest_alloc_size = largest_;
  return stats;
}

void DeviceMemory::ClearStats() {
  allocations_ = 0;
  largest_ = 0;
  most_in_use_ = in_use_.load();
}

}  // namespace xla
