// A result that will be there: Future<T> carries an absl::StatusOr<T>, Future<> an absl::Status.
#ifndef XLA_TSL_CONCURRENCY_FUTURE_H_
#define XLA_TSL_CONCURRENCY_FUTURE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/tsl/concurrency/async_value.h"
#include "xla/tsl/concurrency/async_value_ref.h"
#include "xla/tsl/concurrency/executor.h"

namespace tsl {

template <class T = void>
class Future;
template <class T = void>
class Promise;

// What is called around the time during which a thread blocks in Await.
struct FutureBlockHooks {
  std::function<void()> on_block_start, on_block_end;
};

namespace internal {

template <typename T>
struct FutureValue {
  using type = absl::StatusOr<T>;
};
template <>
struct FutureValue<void> {
  using type = absl::Status;
};

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

// The future of what a function gives.
template <typename R>
struct FutureOf {
  using type = R;
};
template <>
struct FutureOf<absl::Status> {
  using type = void;
};
template <typename T>
struct FutureOf<absl::StatusOr<T>> {
  using type = T;
};

template <typename T>
struct IsFuture : std::false_type {};
template <typename T>
struct IsFuture<Future<T>> : std::true_type {};

}  // namespace internal

// Shared by all its copies. A default one is of nothing, and may only be assigned to. Functions
// given to it run at once when the result is there, otherwise on the thread that brings it, or
// through the executor.
template <class T>
class Future {
 public:
  using Value = typename internal::FutureValue<T>::type;
  using Promise = ::tsl::Promise<T>;

  Future() = default;
  // A result that is there.
  Future(Value value)  // NOLINT: implicit as in OpenXLA.
      : state_(MakeAvailableAsyncValueRef<Value>(std::move(value))) {}
  template <typename U, std::enable_if_t<!std::is_void_v<T> && std::is_convertible_v<U&&, Value> &&
                                             !std::is_same_v<std::decay_t<U>, Value> &&
                                             !std::is_same_v<std::decay_t<U>, Future> &&
                                             !std::is_same_v<std::decay_t<U>, Promise>,
                                         int> = 0>
  Future(U&& value) : Future(Value(std::forward<U>(value))) {}  // NOLINT
  explicit Future(const Promise& promise) : Future(promise.future()) {}

  static Promise CreatePromise() {
    return Promise(Future(MakeUnconstructedAsyncValueRef<Value>()));
  }

  explicit operator bool() const { return static_cast<bool>(state_); }
  bool IsValid() const { return static_cast<bool>(state_); }
  bool IsReady() const { return state_.IsAvailable(); }
  bool IsKnownReady() const { return IsReady(); }

  // Blocks the thread until the result is there.
  const Value& Await() const& {
    Block();
    return state_.get();
  }
  Value Await() && {
    Block();
    if constexpr (std::is_copy_constructible_v<Value>) {
      return state_.get();
    } else {
      return std::move(state_.get());
    }
  }
  // The same, with a function of the caller's that blocks.
  void BlockUntilReady(absl::AnyInvocable<void(AsyncValue*)> block) const {
    if (!IsReady()) block(state_.GetAsyncValue());
  }

  // f(result).
  template <typename F>
  void OnReady(F&& f) const {
    state_.AndThen(Bound(std::forward<F>(f)));
  }
  template <typename F>
  void OnReady(Executor& executor, F&& f) const {
    state_.AndThen(executor, Bound(std::forward<F>(f)));
  }

  // The future of f(value), or f() for Future<>: f is not called for an error, which is then the
  // result. f may also take the absl::StatusOr<T> or absl::Status, errors included. It gives a
  // value, an absl::Status or absl::StatusOr, or nothing.
  template <typename F>
  auto Map(F&& f) const {
    return MapTo<ResultOf<F>>(nullptr, std::forward<F>(f));
  }
  template <typename F>
  auto Map(Executor& executor, F&& f) const {
    return MapTo<ResultOf<F>>(&executor, std::forward<F>(f));
  }
  template <typename R, typename F>
  Future<R> Map(F&& f) const {
    return MapTo<R>(nullptr, std::forward<F>(f));
  }
  template <typename R, typename F>
  Future<R> Map(Executor& executor, F&& f) const {
    return MapTo<R>(&executor, std::forward<F>(f));
  }
  // The future of the value, once this one is there without an error.
  template <typename R>
  Future<std::decay_t<R>> MapTo(R&& value) const {
    using Kept = std::decay_t<R>;
    auto [promise, future] = Pair<Kept>();
    OnReady([promise = std::move(promise),
             value = Kept(std::forward<R>(value))](const Value& result) mutable {
      const absl::Status& status = internal::StatusOf(result);
      if (status.ok()) {
        promise.Set(std::move(value));
      } else {
        promise.Set(status);
      }
    });
    return std::move(future);
  }

  // Whether it succeeds, without the value.
  Future<> GetReadyFuture() const;
  // Of a future of a future: the inner one's result.
  auto Flatten() const {
    static_assert(internal::IsFuture<T>::value, "only a future of a future can be flattened");
    auto [promise, future] = Pair<typename T::ResultType>();
    OnReady([promise = std::move(promise)](const Value& outer) mutable {
      if (!outer.ok()) return promise.Set(outer.status());
      outer->OnReady(
          [promise = std::move(promise)](const auto& inner) mutable { promise.Set(inner); });
    });
    return std::move(future);
  }
  // One whose functions run through the executor.
  Future Detach(Executor& executor) const {
    auto [promise, future] = Pair<T>();
    OnReady(executor,
            [promise = std::move(promise)](const Value& value) mutable { promise.Set(value); });
    return std::move(future);
  }

  using ResultType = T;

  // For who implements futures.
  explicit Future(AsyncValueRef<Value> state,
                  std::shared_ptr<const FutureBlockHooks> hooks = nullptr)
      : state_(std::move(state)), hooks_(std::move(hooks)) {}
  const AsyncValueRef<Value>& state() const { return state_; }

 private:
  template <typename F>
  static auto Call(F& f, const Value& value) {
    if constexpr (std::is_invocable_v<F&, const Value&>) {
      return f(value);
    } else if constexpr (std::is_void_v<T>) {
      return f();
    } else {
      return f(*value);
    }
  }
  template <typename F>
  static constexpr bool kTakesErrors = std::is_invocable_v<std::decay_t<F>&, const Value&>;
  template <typename F>
  using ResultOf = typename internal::FutureOf<std::decay_t<decltype(Call(
      std::declval<std::decay_t<F>&>(), std::declval<const Value&>()))>>::type;

  template <typename R>
  static std::pair<::tsl::Promise<R>, Future<R>> Pair() {
    ::tsl::Promise<R> promise = Future<R>::CreatePromise();
    Future<R> future = promise.future();
    return {std::move(promise), std::move(future)};
  }

  template <typename R, typename F>
  Future<R> MapTo(Executor* executor, F&& f) const {
    auto [promise, future] = Pair<R>();
    auto run = [promise = std::move(promise),
                f = std::decay_t<F>(std::forward<F>(f))](const Value& value) mutable {
      if (!kTakesErrors<F> && !internal::StatusOf(value).ok())
        return promise.Set(internal::StatusOf(value));
      if constexpr (std::is_void_v<decltype(Call(f, value))>) {
        Call(f, value);
        promise.Set(absl::OkStatus());
      } else {
        promise.Set(Call(f, value));
      }
    };
    if (executor != nullptr) {
      OnReady(*executor, std::move(run));
    } else {
      OnReady(std::move(run));
    }
    return std::move(future);
  }

  template <typename F>
  AsyncValue::Waiter Bound(F&& f) const {
    // The state lives while it calls those who wait for it, but an executor may be late.
    return [state = state_, f = std::decay_t<F>(std::forward<F>(f))]() mutable { f(state.get()); };
  }

  void Block() const {
    if (IsReady()) return;
    if (hooks_ != nullptr && hooks_->on_block_start) hooks_->on_block_start();
    ::tsl::BlockUntilReady(state_);
    if (hooks_ != nullptr && hooks_->on_block_end) hooks_->on_block_end();
  }

  AsyncValueRef<Value> state_;
  std::shared_ptr<const FutureBlockHooks> hooks_;
};

// The other end. A promise that goes away unfulfilled gives Cancelled.
template <class T>
class Promise {
 public:
  using Value = typename internal::FutureValue<T>::type;

  Promise() = default;
  explicit Promise(Future<T> future) : future_(std::move(future)) {}
  Promise(Promise&& other) noexcept : future_(std::exchange(other.future_, Future<T>())) {}
  Promise& operator=(Promise&& other) noexcept {
    Drop();
    future_ = std::exchange(other.future_, Future<T>());
    return *this;
  }
  ~Promise() { Drop(); }

  explicit operator bool() const { return static_cast<bool>(future_); }
  const Future<T>& future() const { return future_; }

  // Once. The promise is empty afterwards.
  template <typename V, std::enable_if_t<std::is_constructible_v<Value, V&&>, int> = 0>
  void Set(V&& value) {
    const Future<T> future = std::exchange(future_, Future<T>());
    future.state().emplace(std::forward<V>(value));
  }
  template <typename U = T, std::enable_if_t<std::is_void_v<U>, int> = 0>
  void Set() {
    Set(absl::OkStatus());
  }

 private:
  void Drop() {
    if (future_ && !future_.IsReady())
      Set(absl::CancelledError("whoever promised a result has gone without giving it"));
  }

  Future<T> future_;
};

template <class T>
Future<> Future<T>::GetReadyFuture() const {
  if constexpr (std::is_void_v<T>) {
    return *this;
  } else {
    auto [promise, future] = Pair<void>();
    OnReady([promise = std::move(promise)](const Value& value) mutable {
      promise.Set(value.status());
    });
    return std::move(future);
  }
}

// A promise and its future.
template <class T = void>
std::pair<Promise<T>, Future<T>> MakePromise(std::function<void()> on_block_start = {},
                                             std::function<void()> on_block_end = {}) {
  std::shared_ptr<FutureBlockHooks> hooks;
  if (on_block_start || on_block_end) {
    hooks = std::make_shared<FutureBlockHooks>(
        FutureBlockHooks{std::move(on_block_start), std::move(on_block_end)});
  }
  Future<T> future(MakeUnconstructedAsyncValueRef<typename Future<T>::Value>(), std::move(hooks));
  return {Promise<T>(future), future};
}

// The future of f(), which runs on the executor.
template <class T = void, typename F>
Future<T> MakeFutureOn(Executor& executor, F&& f) {
  auto [promise, future] = MakePromise<T>();
  executor.Execute(
      [promise = std::move(promise), f = std::decay_t<F>(std::forward<F>(f))]() mutable {
        if constexpr (std::is_void_v<decltype(f())>) {
          f();
          promise.Set(absl::OkStatus());
        } else {
          promise.Set(f());
        }
      });
  return std::move(future);
}

// Ready when all are; the first error in their order.
inline Future<> JoinFutures(absl::Span<const Future<>> futures) {
  if (futures.empty()) return Future<>(absl::OkStatus());
  auto [promise, future] = MakePromise<>();
  std::vector<Future<>> kept(futures.begin(), futures.end());
  std::vector<AsyncValue*> values;
  for (const Future<>& each : kept) values.push_back(each.state().GetAsyncValue());
  RunWhenReady(values, [promise = std::move(promise), kept = std::move(kept)]() mutable {
    for (const Future<>& each : kept) {
      if (!each.Await().ok()) return promise.Set(each.Await());
    }
    promise.Set(absl::OkStatus());
  });
  return std::move(future);
}

// All values, in order.
template <class T>
Future<std::vector<T>> JoinFutures(absl::Span<const Future<T>> futures) {
  if (futures.empty()) return Future<std::vector<T>>(std::vector<T>());
  auto [promise, future] = MakePromise<std::vector<T>>();
  std::vector<Future<T>> kept(futures.begin(), futures.end());
  std::vector<AsyncValue*> pending;
  for (const Future<T>& each : kept) pending.push_back(each.state().GetAsyncValue());
  RunWhenReady(pending, [promise = std::move(promise), kept = std::move(kept)]() mutable {
    std::vector<T> values;
    for (const Future<T>& each : kept) {
      if (!each.Await().ok()) return promise.Set(each.Await().status());
      values.push_back(*each.Await());
    }
    promise.Set(std::move(values));
  });
  return std::move(future);
}

}  // namespace tsl

#endif  // XLA_TSL_CONCURRENCY_FUTURE_H_
