// Numbers of devices and processes, with a type for each kind so that they are not mixed up.
#ifndef XLA_RUNTIME_DEVICE_ID_H_
#define XLA_RUNTIME_DEVICE_ID_H_

#include <cstdint>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {

// An integer that converts to and from others only when asked to.
template <typename Tag, typename Value>
class StrongId {
 public:
  using ValueType = Value;

  constexpr StrongId() = default;
  explicit constexpr StrongId(Value value) : value_(value) {}
  constexpr Value value() const { return value_; }

  friend constexpr bool operator==(StrongId a, StrongId b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(StrongId a, StrongId b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(StrongId a, StrongId b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(StrongId a, StrongId b) { return a.value_ > b.value_; }
  friend constexpr bool operator<=(StrongId a, StrongId b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(StrongId a, StrongId b) { return a.value_ >= b.value_; }
  constexpr StrongId& operator++() {
    ++value_;
    return *this;
  }

  template <typename H>
  friend H AbslHashValue(H h, StrongId id) {
    return H::combine(std::move(h), id.value_);
  }
  template <typename Sink>
  friend void AbslStringify(Sink& sink, StrongId id) {
    sink.Append(absl::StrCat(id.value_));
  }
  friend std::ostream& operator<<(std::ostream& out, StrongId id) { return out << id.value_; }

 private:
  Value value_ = 0;
};

// A device among those of all processes, and among those of one process.
using GlobalDeviceId = StrongId<struct GlobalDeviceIdTag, int32_t>;
using LocalDeviceId = StrongId<struct LocalDeviceIdTag, int32_t>;
// The hardware that a device is or is part of.
using GlobalChipId = StrongId<struct GlobalChipIdTag, int32_t>;
using LocalChipId = StrongId<struct LocalChipIdTag, int32_t>;
// A process of a distributed program, and one run of it.
using ProcessId = StrongId<struct ProcessIdTag, int32_t>;
using IncarnationId = StrongId<struct IncarnationIdTag, uint64_t>;

}  // namespace xla

#endif  // XLA_RUNTIME_DEVICE_ID_H_
