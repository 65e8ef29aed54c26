#ifndef HILO_INCLUDE_XLA_TSL_LIB_CORE_BITMAP_H_
#define HILO_INCLUDE_XLA_TSL_LIB_CORE_BITMAP_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/log/check.h"

namespace tsl {
namespace core {

// A fixed number of bits, all zero at first.
class Bitmap {
 public:
  Bitmap() = default;
  explicit Bitmap(size_t bit_count) : bits_(bit_count) {}
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;

  size_t bits() const { return bits_.size(); }
  // Changes the number of bits and clears them all.
  void Reset(size_t bit_count) { bits_.assign(bit_count, false); }

  bool get(size_t i) const {
    DCHECK_LT(i, bits());
    return bits_[i];
  }
  void set(size_t i) {
    DCHECK_LT(i, bits());
    bits_[i] = true;
  }
  void clear(size_t i) {
    DCHECK_LT(i, bits());
    bits_[i] = false;
  }

  // The first zero bit at or behind `start`, or bits() if there is none.
  size_t FirstUnset(size_t start) const {
    while (start < bits() && bits_[start]) ++start;
    return start < bits() ? start : bits();
  }

  // One character, 0 or 1, per bit.
  std::string ToString() const {
    std::string text;
    for (bool bit : bits_) text += bit ? '1' : '0';
    return text;
  }

 private:
  std::vector<bool> bits_;
};

}  // namespace core
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_LIB_CORE_BITMAP_H_
