// What goes on in a client: work that runs, and work that waits until it may.
#ifndef HILO_API_PJRT_CPU_RUNTIME_H_
#define HILO_API_PJRT_CPU_RUNTIME_H_

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/pjrt/device_array.h"
#include "runtime/mailboxes.h"
#include "runtime/work_queue.h"

namespace xla {

// Functions that begin when others are done hold it, so that it may outlive the client.
class CpuRuntime : public std::enable_shared_from_this<CpuRuntime> {
 public:
  explicit CpuRuntime(int threads) : queue_(threads) {}

  // The work gets OK, or Cancelled when the client goes away before it has begun, and then must
  // only say so to who waits for it. Whether events carry errors is its own business.
  using Work = absl::AnyInvocable<void(absl::Status) &&>;

  // Does the work when the events are there: on this thread if they are and it takes little time,
  // otherwise on one of the client's.
  enum class Effort { kLittle, kMuch, kMayWait };
  void RunAfter(absl::Span<const Event> events, Effort effort, Work work);
  // Whether RunAfter would do the work before it returns.
  static bool IsDoneAtOnce(absl::Span<const Event> events, Effort effort);

  // Ends all waiting and cancels what has not begun; returns when nothing runs any more.
  void Close();

  // Becomes true when the client goes away, as stop() does.
  void AddStop(std::shared_ptr<std::atomic<bool>> stop);

  runtime::Mailboxes& mailboxes() { return mailboxes_; }
  // What happens to what the client does not bring to an end.
  static absl::Status Cancelled();

  // True when the client goes away.
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  struct Waiting;
  void Begin(Effort effort, Work work);

  runtime::WorkQueue queue_;
  runtime::Mailboxes mailboxes_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::list<std::shared_ptr<Waiting>> waiting_;
  std::list<std::weak_ptr<std::atomic<bool>>> stops_;
};

// The first error among events that are there.
absl::Status FirstError(absl::Span<const Event> events);

}  // namespace xla

#endif  // HILO_API_PJRT_CPU_RUNTIME_H_
