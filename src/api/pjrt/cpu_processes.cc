#include "api/pjrt/cpu_processes.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/device_names.h"
#include "base/status_macros.h"
#include "runtime/collectives/process_rendezvous.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr absl::Duration kTimeToCome = absl::Minutes(5);
// Between processes that run the same programs one may be busy with something else for long.
constexpr absl::Duration kTimeToAnswer = absl::Minutes(30);

class StoreOfClient : public runtime::KeyValueStore {
 public:
  explicit StoreOfClient(KeyValueStoreInterface& store) : store_(store) {}
  absl::Status Set(absl::string_view key, absl::string_view value) override {
    return store_.Set(NameOf(key), value);
  }
  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override {
    return store_.Get(NameOf(key), timeout);
  }

 private:
  static std::string NameOf(absl::string_view key) { return absl::StrCat("hilo/", key); }
  KeyValueStoreInterface& store_;
};

absl::StatusOr<int> DeviceCountOf(int process, runtime::KeyValueStore& store) {
  HILO_ASSIGN_OR_RETURN(const std::string text,
                        store.Get(absl::StrCat("devices/", process), kTimeToCome));
  int count = 0;
  if (absl::SimpleAtoi(text, &count) && count >= 1 && count <= device_names::kMostDevices)
    return count;
  return InvalidArgument("process %d does not say how many devices it has", process);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CpuProcesses>> CpuProcesses::Join(const CpuClientOptions& options) {
  if (options.process_id >= options.process_count) {
    return InvalidArgument("process_id is %d, but there are %d processes", options.process_id,
                           options.process_count);
  }
  if (options.key_value_store == nullptr)
    return InvalidArgument("a client of several processes needs a key-value store");
  StoreOfClient store(*options.key_value_store);
  HILO_RETURN_IF_ERROR(store.Set(absl::StrCat("devices/", options.process_id),
                                 absl::StrCat(*options.cpu_device_count)));
  device_names::DeviceCounts counts;
  for (int process = 0; process < options.process_count; ++process) {
    HILO_ASSIGN_OR_RETURN(counts[process], DeviceCountOf(process, store));
  }
  runtime::TransportOptions transport_options;
  transport_options.rank = options.process_id;
  transport_options.size = options.process_count;
  transport_options.timeout = kTimeToCome;
  transport_options.store = &store;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Transport> transport,
                        runtime::ConnectProcesses("gloo", transport_options));
  auto group = std::make_unique<runtime::ProcessGroup>(std::move(transport), kTimeToAnswer);
  return std::unique_ptr<CpuProcesses>(new CpuProcesses(std::move(group), std::move(counts)));
}

std::unique_ptr<runtime::Rendezvous> CpuProcesses::NewRendezvous(std::vector<int> processes,
                                                                 const std::string& program) {
  uint64_t number;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    number = runs_[program]++;
  }
  return std::make_unique<runtime::ProcessRendezvous>(*group_, std::move(processes),
                                                      absl::StrCat(program, " run ", number));
}

}  // namespace xla
