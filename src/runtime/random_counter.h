// Where the numbers of a run come from that the program does not seed itself.
#ifndef HILO_RUNTIME_RANDOM_COUNTER_H_
#define HILO_RUNTIME_RANDOM_COUNTER_H_

#include <cstdint>

namespace xla::runtime {

// A counter of 128 bits for counter-based generators; the seed is its upper half.
class RandomCounter {
 public:
  explicit RandomCounter(uint64_t seed) : next_(static_cast<unsigned __int128>(seed) << 64) {}

  // The next number, after which `count` are taken.
  unsigned __int128 Take(uint64_t count) {
    const unsigned __int128 first = next_;
    next_ += count;
    return first;
  }

 private:
  unsigned __int128 next_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_RANDOM_COUNTER_H_
