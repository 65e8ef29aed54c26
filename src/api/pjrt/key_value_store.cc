#include "absl/time/clock.h"
#include "xla/pjrt/distributed/in_memory_key_value_store.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::string> InMemoryKeyValueStore::Get(absl::string_view key,
                                                       absl::Duration timeout) {
  const std::string name(key);
  const auto is_there = [&] { return values_.count(name) > 0; };
  std::unique_lock<std::mutex> lock(mutex_);
  if (timeout > absl::Hours(24 * 365 * 100)) {  // which the clock does not reach
    changed_.wait(lock, is_there);
  } else {
    changed_.wait_until(lock, absl::ToChronoTime(absl::Now() + timeout), is_there);
  }
  if (is_there()) return values_[name];
  return NotFound("nobody has set the key %s in %s", name, absl::FormatDuration(timeout));
}

absl::StatusOr<std::string> InMemoryKeyValueStore::TryGet(absl::string_view key) {
  return Get(key, absl::ZeroDuration());
}

absl::Status InMemoryKeyValueStore::Set(absl::string_view key, absl::string_view value) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, is_new] = values_.emplace(key, value);
    if (!is_new && !allow_overwrite_) return absl::AlreadyExistsError("the key is set already");
    if (!is_new) found->second = std::string(value);
  }
  changed_.notify_all();
  return absl::OkStatus();
}

}  // namespace xla
