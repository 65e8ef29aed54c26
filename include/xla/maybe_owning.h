// A pointer to what is borrowed or owned.
#ifndef XLA_MAYBE_OWNING_H_
#define XLA_MAYBE_OWNING_H_

#include <memory>
#include <utility>

namespace xla {

// Null, a borrowed object, which must outlive it, or an object of its own.
template <typename T>
class MaybeOwning final {
 public:
  MaybeOwning() = default;
  explicit MaybeOwning(std::unique_ptr<T> owned)
      : owned_(std::move(owned)), pointer_(owned_.get()) {}
  explicit MaybeOwning(const T* borrowed) : pointer_(borrowed) {}

  MaybeOwning(MaybeOwning&& other) noexcept
      : owned_(std::move(other.owned_)), pointer_(std::exchange(other.pointer_, nullptr)) {}
  MaybeOwning& operator=(MaybeOwning&& other) noexcept {
    owned_ = std::move(other.owned_);
    pointer_ = std::exchange(other.pointer_, nullptr);
    return *this;
  }
  MaybeOwning(const MaybeOwning&) = delete;
  MaybeOwning& operator=(const MaybeOwning&) = delete;

  const T* get() const { return pointer_; }
  const T* operator->() const { return pointer_; }
  const T& operator*() const { return *pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  bool OwnsPtr() const { return owned_ != nullptr; }

 private:
  std::unique_ptr<T> owned_;
  const T* pointer_ = nullptr;
};

}  // namespace xla

#endif  // XLA_MAYBE_OWNING_H_
