// Between the binary interface of handlers and the types of this library.
#ifndef XLA_FFI_FFI_INTEROP_H_
#define XLA_FFI_FFI_INTEROP_H_

#include "absl/status/status.h"
#include "xla/ffi/api/c_api.h"

namespace xla::ffi {

// Makes the error a status, and ends the error's life.
absl::Status TakeStatus(XLA_FFI_Error* error);

}  // namespace xla::ffi

#endif  // XLA_FFI_FFI_INTEROP_H_
