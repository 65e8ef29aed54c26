// What surrounds the typed custom calls of a run.
#ifndef HILO_RUNTIME_FFI_SETTING_H_
#define HILO_RUNTIME_FFI_SETTING_H_

#include <cstdint>

namespace xla {
namespace ffi {
class ExecutionContext;
}  // namespace ffi

namespace runtime {

struct FfiSetting {
  const ffi::ExecutionContext* execution_context = nullptr;  // null where the caller gave none
  int64_t run_id = 0;                                        // shared by all devices of the run
  int32_t device_ordinal = 0;
};

}  // namespace runtime
}  // namespace xla

#endif  // HILO_RUNTIME_FFI_SETTING_H_
