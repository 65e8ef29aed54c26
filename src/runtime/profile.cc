#include "runtime/profile.h"

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace xla::runtime {
namespace {

// From 1 on, in the order in which threads ask.
int64_t ThreadNumber() {
  static std::atomic<int64_t> threads = 0;
  thread_local const int64_t number = ++threads;
  return number;
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  bytes += other.bytes;
  flops += other.flops;
  additions += other.additions;
  return *this;
}

Work operator*(double times, const Work& work) {
  return {times * work.bytes, times * work.flops, times * work.additions};
}

uint64_t Ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

Recording::Recording(size_t regions, size_t most_events)
    : counts_(regions), events_(most_events), parts_(most_events) {}

void Recording::Begin() {
  std::fill(counts_.begin(), counts_.end(), Count());
  next_event_ = 0;
  next_part_ = 0;
  thread_ = ThreadNumber();
  begin_ = last_ = Ticks();
}

void Recording::PartDone(uint64_t begin, uint64_t end) {
  const int64_t thread = ThreadNumber() == thread_ ? 0 : ThreadNumber();
  const size_t place = next_part_.fetch_add(1, std::memory_order_relaxed);
  if (place < parts_.size()) parts_[place] = {thread, begin, end};
}

std::vector<Recording::Event> Recording::Events(uint64_t* begin) const {
  std::vector<Event> events;
  const size_t kept = std::min(next_event_, events_.size());
  for (size_t i = next_event_ - kept; i < next_event_; ++i)
    events.push_back(events_[i % events_.size()]);
  *begin = begin_;
  // What the first one of a ring that is full began with is lost: it is left out.
  if (kept < next_event_) {
    *begin = events[0].end;
    events.erase(events.begin());
  }
  return events;
}

std::vector<Recording::Part> Recording::Parts() const {
  return {parts_.begin(),
          parts_.begin() + static_cast<int64_t>(std::min(parts_.size(), next_part_.load()))};
}

}  // namespace xla::runtime
