// References to values that somebody else still makes, with the type of the value.
#ifndef XLA_TSL_CONCURRENCY_ASYNC_VALUE_REF_H_
#define XLA_TSL_CONCURRENCY_ASYNC_VALUE_REF_H_

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/tsl/concurrency/async_value.h"
#include "xla/tsl/concurrency/ref_count.h"

namespace tsl {

// The value of what only says that something is done.
struct Chain {};

template <typename T>
class AsyncValueRef {
 public:
  using value_type = T;

  AsyncValueRef() = default;
  AsyncValueRef(std::nullptr_t) {}  // NOLINT: implicit as in OpenXLA.
  explicit AsyncValueRef(RCReference<AsyncValue> value) : value_(std::move(value)) {}

  AsyncValueRef CopyRef() const { return *this; }
  AsyncValue* GetAsyncValue() const { return value_.get(); }
  RCReference<AsyncValue> CopyRCRef() const { return value_; }
  RCReference<AsyncValue> ReleaseRCRef() { return std::move(value_); }
  explicit operator bool() const { return value_ != nullptr; }

  bool IsAvailable() const { return value_->IsAvailable(); }
  bool IsUnavailable() const { return value_->IsUnavailable(); }
  bool IsConcrete() const { return value_->IsConcrete(); }
  bool IsError() const { return value_->IsError(); }
  const absl::Status& GetError() const { return value_->GetError(); }
  const absl::Status* GetErrorIfPresent() const { return value_->GetErrorIfPresent(); }

  // Of a value that is there.
  T& get() const { return value_->get<T>(); }
  T& operator*() const { return get(); }
  T* operator->() const { return &get(); }

  // Make it available: the value that it was constructed with, one made now, or an error.
  void SetStateConcrete() const { concrete()->SetStateConcrete(); }
  template <typename... Arguments>
  void emplace(Arguments&&... arguments) const {
    concrete()->emplace(std::forward<Arguments>(arguments)...);
  }
  void SetError(absl::Status error) const { value_->SetError(std::move(error)); }

  // Calls `waiter` when the value is available. It takes nothing, the absl::Status, or the
  // absl::StatusOr<T*>.
  template <typename Waiter>
  void AndThen(Waiter&& waiter) const {
    value_->AndThen(Bind(std::forward<Waiter>(waiter)));
  }
  template <typename Waiter>
  void AndThen(Executor& executor, Waiter&& waiter) const {
    value_->AndThen(executor, Bind(std::forward<Waiter>(waiter)));
  }

 private:
  internal::ConcreteAsyncValue<T>* concrete() const {
    return static_cast<internal::ConcreteAsyncValue<T>*>(value_.get());
  }

  template <typename Waiter>
  AsyncValue::Waiter Bind(Waiter&& waiter) const {
    using Function = std::decay_t<Waiter>;
    if constexpr (std::is_invocable_v<Function>) {
      return std::forward<Waiter>(waiter);
    } else {
      return [value = value_.get(), waiter = Function(std::forward<Waiter>(waiter))]() mutable {
        if constexpr (std::is_invocable_v<Function&, absl::Status>) {
          waiter(value->IsError() ? value->GetError() : absl::OkStatus());
        } else {
          waiter(value->IsError() ? absl::StatusOr<T*>(value->GetError())
                                  : absl::StatusOr<T*>(&value->template get<T>()));
        }
      };
    }
  }

  RCReference<AsyncValue> value_;
};

// With a value that is not available before SetStateConcrete.
template <typename T, typename... Arguments>
AsyncValueRef<T> MakeConstructedAsyncValueRef(Arguments&&... arguments) {
  return AsyncValueRef<T>(TakeRef<AsyncValue>(
      new internal::ConcreteAsyncValue<T>(std::in_place, std::forward<Arguments>(arguments)...)));
}
// Without a value before emplace.
template <typename T>
AsyncValueRef<T> MakeUnconstructedAsyncValueRef() {
  return AsyncValueRef<T>(TakeRef<AsyncValue>(new internal::ConcreteAsyncValue<T>()));
}
template <typename T, typename... Arguments>
AsyncValueRef<T> MakeAvailableAsyncValueRef(Arguments&&... arguments) {
  AsyncValueRef<T> value = MakeConstructedAsyncValueRef<T>(std::forward<Arguments>(arguments)...);
  value.SetStateConcrete();
  return value;
}
// An error, to stand for a value of any type.
class ErrorAsyncValueRef {
 public:
  explicit ErrorAsyncValueRef(absl::Status error) : error_(std::move(error)) {}
  template <typename T>
  operator AsyncValueRef<T>() const {  // NOLINT: implicit as in OpenXLA.
    AsyncValueRef<T> value = MakeUnconstructedAsyncValueRef<T>();
    value.SetError(error_);
    return value;
  }

 private:
  absl::Status error_;
};
inline ErrorAsyncValueRef MakeErrorAsyncValueRef(absl::Status error) {
  return ErrorAsyncValueRef(std::move(error));
}

template <typename T>
void BlockUntilReady(const AsyncValueRef<T>& value) {
  BlockUntilReady(value.GetAsyncValue());
}
template <typename T>
void RunWhenReady(absl::Span<const AsyncValueRef<T>> values, AsyncValue::Waiter task) {
  absl::InlinedVector<AsyncValue*, 8> plain;
  for (const AsyncValueRef<T>& value : values) plain.push_back(value.GetAsyncValue());
  RunWhenReady(absl::Span<AsyncValue* const>(plain), std::move(task));
}

}  // namespace tsl

#endif  // XLA_TSL_CONCURRENCY_ASYNC_VALUE_REF_H_
