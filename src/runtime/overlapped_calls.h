// Library calls that go on beside the program which has made them.
#ifndef HILO_RUNTIME_OVERLAPPED_CALLS_H_
#define HILO_RUNTIME_OVERLAPPED_CALLS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace xla::runtime {

// The calls of one run, which its thread begins and awaits. They run one after the other, on a
// thread that the first of them starts.
class OverlappedCalls {
 public:
  using Call = std::function<absl::Status()>;
  OverlappedCalls() = default;
  // Waits for those that run.
  ~OverlappedCalls();

  // Where no thread can be started the call runs now.
  void Begin(int64_t number, Call call);
  // The status of the call that was begun with this number; OK where none was. Adds to `overlap`
  // for how long it has run before.
  absl::Status Await(int64_t number, absl::Duration* overlap);

 private:
  struct Job {
    Call call;
    absl::Status status;
    absl::Duration time;
    bool is_done = false;
  };
  void Work();
  static void Run(Job& job);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, Job> jobs_;
  std::list<Job*> waiting_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_OVERLAPPED_CALLS_H_
