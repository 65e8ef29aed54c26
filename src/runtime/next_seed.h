#ifndef HILO_RUNTIME_NEXT_SEED_H_
#define HILO_RUNTIME_NEXT_SEED_H_

#include <cstdint>

namespace xla::runtime {

// A seed that differs from those of other calls, never 0: for runs that nobody gave one.
uint64_t NextSeed();

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_NEXT_SEED_H_
