// A value that somebody else still makes: pending at first, and then for good a value or an error.
#ifndef XLA_TSL_CONCURRENCY_ASYNC_VALUE_H_
#define XLA_TSL_CONCURRENCY_ASYNC_VALUE_H_

#include <atomic>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/tsl/concurrency/executor.h"
#include "xla/tsl/concurrency/ref_count.h"

namespace tsl {

// For any number of threads, of which one makes the value available, once.
class AsyncValue : public ReferenceCounted<AsyncValue> {
 public:
  using Waiter = absl::AnyInvocable<void() &&>;

  virtual ~AsyncValue();

  bool IsAvailable() const { return waiters_.load(std::memory_order_acquire) == Done(); }
  bool IsUnavailable() const { return !IsAvailable(); }
  bool IsConcrete() const { return IsAvailable() && error_.ok(); }
  bool IsError() const { return IsAvailable() && !error_.ok(); }
  // Of a value that is an error.
  const absl::Status& GetError() const { return error_; }
  const absl::Status* GetErrorIfPresent() const { return IsError() ? &error_ : nullptr; }

  // Calls `waiter` once the value is available: at once if it is, otherwise on the thread that
  // makes it available, in the order of the calls; or through the executor.
  void AndThen(Waiter waiter);
  void AndThen(Executor& executor, Waiter waiter);

  // Makes it available as an error, which must not be OK.
  void SetError(absl::Status error);

  // Of a value that has type T.
  template <typename T>
  T& get();
  template <typename T>
  const T& get() const {
    return const_cast<AsyncValue*>(this)->get<T>();
  }

 protected:
  AsyncValue() = default;
  // Calls those who wait. They may drop the last reference of others.
  void BecomeAvailable();

 private:
  struct Node;
  static Node* Done();

  std::atomic<Node*> waiters_ = nullptr;  // the last one first
  absl::Status error_;
};

namespace internal {

template <typename T>
class ConcreteAsyncValue final : public AsyncValue {
 public:
  ConcreteAsyncValue() = default;
  template <typename... Arguments>
  explicit ConcreteAsyncValue(std::in_place_t, Arguments&&... arguments)
      : value_(std::in_place, std::forward<Arguments>(arguments)...) {}

  bool HasValue() const { return value_.has_value(); }
  T& value() { return *value_; }
  template <typename... Arguments>
  void emplace(Arguments&&... arguments) {
    value_.emplace(std::forward<Arguments>(arguments)...);
    BecomeAvailable();
  }
  void SetStateConcrete() { BecomeAvailable(); }

 private:
  std::optional<T> value_;
};

}  // namespace internal

template <typename T>
T& AsyncValue::get() {
  return static_cast<internal::ConcreteAsyncValue<T>*>(this)->value();
}

// Blocks the thread until the value is available.
void BlockUntilReady(AsyncValue* value);

// Calls `task` once all values are available, errors too, on the thread that makes the last one
// so.
void RunWhenReady(absl::Span<AsyncValue* const> values, AsyncValue::Waiter task);
void RunWhenReady(absl::Span<const RCReference<AsyncValue>> values, AsyncValue::Waiter task);

}  // namespace tsl

#endif  // XLA_TSL_CONCURRENCY_ASYNC_VALUE_H_
