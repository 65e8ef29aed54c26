#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_MEM_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_MEM_H_

#include <cstddef>
#include <cstdint>

namespace tsl {
namespace port {

// `minimum_alignment` is a power of two. Null when there is no memory.
void* AlignedMalloc(size_t size, int minimum_alignment);
void AlignedFree(void* memory);
void* Malloc(size_t size);
void* Realloc(void* memory, size_t size);
void Free(void* memory);
// Bytes that the machine has, and has free.
int64_t TotalRam();
int64_t AvailableRam();

}  // namespace port
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_MEM_H_
