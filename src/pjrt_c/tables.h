// The parts of the table of functions, one for each family, and the extensions.
#ifndef HILO_PJRT_C_TABLES_H_
#define HILO_PJRT_C_TABLES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/ffi/type_registry.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

void SetErrorFunctions(PJRT_Api& api);
void SetEventFunctions(PJRT_Api& api);
void SetClientFunctions(PJRT_Api& api);
void SetDeviceFunctions(PJRT_Api& api);
void SetMemoryFunctions(PJRT_Api& api);
void SetExecutableFunctions(PJRT_Api& api);
void SetLoadedExecutableFunctions(PJRT_Api& api);
void SetExecuteFunctions(PJRT_Api& api);
void SetBufferFunctions(PJRT_Api& api);
void SetHostBufferFunctions(PJRT_Api& api);
void SetTransferFunctions(PJRT_Api& api);
void SetTopologyFunctions(PJRT_Api& api);

// Gives a type of FFI handlers the number `id`, or puts one there where it is 0.
absl::Status RegisterFfiType(absl::string_view name, ffi::TypeRegistry::TypeInfo info, int64_t& id);

// The one for passes of callers; it ends the list.
PJRT_Extension_Base* TransformExtension();
PJRT_Extension_Base* PartitionerExtension();

// The first of a list that lives as long as the process.
PJRT_Extension_Base* Extensions();

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_TABLES_H_
