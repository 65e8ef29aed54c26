// What the plug-in gets from its core library, libhilo_core.so, when it loads that.
#ifndef HILO_PJRT_C_OBJECTS_CORE_H_
#define HILO_PJRT_C_OBJECTS_CORE_H_

#include <cstdint>

#include "xla/ffi/api/c_api.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

struct Core {
  const char* platform_version;  // of its build
  // Functions that the plug-in has itself are null, and so are its extensions missing.
  const PJRT_Api* api;
  // Gives a client that is only described what it takes to run programs.
  PJRT_Error* (*attach)(PJRT_Client* client);
  // See pjrt_c/python.h.
  void (*connect_python)();
  // See xla/pjrt/c/hilo_plugin.h.
  PJRT_Error* (*register_handler)(const char* name, const char* stage, void* function);
  PJRT_Error* (*register_call)(const char* name, void* function);
  PJRT_Error* (*register_type)(const char* name, XLA_FFI_TypeId* type,
                               const XLA_FFI_TypeInfo* info);
  int64_t (*trim_memory)();
};

}  // namespace xla::pjrt_c

// The function that the core library shows.
extern "C" const xla::pjrt_c::Core* hilo_pjrt_core();

#endif  // HILO_PJRT_C_OBJECTS_CORE_H_
