// How one run of an executable is set up.
#ifndef XLA_EXECUTABLE_RUN_OPTIONS_H_
#define XLA_EXECUTABLE_RUN_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stream_executor {
class DeviceAddressAllocator;
class Stream;
}  // namespace stream_executor

namespace Eigen {
struct ThreadPoolDevice;
}  // namespace Eigen

namespace xla {

namespace ffi {
class ExecutionContext;
}  // namespace ffi

class DeviceAssignment;
class ExecutionProfile;

// The number of a run, which its participants on several devices share.
class RunId {
 public:
  explicit RunId(int64_t id) : id_(id) {}
  // A number that this process has not used before.
  static RunId CreateUniqueId();

  int64_t ToInt() const { return id_; }
  std::string ToString() const { return absl::StrCat("RunId: ", id_); }

  friend bool operator==(const RunId& a, const RunId& b) { return a.id_ == b.id_; }
  friend bool operator!=(const RunId& a, const RunId& b) { return a.id_ != b.id_; }
  template <typename H>
  friend H AbslHashValue(H h, const RunId& id) {
    return H::combine(std::move(h), id.id_);
  }
  template <typename Sink>
  friend void AbslStringify(Sink& sink, const RunId& id) {
    sink.Append(id.ToString());
  }

 private:
  int64_t id_;
};

using ThenExecuteFunction =
    std::function<void(stream_executor::Stream* stream, std::function<void()> function)>;

// Pointers are not owned and must outlive the run. Setters return the options, so that calls can be
// chained.
class ExecutableRunOptions {
 public:
#define HILO_RUN_OPTION(Type, name, default_value) \
 public:                                           \
  Type name() const { return name##_; }            \
  ExecutableRunOptions& set_##name(Type value) {   \
    name##_ = std::move(value);                    \
    return *this;                                  \
  }                                                \
                                                   \
 private:                                          \
  Type name##_ = default_value

  HILO_RUN_OPTION(stream_executor::DeviceAddressAllocator*, allocator, nullptr);
  // -1 for the default device.
  HILO_RUN_OPTION(int, device_ordinal, -1);
  HILO_RUN_OPTION(int, physical_device_ordinal, -1);
  HILO_RUN_OPTION(stream_executor::Stream*, stream, nullptr);
  HILO_RUN_OPTION(stream_executor::Stream*, host_to_device_stream, nullptr);
  HILO_RUN_OPTION(stream_executor::Stream*, device_to_host_stream, nullptr);
  HILO_RUN_OPTION(const Eigen::ThreadPoolDevice*, intra_op_thread_pool, nullptr);
  // Filled in by the run.
  HILO_RUN_OPTION(ExecutionProfile*, execution_profile, nullptr);
  HILO_RUN_OPTION(const DeviceAssignment*, device_assignment, nullptr);
  // The seed of stateful random numbers; 0 for one of the run's own choice.
  HILO_RUN_OPTION(int, rng_seed, 0);
  // Tells runs that overlap apart, when they communicate.
  HILO_RUN_OPTION(int32_t, launch_id, 0);
  HILO_RUN_OPTION(RunId, run_id, RunId(0));
  HILO_RUN_OPTION(const ffi::ExecutionContext*, ffi_execution_context, nullptr);
  // How many devices of this process take part; 0 when it is not known.
  HILO_RUN_OPTION(int, local_device_count, 0);
#undef HILO_RUN_OPTION

 public:
  ThenExecuteFunction* then_execute_function() const { return then_execute_function_; }
  ExecutableRunOptions& set_then_execute_function(ThenExecuteFunction* function) {
    then_execute_function_ = function;
    return *this;
  }

 private:
  ThenExecuteFunction* then_execute_function_ = nullptr;
};

}  // namespace xla

#endif  // XLA_EXECUTABLE_RUN_OPTIONS_H_
