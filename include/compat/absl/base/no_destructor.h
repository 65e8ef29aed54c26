#ifndef HILO_COMPAT_ABSL_BASE_NO_DESTRUCTOR_H_
#define HILO_COMPAT_ABSL_BASE_NO_DESTRUCTOR_H_

#include <new>
#include <type_traits>
#include <utility>

namespace absl {

// Holds a T that is never destroyed, for variables of static storage duration.
template <typename T>
class NoDestructor {
 public:
  template <typename... Args, typename = std::enable_if_t<std::is_constructible_v<T, Args&&...>>>
  explicit NoDestructor(Args&&... args) {
    new (storage_) T(std::forward<Args>(args)...);
  }
  explicit NoDestructor(const T& value) { new (storage_) T(value); }
  explicit NoDestructor(T&& value) { new (storage_) T(std::move(value)); }
  NoDestructor(const NoDestructor&) = delete;
  NoDestructor& operator=(const NoDestructor&) = delete;

  T& operator*() { return *get(); }
  T* operator->() { return get(); }
  T* get() { return std::launder(reinterpret_cast<T*>(storage_)); }
  const T& operator*() const { return *get(); }
  const T* operator->() const { return get(); }
  const T* get() const { return std::launder(reinterpret_cast<const T*>(storage_)); }

 private:
  alignas(T) unsigned char storage_[sizeof(T)];
};

template <typename T>
NoDestructor(T) -> NoDestructor<T>;

}  // namespace absl

#endif  // HILO_COMPAT_ABSL_BASE_NO_DESTRUCTOR_H_
