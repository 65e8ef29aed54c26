#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_RANDOM_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_RANDOM_H_

#include <cstdint>

namespace tsl {
namespace random {

// A number nobody can guess; one of a sequence that is the same in every process; one of a
// generator of this thread.
uint64_t New64();
uint64_t New64DefaultSeed();
uint64_t ThreadLocalNew64();

}  // namespace random
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_RANDOM_H_
