#include "runtime/next_seed.h"

#include <atomic>
#include <random>

namespace xla::runtime {

uint64_t NextSeed() {
  static std::atomic<uint64_t> next = [] {
    std::random_device device;
    return static_cast<uint64_t>(device()) << 32 | device();
  }();
  uint64_t seed = 0;
  while (seed == 0) seed = next++;
  return seed;
}

}  // namespace xla::runtime
