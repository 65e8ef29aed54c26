// Custom calls of others: what programs of any client may call.
#ifndef HILO_PJRT_C_HANDLERS_H_
#define HILO_PJRT_C_HANDLERS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/ffi/type_registry.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

// Gives a type of FFI handlers the number `id`, or puts one there where it is 0.
absl::Status RegisterFfiType(absl::string_view name, ffi::TypeRegistry::TypeInfo info, int64_t& id);

// See xla/pjrt/c/hilo_plugin.h.
PJRT_Error* RegisterFfiHandler(const char* name, const char* stage, void* function);
PJRT_Error* RegisterCustomCall(const char* name, void* function);
PJRT_Error* RegisterFfiTypeAt(const char* name, XLA_FFI_TypeId* type, const XLA_FFI_TypeInfo* info);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_HANDLERS_H_
