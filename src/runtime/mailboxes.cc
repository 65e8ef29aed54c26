#include "runtime/mailboxes.h"

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace xla::runtime {
namespace {

absl::Status TooLate(const Mailbox& box, absl::Duration timeout) {
  const std::string waited =
      timeout > absl::ZeroDuration() ? absl::StrCat(" within ", absl::FormatDuration(timeout)) : "";
  return absl::DeadlineExceededError(absl::StrCat(
      box.is_ready ? "nobody receives from " : "there is no value in ", box.ToString(), waited));
}

}  // namespace

std::string Mailbox::ToString() const {
  switch (kind) {
    case kInfeed:
      return absl::StrCat("the infeed of device ", device);
    case kOutfeed:
      return absl::StrCat("the outfeed of device ", device);
    case kFromHost:
      return absl::StrCat("channel ", channel, " from the host to device ", device);
    case kToHost:
      return absl::StrCat("channel ", channel, " from device ", device, " to the host");
    case kBetweenDevices:
      break;
  }
  return absl::StrCat("channel ", channel);
}

absl::Duration Mailboxes::timeout() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return timeout_;
}

void Mailboxes::set_timeout(absl::Duration timeout) {
  const std::lock_guard<std::mutex> lock(mutex_);
  timeout_ = timeout;
}

void Mailboxes::Put(const Mailbox& box, Literal value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  boxes_[box].push_back(std::move(value));
  changed_.notify_all();
}

void Mailboxes::PutForever(const Mailbox& box, std::vector<Literal> values) {
  const std::lock_guard<std::mutex> lock(mutex_);
  forever_.insert_or_assign(box, Cycle{std::move(values)});
  changed_.notify_all();
}

absl::StatusOr<Literal> Mailboxes::Take(const Mailbox& box, const std::atomic<bool>* stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t resets = resets_;
  const absl::Duration timeout = timeout_;
  auto found = boxes_.end();
  const auto is_over = [&] {
    found = boxes_.find(box);
    return found != boxes_.end() || forever_.contains(box) || resets_ != resets ||
           (stop != nullptr && *stop);
  };
  // An infinite time, and the clock must not overflow.
  if (timeout >= absl::Hours(24 * 365)) {
    changed_.wait(lock, is_over);
  } else {
    changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout), is_over);
  }
  if (found != boxes_.end()) {
    Literal value = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) boxes_.erase(found);
    return value;
  }
  if (const auto forever = forever_.find(box); forever != forever_.end()) {
    Cycle& cycle = forever->second;
    return cycle.values[cycle.next++ % cycle.values.size()].Clone();
  }
  if (resets_ != resets)
    return absl::CancelledError(absl::StrCat("waiting for ", box.ToString(), " was cancelled"));
  if (stop != nullptr && *stop)
    return absl::AbortedError(absl::StrCat("waiting for ", box.ToString(), " has ended"));
  return TooLate(box, timeout);
}

void Mailboxes::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_all();
}

void Mailboxes::Reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  boxes_.clear();
  forever_.clear();
  ++resets_;
  changed_.notify_all();
}

bool Mailboxes::empty() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return boxes_.empty();
}

}  // namespace xla::runtime
