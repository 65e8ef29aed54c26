// The parts of the table of functions that the core has, one for each family, and its extensions.
#ifndef HILO_PJRT_C_TABLES_H_
#define HILO_PJRT_C_TABLES_H_

#include "absl/status/status.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

void SetEventFunctions(PJRT_Api& api);
void SetClientFunctions(PJRT_Api& api);
void SetDeviceFunctions(PJRT_Api& api);
void SetExecutableFunctions(PJRT_Api& api);
void SetLoadedExecutableFunctions(PJRT_Api& api);
void SetExecuteFunctions(PJRT_Api& api);
void SetBufferFunctions(PJRT_Api& api);
void SetHostBufferFunctions(PJRT_Api& api);
void SetTransferFunctions(PJRT_Api& api);
void SetTopologyFunctions(PJRT_Api& api);

// Gives a client that is only described what it takes to run programs.
absl::Status AttachWithoutOptions(PJRT_Client& client);

// The one for passes of callers; it ends the list.
PJRT_Extension_Base* TransformExtension();
PJRT_Extension_Base* PartitionerExtension();

// The first of a list that lives as long as the process.
PJRT_Extension_Base* Extensions();

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_TABLES_H_
