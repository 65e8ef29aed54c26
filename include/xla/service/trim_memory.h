// Memory that the library keeps between runs.
#ifndef XLA_SERVICE_TRIM_MEMORY_H_
#define XLA_SERVICE_TRIM_MEMORY_H_

#include <cstdint>

namespace xla {

// Gives the memory that no array and no running program needs back to the system, and says how many
// bytes it was. Large blocks are kept for the next run otherwise, since fresh pages cost more than
// what most programs do with them: for some seconds while programs run, and until the last PJRT
// client is gone. May be called at any time, from any thread.
int64_t TrimMemory();

}  // namespace xla

#endif  // XLA_SERVICE_TRIM_MEMORY_H_
