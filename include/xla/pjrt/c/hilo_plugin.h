// What libhilo_pjrt.so exports besides GetPjrtApi. Valid as C and as C++.
#ifndef XLA_PJRT_C_HILO_PLUGIN_H_
#define XLA_PJRT_C_HILO_PLUGIN_H_

#include <stdint.h>

#include "xla/ffi/api/c_api.h"
#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a handler of custom calls (XLA_FFI_Handler*, see xla/ffi/api/c_api.h) known to programs for
// the CPU. `stage` is "instantiate", "prepare", "initialize" or "execute"; those of one name may
// come in any order, that for execution last. Registering the same function again does nothing.
// ALREADY_EXISTS when the name has another one, INVALID_ARGUMENT for other stages. Both texts end
// in NUL.
PJRT_Error* Hilo_RegisterFfiHandler(const char* name, const char* stage, void* function);

// The same for a function of the older form, void f(void* out, const void** in); see
// xla/service/custom_call_target_registry.h. ALREADY_EXISTS when the name has another function.
PJRT_Error* Hilo_RegisterCustomCall(const char* name, void* function);

// Makes a type known that handlers keep state or find user data by. Where `type` holds 0 it gets a
// number, else the type has that one; `info`, which may be null, says how objects end.
// INVALID_ARGUMENT when the name or the number is taken.
PJRT_Error* Hilo_RegisterFfiType(const char* name, XLA_FFI_TypeId* type,
                                 const XLA_FFI_TypeInfo* info);

// xla/service/trim_memory.h: so many bytes.
int64_t Hilo_TrimMemory(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_HILO_PLUGIN_H_
