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
  std::atomic<bool> stop = false;
  std::vector<absl::StatusOr<Literal>> results(devices);
  const auto run_one = [&](int64_t id) {
    results[id] = run({replicas, partitions, id, devices > 1 ? &rendezvous : nullptr}, stop);
    rendezvous.Leave(id, results[id].status());
    if (results[id].ok() || mailboxes == nullptr) return;
    stop = true;
    mailboxes->Wake();
  };
  std::vector<std::thread> threads;
  threads.reserve(devices);
  for (int64_t id = 0; id < devices; ++id) {
    try {
      threads.emplace_back(run_one, id);
    } catch (const std::system_error&) {
      results[id] = ResourceExhausted("No thread left for device %d", id);
      rendezvous.Leave(id, results[id].status());
    }
  }
  for (std::thread& thread : threads) thread.join();
  return AllOrFirstError(std::move(results));
}

}  // namespace xla::runtime
