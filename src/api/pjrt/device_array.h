// The memory of an array on a device, how far it is, and who uses it.
#ifndef HILO_API_PJRT_DEVICE_ARRAY_H_
#define HILO_API_PJRT_DEVICE_ARRAY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "api/pjrt/device_memory.h"
#include "xla/shape.h"
#include "xla/tsl/concurrency/async_value_ref.h"
#include "xla/tsl/concurrency/ref_count.h"

namespace xla {

// Something that is done or fails.
using Event = tsl::AsyncValueRef<tsl::Chain>;
// One that is done already.
const Event& DoneEvent();

// What a buffer holds, and executions that use it. It stays while any of them needs it.
class DeviceArray : public tsl::ReferenceCounted<DeviceArray> {
 public:
  // One whose memory and sizes are set before `ready` becomes available.
  DeviceArray(std::shared_ptr<const Shape> shape, Event ready)
      : shape(std::move(shape)), ready(std::move(ready)) {}
  DeviceArray(std::shared_ptr<const Shape> shape, ArrayMemory memory)
      : shape(std::move(shape)), ready(DoneEvent()), memory(std::move(memory)) {}

  // With the layout in which it lies. Tokens have no memory.
  const std::shared_ptr<const Shape> shape;
  const Event ready;
  ArrayMemory memory;
  absl::InlinedVector<int32_t, 2> dynamic_sizes;  // of the dynamic dimensions, in order

  // Sizes of all dimensions as they are. To be called when it is ready.
  DimensionVector Sizes() const;

  // Until `use` is available somebody reads the memory.
  void AddUse(Event use);
  // Those that are not over.
  absl::InlinedVector<Event, 4> Uses();

  // While there are any, the memory is not given to others.
  void AddExternalReference();
  void DropExternalReference();
  bool HasExternalReferences();

 private:
  std::mutex mutex_;
  absl::InlinedVector<Event, 2> uses_;
  size_t most_uses_ = 2;  // those that are over are taken out when there are so many
  int external_references_ = 0;
};

using DeviceArrayRef = tsl::RCReference<DeviceArray>;

}  // namespace xla

#endif  // HILO_API_PJRT_DEVICE_ARRAY_H_
