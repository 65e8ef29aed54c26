// How one run of an executable is set up, and where it gets streams from.
#ifndef XLA_SERVICE_SERVICE_EXECUTABLE_RUN_OPTIONS_H_
#define XLA_SERVICE_SERVICE_EXECUTABLE_RUN_OPTIONS_H_

#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/executable_run_options.h"
#include "xla/service/stream_pool.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream.h"

namespace xla {

class ServiceExecutableRunOptions {
 public:
  // Gives streams of a device.
  using StreamBorrower = std::function<absl::StatusOr<std::vector<StreamPool::Ptr>>(
      int device_ordinal, int num_streams, stream_executor::StreamPriority priority)>;

  ServiceExecutableRunOptions() = default;
  explicit ServiceExecutableRunOptions(ExecutableRunOptions run_options,
                                       StreamBorrower borrow_streams = nullptr)
      : run_options_(std::move(run_options)), borrow_streams_(std::move(borrow_streams)) {}

  const ExecutableRunOptions& run_options() const { return run_options_; }
  ExecutableRunOptions* mutable_run_options() { return &run_options_; }
  stream_executor::Stream* stream() const { return run_options_.stream(); }
  stream_executor::DeviceAddressAllocator* allocator() const { return run_options_.allocator(); }

  bool HasStreamBorrower() const { return borrow_streams_ != nullptr; }
  StreamBorrower stream_borrower() const { return borrow_streams_; }
  // Unimplemented where the options have nobody to borrow from.
  absl::StatusOr<StreamPool::Ptr> BorrowStream(
      int device_ordinal,
      stream_executor::StreamPriority priority = stream_executor::StreamPriority::Default) const {
    absl::StatusOr<std::vector<StreamPool::Ptr>> streams =
        BorrowStreams(device_ordinal, 1, priority);
    if (!streams.ok()) return streams.status();
    return std::move(streams->front());
  }
  absl::StatusOr<std::vector<StreamPool::Ptr>> BorrowStreams(
      int device_ordinal, int num_streams,
      stream_executor::StreamPriority priority = stream_executor::StreamPriority::Default) const {
    if (borrow_streams_ != nullptr) return borrow_streams_(device_ordinal, num_streams, priority);
    return absl::UnimplementedError("these run options have no streams to lend");
  }

 private:
  ExecutableRunOptions run_options_;
  StreamBorrower borrow_streams_;
};

}  // namespace xla

#endif  // XLA_SERVICE_SERVICE_EXECUTABLE_RUN_OPTIONS_H_
