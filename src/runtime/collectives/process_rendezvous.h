// The place where devices of several processes meet.
#ifndef HILO_RUNTIME_COLLECTIVES_PROCESS_RENDEZVOUS_H_
#define HILO_RUNTIME_COLLECTIVES_PROCESS_RENDEZVOUS_H_

#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/collectives/process_group.h"
#include "runtime/rendezvous.h"

namespace xla::runtime {

// Devices of this process meet as threads; the first of them among the participants then exchanges
// what they brought with the other processes. An error of a message names the instruction, the
// channel and both processes.
class ProcessRendezvous : public Rendezvous {
 public:
  // `processes` says where each device of the run is. `run` tells the run from all others of the
  // group: the same words in all its processes.
  ProcessRendezvous(ProcessGroup& group, std::vector<int> processes, std::string run);
  ~ProcessRendezvous() override;

  absl::StatusOr<Contributions> Meet(int64_t device, const Exchange& exchange,
                                     const std::vector<int64_t>& participants,
                                     Contribution own) override;
  // Boxes across processes say who sends and who receives; else InvalidArgument.
  absl::Status Put(int64_t device, const Exchange& exchange, const Mailbox& box,
                   Literal value) override;
  absl::StatusOr<Literal> Take(int64_t device, const Exchange& exchange,
                               const Mailbox& box) override;
  // Waits until what the device has put is taken by the engine.
  void Leave(int64_t device, const absl::Status& status) override;

 private:
  // What the one who exchanges tells the other devices of its process.
  struct Outcome {
    std::optional<absl::StatusOr<Contributions>> contributions;
    size_t readers;  // who have yet to see it
  };
  // A value that was put, as it goes to another process.
  struct Parcel;

  absl::StatusOr<Contributions> ExchangeWithOthers(const Exchange& exchange,
                                                   const std::vector<int64_t>& participants,
                                                   const std::vector<int64_t>& own_devices,
                                                   const std::vector<Contribution>& own);
  absl::StatusOr<Contributions> Await(const void* meeting);
  void Publish(const void* meeting, size_t readers,
               const absl::StatusOr<Contributions>& contributions);
  absl::Status ErrorIn(const Exchange& exchange, const absl::Status& status) const;
  // The process at the other end of the box; nothing where both ends are in this one.
  absl::StatusOr<std::optional<int>> OtherProcess(int64_t device, const Exchange& exchange,
                                                  const Mailbox& box) const;
  uint64_t TagOfBox(const Mailbox& box) const;

  ProcessGroup& group_;
  const std::vector<int> processes_;
  const std::string run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const void*, Outcome> outcomes_;  // by what the devices of this process brought
  std::list<std::unique_ptr<Parcel>> parcels_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COLLECTIVES_PROCESS_RENDEZVOUS_H_
