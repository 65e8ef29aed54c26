// Objects that count their references themselves.
#ifndef XLA_TSL_CONCURRENCY_REF_COUNT_H_
#define XLA_TSL_CONCURRENCY_REF_COUNT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tsl {

// Begins with one reference; is deleted with the last one. For any number of threads.
template <typename SubClass>
class ReferenceCounted {
 public:
  explicit ReferenceCounted(uint32_t references = 1) : references_(references) {}
  ReferenceCounted(const ReferenceCounted&) = delete;
  ReferenceCounted& operator=(const ReferenceCounted&) = delete;

  void AddRef(uint32_t count = 1) const { references_.fetch_add(count, std::memory_order_relaxed); }
  void DropRef(uint32_t count = 1) const {
    if (references_.fetch_sub(count, std::memory_order_acq_rel) == count)
      delete static_cast<const SubClass*>(this);
  }
  uint32_t NumRef() const { return references_.load(std::memory_order_acquire); }
  bool IsUnique() const { return NumRef() == 1; }

 protected:
  ~ReferenceCounted() = default;

 private:
  mutable std::atomic<uint32_t> references_;
};

// Holds one reference, or none.
template <typename T>
class RCReference {
 public:
  RCReference() = default;
  RCReference(std::nullptr_t) {}  // NOLINT: implicit as in OpenXLA.
  RCReference(const RCReference& other) : pointer_(other.pointer_) {
    if (pointer_ != nullptr) pointer_->AddRef();
  }
  RCReference(RCReference&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  template <typename U>
  RCReference(RCReference<U>&& other) noexcept : pointer_(other.release()) {}  // NOLINT
  RCReference& operator=(RCReference other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~RCReference() {
    if (pointer_ != nullptr) pointer_->DropRef();
  }

  // Takes over a reference that the caller had.
  void reset(T* pointer = nullptr) {
    if (pointer_ != nullptr) pointer_->DropRef();
    pointer_ = pointer;
  }
  // Leaves the reference to the caller.
  T* release() { return std::exchange(pointer_, nullptr); }
  RCReference CopyRef() const { return *this; }

  T* get() const { return pointer_; }
  T& operator*() const { return *pointer_; }
  T* operator->() const { return pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }

  friend bool operator==(const RCReference& a, const RCReference& b) {
    return a.pointer_ == b.pointer_;
  }
  friend bool operator!=(const RCReference& a, const RCReference& b) { return !(a == b); }
  friend bool operator==(const RCReference& a, std::nullptr_t) { return a.pointer_ == nullptr; }
  friend bool operator!=(const RCReference& a, std::nullptr_t) { return a.pointer_ != nullptr; }
  template <typename H>
  friend H AbslHashValue(H h, const RCReference& reference) {
    return H::combine(std::move(h), reference.pointer_);
  }

 private:
  T* pointer_ = nullptr;
};

// A new object; the caller's reference to an object; one more reference to it.
template <typename T, typename... Arguments>
RCReference<T> MakeRef(Arguments&&... arguments) {
  RCReference<T> reference;
  reference.reset(new T(std::forward<Arguments>(arguments)...));
  return reference;
}
template <typename T>
RCReference<T> TakeRef(T* pointer) {
  RCReference<T> reference;
  reference.reset(pointer);
  return reference;
}
template <typename T>
RCReference<T> FormRef(T* pointer) {
  if (pointer != nullptr) pointer->AddRef();
  return TakeRef(pointer);
}

}  // namespace tsl

#endif  // XLA_TSL_CONCURRENCY_REF_COUNT_H_
