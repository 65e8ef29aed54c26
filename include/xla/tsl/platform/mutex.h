#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_MUTEX_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace tsl {

enum LinkerInitialized { LINKER_INITIALIZED };
enum ConditionResult { kCond_Timeout, kCond_MaybeNotified };

// abseil's mutex under the older names.
class ABSL_LOCKABLE mutex {
 public:
  mutex() = default;
  explicit mutex(LinkerInitialized) {}

  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.Lock(); }
  bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.TryLock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  void lock_shared() ABSL_SHARED_LOCK_FUNCTION() { mutex_.ReaderLock(); }
  bool try_lock_shared() ABSL_SHARED_TRYLOCK_FUNCTION(true) { return mutex_.ReaderTryLock(); }
  void unlock_shared() ABSL_UNLOCK_FUNCTION() { mutex_.ReaderUnlock(); }
  void assert_held() ABSL_ASSERT_EXCLUSIVE_LOCK() { mutex_.AssertHeld(); }

  absl::Mutex& native() { return mutex_; }

 private:
  absl::Mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE mutex_lock {
 public:
  explicit mutex_lock(mutex& held) ABSL_EXCLUSIVE_LOCK_FUNCTION(held) : mutex_(&held) {
    held.lock();
  }
  mutex_lock(mutex_lock&& other) noexcept ABSL_NO_THREAD_SAFETY_ANALYSIS : mutex_(other.mutex_) {
    other.mutex_ = nullptr;
  }
  mutex_lock(const mutex_lock&) = delete;
  mutex_lock& operator=(const mutex_lock&) = delete;
  ~mutex_lock() ABSL_UNLOCK_FUNCTION() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  mutex* mu() { return mutex_; }
  explicit operator bool() const { return mutex_ != nullptr; }

 private:
  mutex* mutex_;
};

class ABSL_SCOPED_LOCKABLE tf_shared_lock {
 public:
  explicit tf_shared_lock(mutex& held) ABSL_SHARED_LOCK_FUNCTION(held) : mutex_(&held) {
    held.lock_shared();
  }
  tf_shared_lock(const tf_shared_lock&) = delete;
  tf_shared_lock& operator=(const tf_shared_lock&) = delete;
  ~tf_shared_lock() ABSL_UNLOCK_FUNCTION() { mutex_->unlock_shared(); }

 private:
  mutex* mutex_;
};

class condition_variable {
 public:
  void wait(mutex_lock& lock) { condition_.Wait(&lock.mu()->native()); }
  template <typename Predicate>
  void wait(mutex_lock& lock, Predicate stop_waiting) {
    while (!stop_waiting()) wait(lock);
  }
  template <typename Rep, typename Period>
  std::cv_status wait_for(mutex_lock& lock, std::chrono::duration<Rep, Period> duration) {
    return condition_.WaitWithTimeout(&lock.mu()->native(), absl::FromChrono(duration))
               ? std::cv_status::timeout
               : std::cv_status::no_timeout;
  }
  void notify_one() { condition_.Signal(); }
  void notify_all() { condition_.SignalAll(); }

 private:
  absl::CondVar condition_;
};

// Waits for a notification, at most so many milliseconds.
inline ConditionResult WaitForMilliseconds(mutex_lock* lock, condition_variable* condition,
                                           int64_t milliseconds) {
  return condition->wait_for(*lock, std::chrono::milliseconds(milliseconds)) ==
                 std::cv_status::timeout
             ? kCond_Timeout
             : kCond_MaybeNotified;
}

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_MUTEX_H_
