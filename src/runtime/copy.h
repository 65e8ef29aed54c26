// Copies of large arrays.
#ifndef HILO_RUNTIME_COPY_H_
#define HILO_RUNTIME_COPY_H_

#include <cstdint>

namespace xla::runtime {

// Does what memcpy does, with the threads that ParallelFor has; what is larger than the caches are
// goes past them.
void CopyBytes(void* to, const void* from, int64_t bytes);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COPY_H_
