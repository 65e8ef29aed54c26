// Memory that kernels work in.
#ifndef HILO_CPU_KERNELS_SCRATCH_H_
#define HILO_CPU_KERNELS_SCRATCH_H_

#include <cstdint>
#include <utility>

#include "runtime/memory.h"

namespace xla::cpu {

// Elements that nobody has set; null where there is no memory for them. None take none, but are
// somewhere: what a kernel does not need costs nothing.
template <typename T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(int64_t count) {
    if (count == 0) {
      elements_ = reinterpret_cast<T*>(kNoElements);
      return;
    }
    absl::StatusOr<runtime::Memory> memory =
        runtime::Allocate(count * static_cast<int64_t>(sizeof(T)));
    if (!memory.ok()) return;
    memory_ = *std::move(memory);
    elements_ = reinterpret_cast<T*>(memory_.get());
  }
  T* get() const { return elements_; }

 private:
  alignas(runtime::kAlignment) inline static char kNoElements[1] = {};

  runtime::Memory memory_;
  T* elements_ = nullptr;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_SCRATCH_H_
