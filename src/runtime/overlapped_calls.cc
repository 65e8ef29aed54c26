#include "runtime/overlapped_calls.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "absl/time/clock.h"
#include "base/float_environment.h"
#include "xla/util.h"

namespace xla::runtime {

OverlappedCalls::~OverlappedCalls() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.clear();
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void OverlappedCalls::Run(Job& job) {
  const absl::Time begin = absl::Now();
  try {
    job.status = job.call();
  } catch (const std::bad_alloc&) {
    job.status = ResourceExhausted("there is no memory left for a library kernel");
  }
  job.time = absl::Now() - begin;
}

void OverlappedCalls::Begin(int64_t number, Call call) {
  std::unique_lock<std::mutex> lock(mutex_);
  Job& job = jobs_[number];
  job.call = std::move(call);
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this, float_environment = FloatEnvironment::OfThread()] {
        float_environment.SetForThread();
        Work();
      });
    } catch (const std::system_error&) {
      Run(job);
      job.is_done = true;
      return;
    }
  }
  waiting_.push_back(&job);
  lock.unlock();
  changed_.notify_all();
}

void OverlappedCalls::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Job& job = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    Run(job);
    lock.lock();
    job.is_done = true;
    changed_.notify_all();
  }
}

absl::Status OverlappedCalls::Await(int64_t number, absl::Duration* overlap) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto found = jobs_.find(number);
  if (found == jobs_.end()) return absl::OkStatus();
  Job& job = found->second;
  const absl::Time begin = absl::Now();
  changed_.wait(lock, [&] { return job.is_done; });
  *overlap += std::max(absl::ZeroDuration(), job.time - (absl::Now() - begin));
  absl::Status status = std::move(job.status);
  jobs_.erase(found);
  return status;
}

}  // namespace xla::runtime
