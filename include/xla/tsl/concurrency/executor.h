// Where tasks run.
#ifndef XLA_TSL_CONCURRENCY_EXECUTOR_H_
#define XLA_TSL_CONCURRENCY_EXECUTOR_H_

#include <utility>

#include "absl/functional/any_invocable.h"

namespace tsl {

class Executor {
 public:
  using Task = absl::AnyInvocable<void() &&>;
  virtual ~Executor() = default;
  // Runs the task now or later, on this thread or another one.
  virtual void Execute(Task task) = 0;
};

// Runs tasks at once on the thread that brings them.
class InlineExecutor final : public Executor {
 public:
  static InlineExecutor& Instance() {
    static InlineExecutor executor;
    return executor;
  }
  void Execute(Task task) override { std::move(task)(); }
};

}  // namespace tsl

#endif  // XLA_TSL_CONCURRENCY_EXECUTOR_H_
