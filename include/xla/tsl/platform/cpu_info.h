#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_CPU_INFO_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_CPU_INFO_H_

#include <string>

#include "xla/tsl/platform/byte_order.h"

namespace tsl {
namespace port {

// Processors that this process may run on; those of the machine; hardware threads of a core.
int NumSchedulableCPUs();
int NumTotalCPUs();
int NumHyperthreadsPerCore();
// How many threads are of use.
int MaxParallelism();
// The processor that the calling thread runs on.
int GetCurrentCPU();
std::string CPUVendorIDString();

}  // namespace port
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_CPU_INFO_H_
