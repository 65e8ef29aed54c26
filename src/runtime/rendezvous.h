// Devices that run one program at the same time, a thread each, and the place where they meet.
// Those of other processes: collectives/process_rendezvous.h.
#ifndef HILO_RUNTIME_RENDEZVOUS_H_
#define HILO_RUNTIME_RENDEZVOUS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
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

// What a device gives the members of its group, and where what it gets from each goes. A piece may
// lie in several places; what arrives lies in as many of the same sizes.
struct Pieces {
  using Sent = absl::InlinedVector<absl::Span<const char>, 1>;
  using Received = absl::InlinedVector<absl::Span<char>, 1>;

  std::vector<Sent> sent;          // to each member, or only one: the same to all
  std::vector<Received> received;  // from each; of what it sends itself a device may want nothing
};

// Where the devices of one run exchange data. For any number of threads.
class Rendezvous {
 public:
  explicit Rendezvous(int64_t devices) : Rendezvous(devices, devices) {}
  virtual ~Rendezvous() = default;

  // An exchange that may still be on its way. Memory of its pieces stays as it is until it has
  // ended or is destroyed.
  class Pending {
   public:
    virtual ~Pending() = default;
    // Waits until what the member has sent is there.
    virtual absl::Status Await(size_t member) { return absl::OkStatus(); }
    // Waits until all is there and everybody has what this device has sent.
    virtual absl::Status Finish() { return absl::OkStatus(); }
  };

  // Begins to exchange pieces among `participants`, of which `device` is one; those of this process
  // wait until all of them have come for the same instruction or for one of the same operation and
  // channel. FailedPrecondition when one of them can no longer come, Aborted when a device has
  // failed, InvalidArgument when what one sends is not as much as another expects.
  virtual absl::StatusOr<std::unique_ptr<Pending>> Begin(int64_t device, const Exchange& exchange,
                                                         const std::vector<int64_t>& participants,
                                                         const Pieces& pieces);
  absl::Status ExchangePieces(int64_t device, const Exchange& exchange,
                              const std::vector<int64_t>& participants, const Pieces& pieces);

  // Whether all of them are of this process, so that each can read what the others have.
  virtual bool ShareMemory(const std::vector<int64_t>& participants) const { return true; }
  // As Begin, for participants that share memory: nothing is copied.
  class Lent;
  absl::StatusOr<std::unique_ptr<Lent>> Lend(int64_t device, const Exchange& exchange,
                                             const std::vector<int64_t>& participants,
                                             std::vector<Pieces::Sent> sent);

  // The two sides of a transfer from one device to another. Put never waits. Take waits for the
  // first value; its errors are those of Meet. InvalidArgument when a box that does not say which
  // device takes from it is used by several.
  virtual absl::Status Put(int64_t device, const Exchange& exchange, const Mailbox& box,
                           Literal value);
  virtual absl::StatusOr<Literal> Take(int64_t device, const Exchange& exchange,
                                       const Mailbox& box);

  // Whether exchanges of the device may go on beside what it computes: it is alone in its process.
  virtual bool MayOverlap(int64_t device) const { return false; }
  // That they have gone on for so long while it computed.
  virtual void NoteOverlap(absl::Duration time) {}

  // To be called once for each device, when its run ends.
  virtual void Leave(int64_t device, const absl::Status& status);

 protected:
  // Of the devices so many run in this process.
  Rendezvous(int64_t devices, int64_t running);

 private:
  using Key = std::tuple<absl::string_view, const void*, int64_t, std::vector<int64_t>>;
  struct Meeting {
    explicit Meeting(size_t participants) : sent(participants) {}

    enum State : int { kIncomplete, kComplete, kBroken };
    std::atomic<int> state = kIncomplete;
    std::vector<std::vector<Pieces::Sent>> sent;  // by each, once it has come
    size_t arrived = 0;
    std::atomic<uint32_t> served = 0;  // who have what the others have sent
  };

  struct Box {
    std::deque<Literal> values;
    std::optional<int64_t> sender, receiver;  // who has used it
    bool is_waited_for = false;
  };

  // Waits until all have come.
  absl::StatusOr<std::shared_ptr<Meeting>> Meet(int64_t device, const Exchange& exchange,
                                                const std::vector<int64_t>& participants,
                                                std::vector<Pieces::Sent> sent);
  absl::Status NeverArrives(int64_t device, const Exchange& exchange,
                            const std::vector<int64_t>& participants) const;
  // Nobody waits any longer for what can no longer come.
  void Break();

  std::mutex mutex_;
  std::condition_variable boxes_changed_;
  std::map<Key, std::shared_ptr<Meeting>> meetings_;  // that are not complete
  std::map<Mailbox, Box> boxes_;
  std::vector<std::optional<Exchange>> waiting_;  // where each device waits
  int64_t running_;                               // devices that neither wait nor have left
  bool failed_ = false;
};

// What a device may read in the memory of the others. Its destruction waits until nobody reads any
// more.
class Rendezvous::Lent {
 public:
  ~Lent();
  const Pieces::Sent& From(size_t member) const {
    const std::vector<Pieces::Sent>& sent = meeting_->sent[member];
    return sent[sent.size() == 1 ? 0 : position_];
  }

 private:
  friend class Rendezvous;
  Lent(std::shared_ptr<Meeting> meeting, size_t position)
      : meeting_(std::move(meeting)), position_(position) {}

  const std::shared_ptr<Meeting> meeting_;
  const size_t position_;  // of the device among the participants
};

// Arrays of each participant of a collective, in their order.
using Contribution = std::vector<Literal>;

// Gives everybody what all bring, arrays of the same shapes; for a device that may be alone.
absl::StatusOr<std::vector<Contribution>> Gather(const Device& device, const Exchange& exchange,
                                                 const std::vector<int64_t>& participants,
                                                 Contribution own);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_RENDEZVOUS_H_
