// What libhilo_pjrt.so exports besides GetPjrtApi. Valid as C and as C++.
#ifndef XLA_PJRT_C_HILO_PLUGIN_H_
#define XLA_PJRT_C_HILO_PLUGIN_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a handler of custom calls (XLA_FFI_Handler*, see xla/ffi/api/c_api.h) known to programs for
// the CPU. `stage` is "instantiate", "prepare", "initialize" or "execute"; those of one name may come
// in any order, that for execution last. Registering the same function again does nothing.
// ALREADY_EXISTS when the name has another one, INVALID_ARGUMENT for other stages. Both texts end in
// NUL.
PJRT_Error* Hilo_RegisterFfiHandler(const char* name, const char* stage, void* function);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_HILO_PLUGIN_H_
