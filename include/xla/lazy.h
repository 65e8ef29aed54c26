// A value that is made when it is first asked for.
#ifndef XLA_LAZY_H_
#define XLA_LAZY_H_

#include <memory>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/functional/any_invocable.h"

// Lets a member share bytes with those around it; older Abseil does not define it.
#ifndef ABSL_ATTRIBUTE_NO_UNIQUE_ADDRESS
#define ABSL_ATTRIBUTE_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif

namespace xla {

// Moving keeps the address of the value, if there is one, and leaves an object that may only be
// assigned to or destroyed. Not for several threads at once.
template <typename T>
class Lazy {
 public:
  explicit Lazy(absl::AnyInvocable<T() &&> make)
      : maker_(new absl::AnyInvocable<T() &&>(std::move(make))) {}
  Lazy(Lazy&& other) noexcept { Take(other); }
  Lazy& operator=(Lazy&& other) noexcept {
    if (this != &other) {
      Destroy();
      Take(other);
    }
    return *this;
  }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { Destroy(); }

  bool has_value() const { return has_value_; }
  const T& get() const {
    if (!has_value_) {
      std::unique_ptr<absl::AnyInvocable<T() &&>> maker(maker_);
      maker_ = nullptr;
      value_ = new T(std::move(*maker)());
      has_value_ = true;
    }
    return *value_;
  }

 private:
  void Take(Lazy& other) {
    has_value_ = std::exchange(other.has_value_, false);
    if (has_value_) {
      value_ = other.value_;
    } else {
      maker_ = other.maker_;
    }
    other.maker_ = nullptr;
  }
  void Destroy() {
    if (has_value_) {
      delete value_;
    } else {
      delete maker_;
    }
  }

  union {
    mutable absl::AnyInvocable<T() &&>* maker_;
    mutable T* value_;
  };
  mutable bool has_value_ = false;
};

}  // namespace xla

#endif  // XLA_LAZY_H_
