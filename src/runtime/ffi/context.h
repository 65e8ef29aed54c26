// What the opaque types of xla/ffi/api/c_api.h are.
#ifndef HILO_RUNTIME_FFI_CONTEXT_H_
#define HILO_RUNTIME_FFI_CONTEXT_H_

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/ffi/error.h"
#include "xla/ffi/api/c_api.h"
#include "xla/ffi/execution_context.h"

// Shared by the handler, which completes it, and the runtime, which waits.
struct XLA_FFI_Future {
 public:
  // The handler may not touch the future any more.
  void Complete(absl::Status status);
  // Waits. The runtime may not touch the future any more.
  absl::Status Await();

 private:
  ~XLA_FFI_Future() = default;
  void Release(std::unique_lock<std::mutex> lock);

  std::mutex mutex_;
  std::condition_variable completed_;
  int owners_ = 2;
  bool is_complete_ = false;
  absl::Status status_;
};

namespace xla::runtime {

// What the stages of one custom call have left for later ones. For any number of threads.
class FfiStates {
 public:
  FfiStates() = default;
  FfiStates(const FfiStates&) = delete;
  ~FfiStates();

  // Takes the object over, also when it fails.
  absl::Status Set(XLA_FFI_ExecutionStage stage, ffi::TypeRegistry::TypeId type, void* object);
  absl::StatusOr<void*> Get(XLA_FFI_ExecutionStage stage, ffi::TypeRegistry::TypeId type) const;

 private:
  struct State {
    ffi::TypeRegistry::TypeId type;
    void* object = nullptr;
    void (*deleter)(void* object) = nullptr;
  };
  mutable std::mutex mutex_;
  std::array<State, XLA_FFI_ExecutionStage_EXECUTE> states_;  // by stage
};

}  // namespace xla::runtime

struct XLA_FFI_InvokeContext {
  const xla::ffi::ExecutionContext* execution_context = nullptr;
  xla::runtime::FfiStates* instance = nullptr;  // lives as long as the program
  xla::runtime::FfiStates* run = nullptr;       // lives as long as the run; null before any
  int64_t run_id = 0;
  int32_t device_ordinal = -1;
  const XLA_FFI_Handler_Bundle* handlers = nullptr;  // of the call
};

#endif  // HILO_RUNTIME_FFI_CONTEXT_H_
