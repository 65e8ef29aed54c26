// What handlers of custom calls can ask of the processor beside what xla/ffi/ffi.h has.
#ifndef XLA_BACKENDS_CPU_FFI_H_
#define XLA_BACKENDS_CPU_FFI_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "xla/ffi/ffi.h"

namespace Eigen {
struct ThreadPoolDevice;
}  // namespace Eigen

namespace xla::ffi {
inline namespace XLA_FFI_LAYER {

namespace internal {

// Device is Eigen::ThreadPoolDevice. It is a parameter, since only files that use it know its
// members.
template <typename Device>
struct IntraOpThreadPoolOf {};

// The runtime's threads, as Eigen wants to see them.
template <typename Interface>
class EigenThreads : public Interface {
 public:
  void Schedule(std::function<void()> task) override {
    ThreadPool(GetXlaFfiApi(), nullptr).Schedule(std::move(task));
  }
  int NumThreads() const override {
    return static_cast<int>(ThreadPool(GetXlaFfiApi(), nullptr).num_threads());
  }
  // No thread is known by a number.
  int CurrentThreadId() const override { return -1; }
};

template <typename Device>
const Device& EigenDevice() {
  using Interface = std::remove_pointer_t<decltype(std::declval<Device>().getPool())>;
  static auto* const threads = new EigenThreads<Interface>();
  static auto* const device = new Device(threads, threads->NumThreads());
  return *device;
}

}  // namespace internal

// The threads for work inside of one operation: a const Eigen::ThreadPoolDevice*. A file that uses
// it includes <unsupported/Eigen/CXX11/Tensor> with EIGEN_USE_THREADS defined.
using IntraOpThreadPool = internal::IntraOpThreadPoolOf<Eigen::ThreadPoolDevice>;

template <typename Device>
struct CtxDecoding<internal::IntraOpThreadPoolOf<Device>> {
  using Type = const Device*;
  static std::optional<Type> Decode(const XLA_FFI_Api*, XLA_FFI_InvokeContext*, DiagnosticEngine&) {
    return &internal::EigenDevice<Device>();
  }
};

}  // namespace XLA_FFI_LAYER
}  // namespace xla::ffi

#endif  // XLA_BACKENDS_CPU_FFI_H_
