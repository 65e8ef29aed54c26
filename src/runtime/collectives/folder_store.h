// A key-value store for processes that see the same files.
#ifndef HILO_RUNTIME_COLLECTIVES_FOLDER_STORE_H_
#define HILO_RUNTIME_COLLECTIVES_FOLDER_STORE_H_

#include <string>
#include <utility>

#include "runtime/collectives/transport.h"

namespace xla::runtime {

// Keeps each value in a file of a folder that is there.
class FolderStore : public KeyValueStore {
 public:
  explicit FolderStore(std::string folder) : folder_(std::move(folder)) {}
  absl::Status Set(absl::string_view key, absl::string_view value) override;
  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override;

 private:
  std::string PathOf(absl::string_view key) const;
  std::string folder_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_COLLECTIVES_FOLDER_STORE_H_
