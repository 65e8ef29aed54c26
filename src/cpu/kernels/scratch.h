// Memory that kernels work in.
#ifndef HILO_CPU_KERNELS_SCRATCH_H_
#define HILO_CPU_KERNELS_SCRATCH_H_

#include <cstdint>
#include <utility>

#include "runtime/memory.h"

namespace xla::cpu {

// Elements that nobody has set; null where there is no memory for them.
template <typename T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(int64_t count) {
    absl::StatusOr<runtime::Memory> memory =
        runtime::Allocate(count * static_cast<int64_t>(sizeof(T)));
    if (memory.ok()) data_ = *std::move(memory);
  }
  T* get() const { return reinterpret_cast<T*>(data_.get()); }

 private:
  runtime::Memory data_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_SCRATCH_H_
