// Memory that kernels work in.
#ifndef HILO_CPU_KERNELS_SCRATCH_H_
#define HILO_CPU_KERNELS_SCRATCH_H_

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace xla::cpu {

// Elements that nobody has set; null where there is no memory for them.
template <typename T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(int64_t count)
      : data_(static_cast<T*>(
            std::aligned_alloc(64, (static_cast<uint64_t>(count) * sizeof(T) / 64 + 1) * 64))) {}
  T* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_SCRATCH_H_
