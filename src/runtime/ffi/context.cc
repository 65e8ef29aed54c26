#include "runtime/ffi/context.h"

#include <utility>

#include "base/status_macros.h"
#include "xla/util.h"

void XLA_FFI_Future::Complete(absl::Status status) {
  std::unique_lock<std::mutex> lock(mutex_);
  is_complete_ = true;
  status_ = std::move(status);
  completed_.notify_all();
  Release(std::move(lock));
}

absl::Status XLA_FFI_Future::Await() {
  std::unique_lock<std::mutex> lock(mutex_);
  completed_.wait(lock, [this] { return is_complete_; });
  absl::Status status = std::move(status_);
  Release(std::move(lock));
  return status;
}

void XLA_FFI_Future::Release(std::unique_lock<std::mutex> lock) {
  const bool is_last = --owners_ == 0;
  lock.unlock();
  if (is_last) delete this;
}

namespace xla::runtime {

FfiStates::~FfiStates() {
  for (const State& state : states_) {
    if (state.deleter != nullptr) state.deleter(state.object);
  }
}

absl::Status FfiStates::Set(XLA_FFI_ExecutionStage stage, ffi::TypeRegistry::TypeId type,
                            void* object) {
  HILO_ASSIGN_OR_RETURN(const ffi::TypeRegistry::TypeInfo info,
                        ffi::TypeRegistry::GetTypeInfo(type));
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = states_[stage];
  if (state.object == nullptr) {
    state = {type, object, info.deleter};
    return absl::OkStatus();
  }
  if (info.deleter != nullptr) info.deleter(object);
  return FailedPrecondition("The handler has set the state of its stage before");
}

absl::StatusOr<void*> FfiStates::Get(XLA_FFI_ExecutionStage stage,
                                     ffi::TypeRegistry::TypeId type) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const State& state = states_[stage];
  if (state.object == nullptr) return NotFound("No handler has set the state of that stage");
  if (state.type != type) {
    return InvalidArgument("The state has the type %d, but type %d was asked for",
                           state.type.value(), type.value());
  }
  return state.object;
}

}  // namespace xla::runtime
