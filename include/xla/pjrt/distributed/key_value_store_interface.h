// What processes that work together tell each other by name.
#ifndef XLA_PJRT_DISTRIBUTED_KEY_VALUE_STORE_INTERFACE_H_
#define XLA_PJRT_DISTRIBUTED_KEY_VALUE_STORE_INTERFACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace xla {

// For any number of threads.
class KeyValueStoreInterface {
 public:
  virtual ~KeyValueStoreInterface() = default;

  // Waits until somebody sets the key. NotFound when nobody does so in time.
  virtual absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) = 0;
  // The same without waiting.
  virtual absl::StatusOr<std::string> TryGet(absl::string_view key) = 0;
  virtual absl::Status Set(absl::string_view key, absl::string_view value) = 0;
};

}  // namespace xla

#endif  // XLA_PJRT_DISTRIBUTED_KEY_VALUE_STORE_INTERFACE_H_
