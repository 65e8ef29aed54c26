// Runs of one program on several devices at the same time.
#ifndef HILO_RUNTIME_DEVICES_H_
#define HILO_RUNTIME_DEVICES_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "runtime/mailboxes.h"
#include "runtime/rendezvous.h"
#include "xla/literal.h"

namespace xla::runtime {

// Calls run(device, stop) for each of replicas * partitions devices, a thread each; stop becomes
// true when one of them fails. Of errors it gives one that does not merely follow from another
// device's. `mailboxes` may be null.
absl::StatusOr<std::vector<Literal>> RunOnDevices(
    int64_t replicas, int64_t partitions, Mailboxes* mailboxes,
    absl::FunctionRef<absl::StatusOr<Literal>(const Device& device, const std::atomic<bool>& stop)>
        run);

// The same for `count` devices from `first` on, whose rendezvous has places for them: those of this
// process among the devices of several.
absl::StatusOr<std::vector<Literal>> RunOnDevices(
    const Device& first, int64_t count, Mailboxes* mailboxes,
    absl::FunctionRef<absl::StatusOr<Literal>(const Device& device, const std::atomic<bool>& stop)>
        run);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_DEVICES_H_
