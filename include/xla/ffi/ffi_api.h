// The runtime's side of handlers of custom calls: the table of functions that they use, and the
// handlers that programs find.
#ifndef XLA_FFI_FFI_API_H_
#define XLA_FFI_FFI_API_H_

#include "xla/ffi/api/c_api.h"
#include "xla/ffi/ffi_interop.h"
#include "xla/ffi/ffi_registry.h"

namespace xla::ffi {

// The table of this process; it lives for ever.
const XLA_FFI_Api* GetXlaFfiApi();

}  // namespace xla::ffi

#endif  // XLA_FFI_FFI_API_H_
