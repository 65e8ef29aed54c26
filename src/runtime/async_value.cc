#include "xla/tsl/concurrency/async_value.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/log/check.h"

namespace tsl {

struct AsyncValue::Node {
  Waiter waiter;
  Node* next;
};

AsyncValue::Node* AsyncValue::Done() {
  static Node done = {{}, nullptr};
  return &done;
}

AsyncValue::~AsyncValue() {
  // Nobody will ever call those who still wait.
  Node* node = waiters_.load(std::memory_order_acquire);
  if (node == Done()) return;
  while (node != nullptr) delete std::exchange(node, node->next);
}

void AsyncValue::AndThen(Waiter waiter) {
  Node* last = waiters_.load(std::memory_order_acquire);
  if (last == Done()) return std::move(waiter)();
  auto node = std::make_unique<Node>(Node{std::move(waiter), nullptr});
  do {
    if (last == Done()) return std::move(node->waiter)();
    node->next = last;
  } while (!waiters_.compare_exchange_weak(last, node.get(), std::memory_order_acq_rel,
                                           std::memory_order_acquire));
  node.release();
}

void AsyncValue::AndThen(Executor& executor, Waiter waiter) {
  AndThen(
      [&executor, waiter = std::move(waiter)]() mutable { executor.Execute(std::move(waiter)); });
}

void AsyncValue::SetError(absl::Status error) {
  CHECK(!error.ok()) << "OK is no error";
  CHECK(IsUnavailable()) << "a value becomes available once";
  error_ = std::move(error);
  BecomeAvailable();
}

void AsyncValue::BecomeAvailable() {
  Node* node = waiters_.exchange(Done(), std::memory_order_acq_rel);
  CHECK(node != Done()) << "a value becomes available once";
  Node* first = nullptr;
  while (node != nullptr) {
    Node* const next = std::exchange(node->next, first);
    first = std::exchange(node, next);
  }
  while (first != nullptr) {
    const std::unique_ptr<Node> current(std::exchange(first, first->next));
    std::move(current->waiter)();
  }
}

void BlockUntilReady(AsyncValue* value) {
  if (value->IsAvailable()) return;
  struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool is_open = false;
  };
  // Shared: the thread that opens it may still be there when this one has gone on.
  const auto gate = std::make_shared<Gate>();
  value->AndThen([gate] {
    const std::lock_guard<std::mutex> lock(gate->mutex);
    gate->is_open = true;
    gate->opened.notify_all();
  });
  std::unique_lock<std::mutex> lock(gate->mutex);
  gate->opened.wait(lock, [&] { return gate->is_open; });
}

namespace {

template <typename Values>
void RunWhenAllReady(const Values& values, AsyncValue::Waiter task) {
  struct Join {
    std::atomic<size_t> missing;
    AsyncValue::Waiter task;
  };
  size_t pending = 0;
  for (const auto& value : values) pending += value->IsUnavailable();
  if (pending == 0) return std::move(task)();
  // One more than there are values, so that the task does not run before all are known.
  const auto join = std::make_shared<Join>();
  join->missing = values.size() + 1;
  join->task = std::move(task);
  const auto arrive = [join] {
    if (join->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) std::move(join->task)();
  };
  for (const auto& value : values) value->AndThen(arrive);
  arrive();
}

}  // namespace

void RunWhenReady(absl::Span<AsyncValue* const> values, AsyncValue::Waiter task) {
  RunWhenAllReady(values, std::move(task));
}

void RunWhenReady(absl::Span<const RCReference<AsyncValue>> values, AsyncValue::Waiter task) {
  RunWhenAllReady(values, std::move(task));
}

}  // namespace tsl
