// The parts of the table that the plug-in has itself, one for each family.
#ifndef HILO_PJRT_C_START_TABLES_H_
#define HILO_PJRT_C_START_TABLES_H_

#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

void SetErrorFunctions(PJRT_Api& api);
void SetPluginFunctions(PJRT_Api& api);
void SetClientFunctions(PJRT_Api& api);
void SetDeviceFunctions(PJRT_Api& api);
void SetMemoryFunctions(PJRT_Api& api);
void SetTopologyFunctions(PJRT_Api& api);

// Extensions in front of others: which memories devices have that are only described, and who
// divides custom calls among devices.
PJRT_Extension_Base* MemoryDescriptionsBefore(PJRT_Extension_Base* next);
PJRT_Extension_Base* PartitionersBefore(PJRT_Extension_Base* next);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_START_TABLES_H_
