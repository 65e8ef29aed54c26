// The back end that compiles modules to native code.
#ifndef HILO_API_CPU_BACKEND_H_
#define HILO_API_CPU_BACKEND_H_

#include "api/backend.h"

namespace xla {

// "cpu". Compile gives Unimplemented, with the instruction, for operations that have no code yet,
// and for every module where Hilo was built without LLVM.
Backend& CpuBackend();

}  // namespace xla

#endif  // HILO_API_CPU_BACKEND_H_
