#include "api/client/run_groups.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/util.h"

namespace xla {

class RunGroup : public std::enable_shared_from_this<RunGroup> {
 public:
  explicit RunGroup(int64_t devices) : rendezvous(devices), has_come(devices) {}

  bool IsComplete() const { return missing() == 0; }
  int64_t missing() const {
    int64_t count = 0;
    for (const bool one : has_come) count += !one;
    return count;
  }
  std::string MissingDevices() const {
    std::string text;
    for (size_t i = 0; i < has_come.size(); ++i) {
      if (!has_come[i]) absl::StrAppend(&text, text.empty() ? "" : ", ", i);
    }
    return text;
  }
  RunMembership Member(int64_t device) { return RunMembership(shared_from_this(), device); }

  runtime::Rendezvous rendezvous;
  std::atomic<bool> stop = false;
  std::vector<bool> has_come;  // guarded by the mutex of all groups
  bool has_given_up = false;
};

namespace {

// Groups that still wait for devices.
struct Groups {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<RunKey, std::shared_ptr<RunGroup>> open;
};

Groups& TheGroups() {
  static Groups* const groups = new Groups();
  return *groups;
}

}  // namespace

runtime::Rendezvous* RunMembership::rendezvous() const { return &group_->rendezvous; }
const std::atomic<bool>* RunMembership::stop() const { return &group_->stop; }

void RunMembership::Leave(const absl::Status& status, runtime::Mailboxes& mailboxes) {
  group_->rendezvous.Leave(device_, status);
  if (status.ok()) return;
  group_->stop = true;
  mailboxes.Wake();
}

absl::StatusOr<RunMembership> JoinRun(const RunKey& key, int64_t device, int64_t devices,
                                      absl::Duration timeout) {
  Groups& groups = TheGroups();
  std::unique_lock<std::mutex> lock(groups.mutex);
  std::shared_ptr<RunGroup>& open = groups.open[key];
  if (open == nullptr) open = std::make_shared<RunGroup>(devices);
  const std::shared_ptr<RunGroup> group = open;
  if (devices != static_cast<int64_t>(group->has_come.size()) || device >= devices) {
    return InvalidArgument("run %d has %d devices, but another call says that it has %d",
                           std::get<1>(key), group->has_come.size(), devices);
  }
  if (group->has_come[device]) {
    return InvalidArgument("device %d takes part in run %d already; other runs need another run_id",
                           device, std::get<1>(key));
  }
  group->has_come[device] = true;
  if (group->IsComplete()) {
    groups.open.erase(key);
    groups.changed.notify_all();
    return group->Member(device);
  }
  const auto is_settled = [&] { return group->has_given_up || group->IsComplete(); };
  const absl::Time deadline = absl::Now() + timeout;
  while (!is_settled() && absl::Now() < deadline) {
    if (timeout == absl::InfiniteDuration()) {
      groups.changed.wait(lock);
    } else {
      groups.changed.wait_until(lock, absl::ToChronoTime(deadline));
    }
  }
  if (group->IsComplete()) return group->Member(device);
  if (!group->has_given_up) {
    group->has_given_up = true;
    groups.open.erase(key);
    groups.changed.notify_all();
  }
  return DeadlineExceeded(
      "device %d waited %s for devices %s, which were to run with it (run_id %d)", device,
      absl::FormatDuration(timeout), group->MissingDevices(), std::get<1>(key));
}

}  // namespace xla
