#include "runtime/devices.h"

#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

absl::StatusOr<std::vector<Literal>> AllOrFirstError(std::vector<absl::StatusOr<Literal>> results) {
  absl::Status error;
  std::vector<Literal> values;
  for (absl::StatusOr<Literal>& result : results) {
    if (result.ok()) {
      values.push_back(*std::move(result));
    } else if (error.ok() || (absl::IsAborted(error) && !absl::IsAborted(result.status()))) {
      error = result.status();
    }
  }
  if (!error.ok()) return error;
  return values;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> RunOnDevices(
    int64_t replicas, int64_t partitions, Mailboxes* mailboxes,
    absl::FunctionRef<absl::StatusOr<Literal>(const Device& device, const std::atomic<bool>& stop)>
        run) {
  const int64_t devices = replicas * partitions;
  Rendezvous rendezvous(devices);
  return RunOnDevices({replicas, partitions, 0, devices > 1 ? &rendezvous : nullptr}, devices,
                      mailboxes, run);
}

absl::StatusOr<std::vector<Literal>> RunOnDevices(
    const Device& first, int64_t count, Mailboxes* mailboxes,
    absl::FunctionRef<absl::StatusOr<Literal>(const Device& device, const std::atomic<bool>& stop)>
        run) {
  std::atomic<bool> stop = false;
  std::vector<absl::StatusOr<Literal>> results(count);
  const auto leave = [&](int64_t k) {
    if (first.rendezvous != nullptr) first.rendezvous->Leave(first.id + k, results[k].status());
  };
  const auto run_one = [&](int64_t k) {
    Device device = first;
    device.id += k;
    results[k] = run(device, stop);
    leave(k);
    if (results[k].ok() || mailboxes == nullptr) return;
    stop = true;
    mailboxes->Wake();
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (int64_t k = 0; k < count; ++k) {
    try {
      threads.emplace_back(run_one, k);
    } catch (const std::system_error&) {
      results[k] = ResourceExhausted("No thread left for device %d", first.id + k);
      leave(k);
    }
  }
  for (std::thread& thread : threads) thread.join();
  return AllOrFirstError(std::move(results));
}

}  // namespace xla::runtime
