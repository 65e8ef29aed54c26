// Where values wait for whoever takes them: between the host and devices, and between programs that
// run at the same time.
#ifndef HILO_RUNTIME_MAILBOXES_H_
#define HILO_RUNTIME_MAILBOXES_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/literal.h"

namespace xla::runtime {

// The address of values of one sort. They are taken in the order in which they were put.
struct Mailbox {
  enum Kind {
    kInfeed,         // to a device
    kOutfeed,        // from a device
    kFromHost,       // to a device over a channel
    kToHost,         // from a device over a channel
    kBetweenDevices  // over a channel
  };
  Kind kind;
  int64_t device;  // the device that takes or, for the host, has put; -1 for whichever does
  int64_t channel = 0;
  int64_t peer = -1;      // of a transfer between devices: the other one, if it is known
  bool is_ready = false;  // of a transfer between devices: not the data, but that it is waited for

  // "the infeed of device 0", "channel 3".
  std::string ToString() const;
  friend bool operator<(const Mailbox& a, const Mailbox& b) {
    const auto key = [](const Mailbox& box) {
      return std::tie(box.kind, box.device, box.channel, box.peer, box.is_ready);
    };
    return key(a) < key(b);
  }
};

// For any number of threads.
class Mailboxes {
 public:
  static constexpr absl::Duration kDefaultTimeout = absl::Minutes(1);
  // How long Take waits.
  explicit Mailboxes(absl::Duration timeout = kDefaultTimeout) : timeout_(timeout) {}
  void set_timeout(absl::Duration timeout);
  absl::Duration timeout() const;

  // Never waits.
  void Put(const Mailbox& box, Literal value);
  // From now on the mailbox gives these values, at least one, again and again whenever no other is
  // in it.
  void PutForever(const Mailbox& box, std::vector<Literal> values);

  // The first value, which is waited for. DeadlineExceeded when it does not come in time, Cancelled
  // after Reset, Aborted when `stop` becomes true, which Wake makes known.
  absl::StatusOr<Literal> Take(const Mailbox& box, const std::atomic<bool>* stop = nullptr);
  void Wake();

  // Drops all values and ends all waiting.
  void Reset();

  // True when no value waits that is taken once.
  bool empty() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Mailbox, std::deque<Literal>> boxes_;  // none is empty
  struct Cycle {
    std::vector<Literal> values;
    size_t next = 0;
  };
  std::map<Mailbox, Cycle> forever_;
  absl::Duration timeout_;
  int64_t resets_ = 0;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_MAILBOXES_H_
