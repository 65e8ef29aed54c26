// Devices that run one program at the same time, a thread each, and the place where they meet.
// Those of other processes: collectives/process_rendezvous.h.
#ifndef HILO_RUNTIME_RENDEZVOUS_H_
#define HILO_RUNTIME_RENDEZVOUS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/mailboxes.h"
#include "xla/literal.h"

namespace xla::runtime {

class Rendezvous;

// Which of the devices a run is. Ids count all partitions of replica 0 first.
struct Device {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t id = 0;
  Rendezvous* rendezvous = nullptr;  // null when there is only one device
  int64_t host_number = -1;          // by which the host knows it; -1 for the id

  int64_t replica() const { return id / partitions; }
  int64_t partition() const { return id % partitions; }
  int64_t number() const { return host_number >= 0 ? host_number : id; }
};

// The instruction by which a device takes part in an exchange. Its strings live as long as the
// program.
struct Exchange {
  absl::string_view opcode;
  absl::string_view name;
  std::optional<int64_t> channel;
  const void* instruction = nullptr;  // the same on all devices

  // "all-reduce sum".
  std::string ToString() const;
};

// The operands of a collective on each of its participants. They belong to nobody else, so that any
// thread may read them.
using Contribution = std::vector<Literal>;
using Contributions = std::shared_ptr<const std::vector<Contribution>>;

// Where the devices of one run exchange operands. For any number of threads.
class Rendezvous {
 public:
  explicit Rendezvous(int64_t devices) : Rendezvous(devices, devices) {}
  virtual ~Rendezvous() = default;

  // Waits until all `participants`, of which `device` is one, have come for the same instruction or
  // for one of the same operation and channel. Gives what each has brought, in the order of
  // `participants`. FailedPrecondition when one of them can no longer come, Aborted when a device
  // has failed.
  virtual absl::StatusOr<Contributions> Meet(int64_t device, const Exchange& exchange,
                                             const std::vector<int64_t>& participants,
                                             Contribution own);

  // The two sides of a transfer from one device to another. Put never waits. Take waits for the
  // first value; its errors are those of Meet. InvalidArgument when a box that does not say which
  // device takes from it is used by several.
  virtual absl::Status Put(int64_t device, const Exchange& exchange, const Mailbox& box,
                           Literal value);
  virtual absl::StatusOr<Literal> Take(int64_t device, const Exchange& exchange,
                                       const Mailbox& box);

  // To be called once for each device, when its run ends.
  virtual void Leave(int64_t device, const absl::Status& status);

 protected:
  // Of the devices so many run in this process.
  Rendezvous(int64_t devices, int64_t running);

 private:
  using Key = std::tuple<absl::string_view, const void*, int64_t, std::vector<int64_t>>;
  struct Meeting {
    std::vector<Contribution> contributions;  // empty for who has not come
    size_t arrived = 0;
    bool complete = false;
  };

  struct Box {
    std::deque<Literal> values;
    std::optional<int64_t> sender, receiver;  // who has used it
    bool is_waited_for = false;
  };

  absl::Status NeverArrives(int64_t device, const Exchange& exchange,
                            const std::vector<int64_t>& participants) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::shared_ptr<Meeting>> meetings_;  // that are not complete
  std::map<Mailbox, Box> boxes_;
  std::vector<std::optional<Exchange>> waiting_;  // where each device waits
  int64_t running_;                               // devices that neither wait nor have left
  bool failed_ = false;
};

// What a meeting gives whose only participant brings this.
Contributions Alone(Contribution own);

// Rendezvous::Meet for a device that may be alone.
absl::StatusOr<Contributions> Meet(const Device& device, const Exchange& exchange,
                                   const std::vector<int64_t>& participants, Contribution own);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_RENDEZVOUS_H_
