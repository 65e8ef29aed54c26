// The place where devices of several processes meet.
#ifndef HILO_RUNTIME_COLLECTIVES_PROCESS_RENDEZVOUS_H_
#define HILO_RUNTIME_COLLECTIVES_PROCESS_RENDEZVOUS_H_

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/collectives/process_group.h"
#include "runtime/rendezvous.h"

namespace xla::runtime {

// Devices of this process meet as threads; pieces for others go as messages from device to device.
// What a device sends to all goes once to each process: the first device of this process among the
// participants exchanges it for the others. An error of a message names the instruction, the
// channel and both processes.
class ProcessRendezvous : public Rendezvous {
 public:
  // `processes` says where each device of the run is. `run` tells the run from all others of the
  // group: the same words in all its processes.
  ProcessRendezvous(ProcessGroup& group, std::vector<int> processes, absl::string_view run);
  ~ProcessRendezvous() override;

  absl::StatusOr<std::unique_ptr<Pending>> Begin(int64_t device, const Exchange& exchange,
                                                 const std::vector<int64_t>& participants,
                                                 const Pieces& pieces) override;
  bool ShareMemory(const std::vector<int64_t>& participants) const override;
  // Boxes across processes say who sends and who receives; else InvalidArgument.
  absl::Status Put(int64_t device, const Exchange& exchange, const Mailbox& box,
                   Literal value) override;
  absl::StatusOr<Literal> Take(int64_t device, const Exchange& exchange,
                               const Mailbox& box) override;
  bool MayOverlap(int64_t device) const override;
  void NoteOverlap(absl::Duration time) override;
  // Waits until what the device has put is taken by the engine.
  void Leave(int64_t device, const absl::Status& status) override;

 private:
  // A value that was put, as it goes to another process.
  struct Parcel;
  // Pieces that go as messages.
  class PendingMessages;

  // Among the participants in this process, of which there are some; what the others send or get is
  // left alone.
  absl::Status ExchangeWithinProcess(int64_t device, const Exchange& exchange,
                                     const std::vector<int64_t>& participants,
                                     const Pieces& pieces);
  // Pieces that are the same for all, for all participants in this process.
  absl::Status GatherForProcess(int64_t device, const Exchange& exchange,
                                const std::vector<int64_t>& participants, const Pieces& pieces);
  bool IsHere(int64_t device) const { return processes_[device] == group_.rank(); }
  uint64_t TagOfMeeting(const Exchange& exchange, const std::vector<int64_t>& participants) const;
  absl::Status ErrorIn(const Exchange& exchange, const absl::Status& status) const;
  // The process at the other end of the box; nothing where both ends are in this one.
  absl::StatusOr<std::optional<int>> OtherProcess(int64_t device, const Exchange& exchange,
                                                  const Mailbox& box) const;
  uint64_t TagOfBox(const Mailbox& box) const;

  ProcessGroup& group_;
  const std::vector<int> processes_;
  const uint64_t run_;  // the tag of the run
  std::mutex mutex_;
  std::list<std::unique_ptr<Parcel>> parcels_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COLLECTIVES_PROCESS_RENDEZVOUS_H_
