// A value or the reason why there is none, with the accessors of 2017.
#ifndef XLA_LEGACY_STATUSOR_H_
#define XLA_LEGACY_STATUSOR_H_

#include <utility>

#include "absl/log/check.h"
#include "absl/status/statusor.h"

namespace xla {
namespace legacy {

// absl::StatusOr with two more accessors; it converts to and from that type.
template <typename T>
class StatusOr : public absl::StatusOr<T> {
 public:
  StatusOr(absl::StatusOr<T> value)  // NOLINT: implicit on purpose
      : absl::StatusOr<T>(std::move(value)) {}

  // The value. Without one the process ends, with the error as its last message.
  const T& ValueOrDie() const {
    CHECK(this->ok()) << this->status();
    return **this;
  }

  // The value, moved out of here. Without one the process ends, with the error as its last message.
  T ConsumeValueOrDie() {
    CHECK(this->ok()) << this->status();
    return *std::move(*this);
  }
};

}  // namespace legacy
}  // namespace xla

#endif  // XLA_LEGACY_STATUSOR_H_
