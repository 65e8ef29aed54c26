// Results that are written to memory past the caches.
#ifndef HILO_CODEGEN_LOOPS_STREAM_H_
#define HILO_CODEGEN_LOOPS_STREAM_H_

#include <cstdint>

#include "codegen/loops/kernel.h"

namespace xla::loops {

// Marks as streamed what stores the array with this number in vectors that are lines of the cache,
// or make them up, if the array begins at a multiple of runtime::kAlignment.
void Stream(Kernel& kernel, int64_t result);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_STREAM_H_
