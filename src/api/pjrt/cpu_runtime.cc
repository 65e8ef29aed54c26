#include "api/pjrt/cpu_runtime.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"

namespace xla {
// Whoever takes the work does it.
struct CpuRuntime::Waiting {
  std::mutex mutex;
  Work work;
  std::list<std::shared_ptr<Waiting>>::iterator place;

  Work Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(work, nullptr);
  }
};

absl::Status CpuRuntime::Cancelled() {
  return absl::CancelledError("the client has gone before this was done");
}

void CpuRuntime::Begin(Effort effort, Work work) {
  if (effort != Effort::kMayWait) {
    queue_.Push([work = std::move(work)]() mutable { std::move(work)(absl::OkStatus()); });
    return;
  }
  // The work stays here if there is no thread for it.
  const auto shared = std::make_shared<Work>(std::move(work));
  const absl::Status status =
      queue_.PushWaiting([shared] { std::move (*shared)(absl::OkStatus()); });
  if (!status.ok()) std::move (*shared)(status);
}

namespace {

bool AreAvailable(absl::Span<const Event> events) {
  return absl::c_all_of(events, [](const Event& event) { return event.IsAvailable(); });
}

}  // namespace

bool CpuRuntime::IsDoneAtOnce(absl::Span<const Event> events, Effort effort) {
  return effort == Effort::kLittle && AreAvailable(events);
}

void CpuRuntime::RunAfter(absl::Span<const Event> events, Effort effort, Work work) {
  if (AreAvailable(events)) {
    if (effort == Effort::kLittle) return std::move(work)(absl::OkStatus());
    return Begin(effort, std::move(work));
  }
  const auto waiting = std::make_shared<Waiting>();
  waiting->work = std::move(work);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!stop_) waiting->place = waiting_.insert(waiting_.end(), waiting);
  }
  if (stop_) {
    if (Work taken = waiting->Take()) std::move(taken)(Cancelled());
    return;
  }
  tsl::RunWhenReady<tsl::Chain>(events, [self = shared_from_this(), waiting, effort] {
    Work work = waiting->Take();
    if (!work) return;
    {
      const std::lock_guard<std::mutex> lock(self->mutex_);
      self->waiting_.erase(waiting->place);
    }
    self->Begin(effort, std::move(work));
  });
}

void CpuRuntime::AddStop(std::shared_ptr<std::atomic<bool>> stop) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stop_) *stop = true;
  stops_.remove_if([](const std::weak_ptr<std::atomic<bool>>& other) { return other.expired(); });
  stops_.push_back(std::move(stop));
}

void CpuRuntime::Close() {
  std::list<std::shared_ptr<Waiting>> cancelled;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    cancelled = waiting_;
    for (const std::weak_ptr<std::atomic<bool>>& weak : stops_) {
      if (const std::shared_ptr<std::atomic<bool>> stop = weak.lock()) *stop = true;
    }
  }
  mailboxes_.Reset();
  for (const std::shared_ptr<Waiting>& waiting : cancelled) {
    if (Work work = waiting->Take()) std::move(work)(Cancelled());
  }
  queue_.Close();
}

absl::Status FirstError(absl::Span<const Event> events) {
  for (const Event& event : events) {
    if (event.IsError()) return event.GetError();
  }
  return absl::OkStatus();
}

}  // namespace xla
