// Devices that run one program together, where each is started by a call of its own.
#ifndef HILO_API_CLIENT_RUN_GROUPS_H_
#define HILO_API_CLIENT_RUN_GROUPS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/mailboxes.h"
#include "runtime/rendezvous.h"

namespace xla {

class RunGroup;

// A device's place in a run of several devices.
class RunMembership {
 public:
  RunMembership(RunMembership&&) = default;
  RunMembership& operator=(RunMembership&&) = default;

  runtime::Rendezvous* rendezvous() const;
  const std::atomic<bool>* stop() const;
  // To be called once, when the device's run is over.
  void Leave(const absl::Status& status, runtime::Mailboxes& mailboxes);

 private:
  friend class RunGroup;
  RunMembership(std::shared_ptr<RunGroup> group, int64_t device)
      : group_(std::move(group)), device_(device) {}

  std::shared_ptr<RunGroup> group_;
  int64_t device_;
};

// Program, run and launch: what calls have in common that belong together.
using RunKey = std::tuple<const void*, int64_t, int32_t>;

// Waits until all devices, of which there are so many, have come. DeadlineExceeded when they do not
// come in time, InvalidArgument when one comes twice.
absl::StatusOr<RunMembership> JoinRun(const RunKey& key, int64_t device, int64_t devices,
                                      absl::Duration timeout);

}  // namespace xla

#endif  // HILO_API_CLIENT_RUN_GROUPS_H_
