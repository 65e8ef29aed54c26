// Work that is done in the order in which it was given, while the caller goes on.
#ifndef XLA_STREAM_EXECUTOR_STREAM_H_
#define XLA_STREAM_EXECUTOR_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/platform.h"

namespace stream_executor {

class StreamExecutor;

// Functions that put work into the stream do not wait for it; memory that it reads or writes has to
// stay as it is until it is done. The first error of the work is the stream's, and stays. For any
// number of threads.
class Stream {
 public:
  explicit Stream(StreamExecutor* parent,
                  std::variant<StreamPriority, int> priority = StreamPriority::Default);
  // Waits for everything that was given to the stream.
  virtual ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Whether there has been no error yet.
  bool ok() const;
  absl::Status RefreshStatus();
  // Waits until all work is done, and gives the stream's error.
  absl::Status BlockHostUntilDone();
  // Work from here on begins when what `other` has now is done. Must not make streams wait for each
  // other in a circle.
  absl::Status WaitFor(Stream* other);

  // Copies and fills. InvalidArgument when the memory of the device is smaller.
  absl::Status Memcpy(DeviceAddressBase* device_destination, const void* host_source,
                      uint64_t size);
  absl::Status Memcpy(void* host_destination, const DeviceAddressBase& device_source,
                      uint64_t size);
  absl::Status Memcpy(DeviceAddressBase* device_destination, const DeviceAddressBase& device_source,
                      uint64_t size);
  template <typename T>
  absl::Status MemcpyH2D(absl::Span<const T> host_source, DeviceAddress<T>* device_destination) {
    return Memcpy(device_destination, host_source.data(), host_source.size() * sizeof(T));
  }
  template <typename T>
  absl::Status MemcpyD2H(const DeviceAddress<T>& device_source, absl::Span<T> host_destination) {
    return Memcpy(host_destination.data(), device_source, host_destination.size() * sizeof(T));
  }
  absl::Status MemZero(DeviceAddressBase* location, uint64_t size);
  // `size` is a multiple of 4.
  absl::Status Memset32(DeviceAddressBase* location, uint32_t pattern, uint64_t size);

  // Call a function when all before it is done, whether there was an error or not.
  absl::Status DoHostCallback(absl::AnyInvocable<void() &&> callback);
  absl::Status DoHostCallbackWithStatus(absl::AnyInvocable<absl::Status() &&> callback);

  // Calls a function on this thread when all before it is done, waits for it, and gives its error,
  // which does not become the stream's. It is not called when the stream has an error, which is
  // given then.
  absl::Status RunAndWait(absl::FunctionRef<absl::Status()> function);
  StreamExecutor* parent() const { return parent_; }
  std::variant<StreamPriority, int> priority() const { return priority_; }
  const std::string& GetName() const { return name_; }
  void SetName(std::string name) { name_ = std::move(name); }

 private:
  class Queue;

  StreamExecutor* const parent_;
  const std::variant<StreamPriority, int> priority_;
  std::string name_;
  std::shared_ptr<Queue> queue_;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_STREAM_H_
