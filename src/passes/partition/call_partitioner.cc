#include "passes/partition/call_partitioner.h"

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace xla::passes {
namespace {

struct CallPartitioners {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<CallPartitioner>> by_target;
  std::set<std::string> batch_partitionable;
};

CallPartitioners& Registered() {
  static auto* const registered = new CallPartitioners();
  return *registered;
}

}  // namespace

void RegisterCallPartitioner(absl::string_view target,
                             std::shared_ptr<CallPartitioner> partitioner) {
  CallPartitioners& registered = Registered();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  std::swap(registered.by_target[std::string(target)], partitioner);
}

std::shared_ptr<CallPartitioner> FindCallPartitioner(absl::string_view target) {
  CallPartitioners& registered = Registered();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  const auto found = registered.by_target.find(std::string(target));
  return found == registered.by_target.end() ? nullptr : found->second;
}

void RegisterBatchPartitionable(absl::string_view target) {
  CallPartitioners& registered = Registered();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  registered.batch_partitionable.insert(std::string(target));
}

bool IsBatchPartitionable(absl::string_view target) {
  CallPartitioners& registered = Registered();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  return registered.batch_partitionable.count(std::string(target)) != 0;
}

}  // namespace xla::passes
