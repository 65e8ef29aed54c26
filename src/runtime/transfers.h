// Values that one run of a program exchanges with the host, with other devices and with other
// programs.
#ifndef HILO_RUNTIME_TRANSFERS_H_
#define HILO_RUNTIME_TRANSFERS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/library_kernel.h"
#include "runtime/mailboxes.h"
#include "runtime/rendezvous.h"
#include "xla/literal.h"

namespace xla::runtime {

// For one thread.
class Transfers {
 public:
  explicit Transfers(const Environment& environment) : environment_(environment) {}

  // Devices of one run send to each other where they meet; a program that runs alone sends to
  // others of the same host. FailedPrecondition where there is no host to talk to.
  absl::Status Put(const Exchange& exchange, const Mailbox& box, Literal value);
  absl::StatusOr<Literal> Take(const Exchange& exchange, const Mailbox& box);

  // Requests are the boxes of transfers that have begun.
  uint32_t Begin(std::vector<Mailbox> boxes);
  // InvalidArgument when no such request has begun.
  absl::StatusOr<std::vector<Mailbox>> End(const Exchange& exchange, uint32_t request);

  // That the data has gone to a box, whose receiver the run waits for at its end.
  void Sent(const Exchange& exchange, const Mailbox& box) { sent_.push_back({exchange, box}); }
  absl::Status WaitForReceivers();

 private:
  absl::StatusOr<Mailboxes*> Boxes(const Exchange& exchange, const Mailbox& box);

  const Environment& environment_;
  std::map<uint32_t, std::vector<Mailbox>> requests_;
  std::vector<std::pair<Exchange, Mailbox>> sent_;
  std::unique_ptr<Mailboxes> own_;  // of a program that has no host, and sends to itself
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_TRANSFERS_H_
