#include "api/pjrt/device_array.h"

#include <algorithm>

namespace xla {

const Event& DoneEvent() {
  static const Event* const event = new Event(tsl::MakeAvailableAsyncValueRef<tsl::Chain>());
  return *event;
}

DimensionVector DeviceArray::Sizes() const {
  DimensionVector sizes(shape->dimensions().begin(), shape->dimensions().end());
  size_t next = 0;
  for (int d = 0; d < shape->dimensions_size(); ++d) {
    if (shape->is_dynamic_dimension(d)) sizes[d] = dynamic_sizes[next++];
  }
  return sizes;
}

void DeviceArray::AddUse(Event use) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (uses_.size() >= most_uses_) {
    uses_.erase(std::remove_if(uses_.begin(), uses_.end(),
                               [](const Event& other) { return other.IsAvailable(); }),
                uses_.end());
    most_uses_ = std::max<size_t>(2, 2 * uses_.size());
  }
  uses_.push_back(std::move(use));
}

absl::InlinedVector<Event, 4> DeviceArray::Uses() {
  absl::InlinedVector<Event, 4> uses;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Event& use : uses_) {
    if (use.IsUnavailable()) uses.push_back(use);
  }
  return uses;
}

void DeviceArray::AddExternalReference() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++external_references_;
}

void DeviceArray::DropExternalReference() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --external_references_;
}

bool DeviceArray::HasExternalReferences() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return external_references_ > 0;
}

}  // namespace xla
