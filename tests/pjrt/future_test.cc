// Futures, and values that others still make.
#include "xla/future.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/pjrt/pjrt_future.h"
#include "xla/tsl/concurrency/async_value_ref.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(FutureTest, ValuesAndErrors) {
  EXPECT_FALSE(Future<int>());
  EXPECT_EQ(*Future<int>(3).Await(), 3);
  EXPECT_TRUE(Future<>(absl::OkStatus()).Await().ok());
  EXPECT_TRUE(absl::IsNotFound(Future<int>(absl::NotFoundError("")).Await().status()));
  auto [promise, future] = MakePromise<std::unique_ptr<int>>();
  EXPECT_FALSE(future.IsReady());
  promise.Set(std::make_unique<int>(5));
  EXPECT_FALSE(promise);
  EXPECT_EQ(**std::move(future).Await(), 5);
}

TEST(FutureTest, APromiseThatIsDropped) {
  Future<> future;
  {
    auto [promise, own] = MakePromise<>();
    future = own;
  }
  EXPECT_TRUE(absl::IsCancelled(future.Await()));
}

TEST(FutureTest, Functions) {
  auto [promise, future] = MakePromise<int>();
  std::vector<int> order;
  future.OnReady([&](const absl::StatusOr<int>& value) { order.push_back(*value); });
  const Future<int> next = future.Map([](int value) { return value + 1; });
  const Future<> done = next.Map([&](int value) { order.push_back(value); });
  const Future<int> failed =
      next.Map([](int) -> absl::StatusOr<int> { return absl::InternalError("no"); });
  const Future<int> not_called = failed.Map([&](int value) {
    order.push_back(-1);
    return value;
  });
  const Future<bool> knows =
      failed.Map([](const absl::StatusOr<int>& value) { return value.ok(); });
  promise.Set(1);
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_TRUE(done.Await().ok());
  EXPECT_TRUE(absl::IsInternal(not_called.Await().status()));
  EXPECT_FALSE(*knows.Await());
  EXPECT_EQ(*Future<Future<int>>(next).Flatten().Await(), 2);
  EXPECT_EQ(*done.MapTo(7).Await(), 7);
}

TEST(FutureTest, Joins) {
  auto [first, a] = MakePromise<>();
  auto [second, b] = MakePromise<>();
  const Future<> both = JoinFutures({a, b});
  second.Set(absl::InternalError("b"));
  EXPECT_FALSE(both.IsReady());
  first.Set();
  EXPECT_TRUE(absl::IsInternal(both.Await()));
  EXPECT_TRUE(JoinFutures({}).Await().ok());
  const Future<int> one(1), two(2);
  EXPECT_THAT(*JoinFutures<int>({one, two}).Await(), ElementsAre(1, 2));
}

TEST(FutureTest, OlderNames) {
  auto promise = PjRtFuture<>::CreatePromise();
  const PjRtFuture<> future(promise);
  promise.Set();
  EXPECT_TRUE(future.Await().ok());
}

TEST(FutureTest, ThreadsWait) {
  for (int round = 0; round < 200; ++round) {
    auto [promise, future] = MakePromise<int>();
    std::atomic<int> sum = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, future = future] {
        future.OnReady([&](const absl::StatusOr<int>& value) { sum += *value; });
        sum += *future.Await();
      });
    }
    promise.Set(1);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(sum, 8);
  }
}

TEST(AsyncValueTest, StatesAndWaiters) {
  auto value = tsl::MakeConstructedAsyncValueRef<int>(3);
  auto other = tsl::MakeUnconstructedAsyncValueRef<int>();
  int calls = 0;
  value.AndThen([&] { ++calls; });
  value.AndThen([&](absl::Status status) { calls += status.ok(); });
  tsl::RunWhenReady<int>({value, other}, [&] { calls += 10; });
  EXPECT_TRUE(value.IsUnavailable());
  value.SetStateConcrete();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(value.IsConcrete());
  EXPECT_EQ(*value, 3);
  other.SetError(absl::InternalError("no"));
  EXPECT_EQ(calls, 12);
  EXPECT_TRUE(other.IsError());
  const tsl::AsyncValueRef<float> error = tsl::MakeErrorAsyncValueRef(absl::NotFoundError(""));
  EXPECT_TRUE(absl::IsNotFound(error.GetError()));
  tsl::BlockUntilReady(error);
}

}  // namespace
}  // namespace xla
