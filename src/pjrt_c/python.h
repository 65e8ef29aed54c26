// What jaxlib has for programs, where the plug-in was loaded by Python.
#ifndef HILO_PJRT_C_PYTHON_H_
#define HILO_PJRT_C_PYTHON_H_

#include <string>

#include "absl/strings/string_view.h"

namespace xla::pjrt_c {

// Makes the handlers of custom calls that jaxlib has, and those that will be registered with it,
// known to programs. Does nothing in processes without Python or without jaxlib. The first call
// counts; others wait for its end.
void ConnectPython();

// Bytecode of MLIR in the portable form. Of other forms jaxlib knows how to make it; what it cannot
// convert, or without it, stays as it is.
std::string ToPortable(absl::string_view program);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_PYTHON_H_
