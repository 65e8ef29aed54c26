// Where the time of a run goes. The code of a program that is compiled to be profiled makes a stamp
// at the end of each of its regions: what has passed since the stamp before is the region's.
#ifndef HILO_RUNTIME_PROFILE_H_
#define HILO_RUNTIME_PROFILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/parallel.h"

namespace xla::runtime {

// The entry of xla_backend_extra_options by which a program is compiled to be profiled: "regions"
// for those that take much longer than a stamp, "regions:N" for those that take N times as long as
// these, "steps" for one of each step of its plan.
inline constexpr char kProfileOption[] = "hilo_profile";

// What is moved and computed.
struct Work {
  double bytes = 0;      // read and written in memory
  double flops = 0;      // operations on numbers; a function counts as additions that take as long
  double additions = 0;  // of f32, or multiply-adds, that take as long as all of them

  Work& operator+=(const Work& other);
};
Work operator*(double times, const Work& work);

// A part of a program that is timed by itself.
struct Region {
  std::string name;                       // of its longest step, such as "fusion.3"
  std::string kind;                       // "launch", "call", "compute", "copy", "while", ...
  std::string text;                       // what that step computes, such as "multiply, add (3)"
  std::vector<std::string> instructions;  // of all its steps, and what is fused in them
  std::vector<std::string> sources;       // "FILE:LINE" that they come from
  int64_t parent = -1;      // the number of the loop or conditional that it is part of
  Work per_call, per_trip;  // without that of regions inside of it
};

// A clock that is read in a few nanoseconds and runs evenly.
uint64_t Ticks();

// Counts of one run, for the thread that runs the program.
class Recording : public PartObserver {
 public:
  struct Count {
    int64_t calls = 0;
    int64_t trips = 0;   // of loops
    uint64_t ticks = 0;  // without those of regions inside
  };
  // What ended when; it began at the end of the event before.
  struct Event {
    int64_t region;
    uint64_t end;
  };
  // What a thread did for a launch or a library kernel.
  struct Part {
    int64_t thread;  // 0 for the one that runs the program
    uint64_t begin, end;
  };

  // Keeps the last `most_events` events and the first as many parts.
  explicit Recording(size_t regions, size_t most_events = 0);

  void Begin();  // forgets all
  void Stamp(int64_t region, int64_t trips) {
    const uint64_t now = Ticks();
    Count& count = counts_[region];
    ++count.calls;
    count.trips += trips;
    count.ticks += now - last_;
    last_ = now;
    if (!events_.empty()) events_[next_event_++ % events_.size()] = {region, now};
  }
  void PartDone(uint64_t begin, uint64_t end) override;

  absl::Span<const Count> counts() const { return counts_; }
  bool wants_events() const { return !events_.empty(); }
  // In order. `begin` is that of the first one.
  std::vector<Event> Events(uint64_t* begin) const;
  std::vector<Part> Parts() const;

 private:
  std::vector<Count> counts_;
  int64_t thread_ = 0;  // that runs the program
  uint64_t begin_ = 0, last_ = 0;
  std::vector<Event> events_;  // a ring
  size_t next_event_ = 0;
  std::vector<Part> parts_;
  std::atomic<size_t> next_part_ = 0;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_PROFILE_H_
