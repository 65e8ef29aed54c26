// A store of names and values for one process.
#ifndef XLA_PJRT_DISTRIBUTED_IN_MEMORY_KEY_VALUE_STORE_H_
#define XLA_PJRT_DISTRIBUTED_IN_MEMORY_KEY_VALUE_STORE_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla/pjrt/distributed/key_value_store_interface.h"

namespace xla {

class InMemoryKeyValueStore : public KeyValueStoreInterface {
 public:
  // Without allow_overwrite setting a key again is AlreadyExists.
  explicit InMemoryKeyValueStore(bool allow_overwrite = true) : allow_overwrite_(allow_overwrite) {}

  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override;
  absl::StatusOr<std::string> TryGet(absl::string_view key) override;
  absl::Status Set(absl::string_view key, absl::string_view value) override;

 private:
  const bool allow_overwrite_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

}  // namespace xla

#endif  // XLA_PJRT_DISTRIBUTED_IN_MEMORY_KEY_VALUE_STORE_H_
